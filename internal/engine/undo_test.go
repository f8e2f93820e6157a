package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// getAll returns memories by ID.
func (f *fixture) getAll(ids ...hippo.ID) []*hippo.Memory {
	f.t.Helper()
	ms, err := f.Get(f.t.Context(), ids)
	if err != nil {
		f.t.Fatal(err)
	}
	return ms
}

// changed runs a change and returns what it did to memories.
func (f *fixture) changed(change func() error, ids ...hippo.ID) []engine.Change {
	f.t.Helper()
	before := f.getAll(ids...)
	if err := change(); err != nil {
		f.t.Fatal(err)
	}
	var out []engine.Change
	for i, after := range f.getAll(ids...) {
		out = append(out, engine.Change{Before: before[i], After: after})
	}
	return out
}

// TestRevert: after each change, a revert brings every field back, and keeps the uses since.
func TestRevert(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(ctx context.Context, m *engine.Memories, a, b hippo.ID) error{
		"forget": func(ctx context.Context, m *engine.Memories, a, _ hippo.ID) error {
			_, err := m.Forget(ctx, []hippo.ID{a})
			return err
		},
		"vote": func(ctx context.Context, m *engine.Memories, a, b hippo.ID) error {
			_, err := m.Reinforce(ctx, []hippo.ID{a}, []hippo.ID{b})
			return err
		},
		"pin": func(ctx context.Context, m *engine.Memories, a, _ hippo.ID) error {
			_, err := m.Modify(ctx, a, engine.Modification{Pinned: new(true)})
			return err
		},
		"metadata": func(ctx context.Context, m *engine.Memories, a, _ hippo.ID) error {
			_, err := m.Modify(ctx, a, engine.Modification{Metadata: &map[string]json.RawMessage{"k": json.RawMessage("1")}})
			return err
		},
		"edit": func(ctx context.Context, m *engine.Memories, a, _ hippo.ID) error {
			_, err := m.Modify(ctx, a, engine.Modification{Content: new("port 81"), Situation: &[]string{"now"}, Tags: &[]string{"x"}, Type: new("fact"), Importance: new(.9)})
			return err
		},
		"supersede": func(ctx context.Context, m *engine.Memories, a, b hippo.ID) error {
			_, err := m.Modify(ctx, b, engine.Modification{Supersedes: &[]hippo.ID{a}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t, options{})
			a, b := f.record("port 80", .5, "gateway"), f.record("port 8080", .4)
			f.advance(3, 0)
			want := f.getAll(a, b)
			changes := f.changed(func() error { return change(t.Context(), f.Memories, a, b) }, a, b)
			if cmp.Equal(want, f.getAll(a, b)) {
				t.Fatal("nothing was changed")
			}
			f.search(hippo.Query{Text: "8080"})
			if _, err := engine.Revert(t.Context(), f.Memories, changes); err != nil {
				t.Fatal(err)
			}
			later := cmpopts.IgnoreFields(hippo.Memory{}, "UpdatedAt", "Version", "Revision", "Accesses", "ContentHash")
			if d := cmp.Diff(want, f.getAll(a, b), later); d != "" {
				t.Error(d)
			}
			if got := f.get(b); len(got.Accesses) != 2 || got.ContentHash != hippo.HashContent(got.Content) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestRevert_Conflict: what was changed again, or is not there for the caller, is not reverted, and
// nothing else is.
func TestRevert_Conflict(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	a, b := f.record("port 80", .5), f.record("port 8080", .4)
	changes := f.changed(func() error { _, err := f.Forget(t.Context(), []hippo.ID{a, b}); return err }, a, b)
	if _, err := engine.Revert(t.Context(), f.In(hippo.Scope{Namespace: "other", Rights: hippo.AllRights}), changes); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("another namespace: %v", err)
	}
	if _, err := engine.Revert(t.Context(), f.In(hippo.Scope{Rights: hippo.RightRead}), changes); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("without the right to write: %v", err)
	}
	if _, err := f.Restore(t.Context(), []hippo.ID{b}); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Revert(t.Context(), f.Memories, changes); !errors.Is(err, hippo.ErrConflict) {
		t.Errorf("after another change: %v", err)
	}
	if ms := f.getAll(a, b); !ms[0].Forgotten() || ms[1].Forgotten() {
		t.Error("a revert that failed has changed something")
	}
	if _, err := engine.Revert(t.Context(), f.Memories, nil); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("no change: %v", err)
	}
}

func TestPredecessors(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	first, other := f.note(fact("port 80")), f.note(fact("port 81"))
	next := f.note(fact("port 8080"), first.ID, other.ID)
	last := f.note(fact("port 8081"), next.ID)
	for id, want := range map[hippo.ID][]hippo.ID{last.ID: {next.ID}, next.ID: {other.ID, first.ID}, first.ID: nil, {9}: nil} {
		ms, err := engine.Predecessors(t.Context(), f.Memories, id)
		if err != nil {
			t.Fatal(err)
		}
		var got []hippo.ID
		for _, m := range ms {
			got = append(got, m.ID)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%v: %s", id, d)
		}
	}
	if ms, err := engine.Predecessors(t.Context(), f.In(hippo.Scope{Namespace: "other", Rights: hippo.AllRights}), last.ID); err != nil || len(ms) != 0 {
		t.Errorf("another namespace sees %v (%v)", ms, err)
	}
	if _, err := engine.Predecessors(t.Context(), f.In(hippo.Scope{}), last.ID); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("without rights: %v", err)
	}
}

func TestCreated(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	first, second := f.note(fact("port 80")), f.note(hippo.Memory{Content: "port 81", Type: "fact"})
	for want, q := range map[time.Time]engine.ListQuery{first.CreatedAt: {}, second.CreatedAt: {Filter: hippo.Filter{Types: []string{"fact"}}}} {
		if got, err := engine.Created(t.Context(), f.Memories, q); err != nil || !got[0].Equal(want) || !got[len(got)-1].Equal(second.CreatedAt) {
			t.Errorf("got %v (%v), want %v first", got, err, want)
		}
	}
	if _, err := engine.Created(t.Context(), f.In(hippo.Scope{}), engine.ListQuery{}); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("without rights: %v", err)
	}
}
