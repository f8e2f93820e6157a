package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/history"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// getAll returns memories by ID.
func (f *fixture) getAll(ids ...hippo.ID) []*hippo.Memory {
	f.t.Helper()
	ms, err := memory.Get(f.t.Context(), f.Memories, ids)
	if err != nil {
		f.t.Fatal(err)
	}
	return ms
}

// last returns the last operation that changed a memory.
func (f *fixture) last(id hippo.ID) api.Operation {
	f.t.Helper()
	page, err := memory.Operations(f.t.Context(), f.Memories, api.Operations{Memory: id, Count: 1})
	if err != nil || len(page.Operations) != 1 {
		f.t.Fatalf("operations of %v: %+v (%v)", id, page, err)
	}
	return page.Operations[0]
}

// undo undoes the last operation of a memory.
func (f *fixture) undo(id hippo.ID) {
	f.t.Helper()
	if _, err := memory.Undo(f.t.Context(), f.Memories, f.last(id).ID); err != nil {
		f.t.Fatal(err)
	}
}

// TestUndo: after each change, an undo brings every field back and keeps the uses since, and its own undo
// brings the change back.
func TestUndo(t *testing.T) {
	t.Parallel()
	for name, change := range map[hippo.Verb][]func(ctx context.Context, m *engine.Memories, a, b hippo.ID) error{
		hippo.VerbForget: {func(ctx context.Context, m *engine.Memories, a, _ hippo.ID) error {
			_, err := memory.Forget(ctx, m, []hippo.ID{a})
			return err
		}},
		hippo.VerbVote: {func(ctx context.Context, m *engine.Memories, a, b hippo.ID) error {
			_, err := memory.Reinforce(ctx, m, []hippo.ID{a}, []hippo.ID{b})
			return err
		}},
		hippo.VerbModify: {
			func(ctx context.Context, m *engine.Memories, a, _ hippo.ID) error {
				_, err := memory.Modify(ctx, m, a, api.Change{Pinned: new(true)})
				return err
			},
			func(ctx context.Context, m *engine.Memories, a, _ hippo.ID) error {
				_, err := memory.Modify(ctx, m, a, api.Change{Metadata: &map[string]json.RawMessage{"k": json.RawMessage(`{"b": "<>", "a": 1.0}`)}})
				return err
			},
			func(ctx context.Context, m *engine.Memories, a, _ hippo.ID) error {
				_, err := memory.Modify(ctx, m, a, api.Change{Content: new("port 81"), Situation: &[]string{"now"}, Tags: &[]string{"x"}, Type: new("fact"), Importance: new(.9)})
				return err
			},
		},
		hippo.VerbSupersede: {func(ctx context.Context, m *engine.Memories, a, b hippo.ID) error {
			_, err := memory.Modify(ctx, m, b, api.Change{Supersedes: &[]hippo.ID{a}})
			return err
		}},
	} {
		for i, change := range change {
			t.Run(fmt.Sprint(name, i), func(t *testing.T) {
				t.Parallel()
				undoes(t, name, change)
			})
		}
	}
}

func undoes(t *testing.T, verb hippo.Verb, change func(ctx context.Context, m *engine.Memories, a, b hippo.ID) error) {
	t.Helper()
	f := open(t, options{})
	a, b := f.record("port 80", .5, "gateway"), f.record("port 8080", .4)
	f.advance(3, 0)
	want := f.getAll(a, b)
	if err := change(t.Context(), engine.As(f.Memories, hippo.Operation{By: hippo.Source{Client: "test"}, Reason: "why not"}), a, b); err != nil {
		t.Fatal(err)
	}
	changed := f.getAll(a, b)
	op := f.last(a)
	if cmp.Equal(want, changed) || op.Verb != verb || op.By.Client != "test" || op.Reason != "why not" || !op.At.Equal(f.now()) || op.Day != 1 {
		t.Fatalf("%+v changed nothing, or is another one", op)
	}
	f.search(hippo.Query{Text: "8080"})
	f.undo(a)
	later := cmpopts.IgnoreFields(hippo.Memory{}, "UpdatedAt", "Version", "Revision", "Accesses", "ContentHash")
	if d := cmp.Diff(want, f.getAll(a, b), later); d != "" {
		t.Error(d)
	}
	if got := f.get(b); len(got.Accesses) != 2 || got.ContentHash != hippo.HashContent(got.Content) {
		t.Errorf("got %+v", got)
	}
	if undo := f.last(a); undo.Verb != hippo.VerbUndo || undo.Undoes != op.ID {
		t.Errorf("the undo is %+v", undo)
	}
	f.undo(a)
	if d := cmp.Diff(changed, f.getAll(a, b), later); d != "" {
		t.Errorf("the undo undone: %s", d)
	}
}

// What an operation recorded is forgotten by its undo, and what it superseded holds again.
func TestUndo_OfARecord(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	first := f.note(fact("port 80"))
	f.advance(0, time.Hour)
	next := f.note(fact("port 8080"), first.ID)
	op := f.last(next.ID)
	if op.Verb != hippo.VerbSupersede || len(op.Memories) != 2 {
		t.Errorf("the operation is %+v", op)
	}
	f.undo(next.ID)
	if ms := f.getAll(first.ID, next.ID); !ms[0].SupersededBy.IsZero() || !ms[0].ValidUntil.IsZero() || ms[0].Forgotten() || !ms[1].Forgotten() {
		t.Errorf("after the undo: %+v and %+v", ms[0], ms[1])
	}
	f.undo(next.ID)
	if ms := f.getAll(first.ID, next.ID); ms[0].SupersededBy != next.ID || ms[0].ValidUntil.IsZero() || ms[1].Forgotten() {
		t.Errorf("after its own undo: %+v and %+v", ms[0], ms[1])
	}
	page, err := memory.Operations(t.Context(), f.Memories, api.Operations{Count: 2})
	if err != nil || len(page.Operations) != 2 || !page.More {
		t.Errorf("got %+v (%v)", page, err)
	}
}

// What was changed again, or is not there for the caller, is not undone, and nothing else is.
func TestUndo_Conflict(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	a, b := f.record("port 80", .5), f.record("port 8080", .4)
	if _, err := memory.Forget(t.Context(), f.Memories, []hippo.ID{a, b}); err != nil {
		t.Fatal(err)
	}
	op := f.last(a)
	if _, err := memory.Undo(t.Context(), f.In(hippo.Scope{Namespace: "other", Rights: hippo.AllRights}), op.ID); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("another namespace: %v", err)
	}
	if _, err := memory.Undo(t.Context(), f.In(hippo.Scope{Rights: hippo.RightRead}), op.ID); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("without the right to write: %v", err)
	}
	if _, err := memory.Restore(t.Context(), f.Memories, []hippo.ID{b}); err != nil {
		t.Fatal(err)
	}
	_, err := memory.Undo(t.Context(), f.Memories, op.ID)
	if !errors.Is(err, hippo.ErrConflict) || !strings.Contains(err.Error(), b.Short()) || !strings.Contains(err.Error(), f.last(b).ID.Short()) {
		t.Errorf("after another change: %v", err)
	}
	if ms := f.getAll(a, b); !ms[0].Forgotten() || ms[1].Forgotten() {
		t.Error("an undo that failed has changed something")
	}
	if _, err := memory.Undo(t.Context(), f.Memories, hippo.ID{9}); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("an unknown operation: %v", err)
	}
	f.undo(b)
	if _, err := memory.Undo(t.Context(), f.Memories, op.ID); err != nil || f.get(a).Forgotten() || f.get(b).Forgotten() {
		t.Errorf("an operation whose later one was undone: %v", err)
	}
}

// Step by step what is undone leads back to the beginning, and an error names the step to undo first.
func TestUndo_StepByStep(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	a := f.record("port 80", .5)
	want := f.get(a)
	var ops []hippo.ID
	for n := range 4 {
		if _, err := memory.Modify(t.Context(), f.Memories, a, api.Change{Content: new(fmt.Sprintf("port %d", n))}); err != nil {
			t.Fatal(err)
		}
		ops = append(ops, f.last(a).ID)
	}
	for n, op := range slices.Backward(ops) {
		if n > 0 {
			if _, err := memory.Undo(t.Context(), f.Memories, ops[n-1]); !errors.Is(err, hippo.ErrConflict) || !strings.Contains(err.Error(), op.Short()) {
				t.Errorf("step %d before %d: %v", n-1, n, err)
			}
		}
		if _, err := memory.Undo(t.Context(), f.Memories, op); err != nil {
			t.Fatalf("step %d: %v", n, err)
		}
	}
	later := cmpopts.IgnoreFields(hippo.Memory{}, "UpdatedAt", "Version", "Revision")
	if d := cmp.Diff(want, f.get(a), later); d != "" {
		t.Error(d)
	}
	if _, err := memory.Undo(t.Context(), f.Memories, ops[0]); !errors.Is(err, hippo.ErrConflict) {
		t.Errorf("undone twice: %v", err)
	}
}

// What was changed without a history since, such as a file of a directory, is not undone.
func TestUndo_ChangedElsewhere(t *testing.T) {
	t.Parallel()
	backend := memstore.New(nil)
	f := open(t, options{backend: backend})
	a := f.record("port 80", .5)
	if _, err := memory.Modify(t.Context(), f.Memories, a, api.Change{Content: new("port 81")}); err != nil {
		t.Fatal(err)
	}
	op := f.last(a)
	m := f.get(a)
	m.Tags = []string{"by hand"}
	if err := backend.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.Put(m) }); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Undo(t.Context(), f.Memories, op.ID); !errors.Is(err, hippo.ErrConflict) || !strings.Contains(err.Error(), "no history") {
		t.Errorf("got %v", err)
	}
}

// An operation of which versions are no longer kept is not undone in part; one of which a memory was
// purged is.
func TestUndo_Incomplete(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	a, b, c := f.record("port 80", .5), f.record("port 8080", .4), f.record("port 8081", .4)
	if _, err := memory.Forget(t.Context(), f.Memories, []hippo.ID{a, b, c}); err != nil {
		t.Fatal(err)
	}
	op := f.last(a)
	if err := memory.Purge(t.Context(), f.Memories, []hippo.ID{c}); err != nil {
		t.Fatal(err)
	}
	for n := range hippo.DefaultRetention().Versions {
		if _, err := memory.Modify(t.Context(), f.Memories, b, api.Change{Content: new(fmt.Sprintf("port %d", n))}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := memory.Undo(t.Context(), f.Memories, op.ID); !errors.Is(err, hippo.ErrConflict) || !strings.Contains(err.Error(), "1 of the 2 memories") {
		t.Errorf("got %v", err)
	}
	if !f.get(a).Forgotten() {
		t.Error("an undo that failed has changed something")
	}
	d := f.record("port 443", .5)
	if _, err := memory.Reinforce(t.Context(), f.Memories, []hippo.ID{a, d}, nil); err != nil {
		t.Fatal(err)
	}
	op = f.last(d)
	if err := memory.Purge(t.Context(), f.Memories, []hippo.ID{d}); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Undo(t.Context(), f.Memories, op.ID); err != nil {
		t.Errorf("after a purge of the others: %v", err)
	}
}

// Successors that were declared since never lead in a circle.
func TestUndo_MakesNoCircle(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	a, b := f.note(fact("port 80")), f.note(hippo.Memory{Content: "port 81", ValidFrom: f.now().Add(time.Hour)})
	supersede := func(id, old hippo.ID) {
		t.Helper()
		if _, err := memory.Modify(t.Context(), f.Memories, id, api.Change{Supersedes: &[]hippo.ID{old}, Vote: api.VoteNone}); err != nil {
			t.Fatal(err)
		}
	}
	supersede(b.ID, a.ID)
	f.undo(a.ID)
	undo := f.last(a.ID)
	c := f.note(hippo.Memory{Content: "port 82", ValidFrom: f.now().Add(2 * time.Hour)}, b.ID)
	if _, err := memory.Undo(t.Context(), f.Memories, undo.ID); !errors.Is(err, hippo.ErrConflict) {
		t.Errorf("what was changed since: %v, with %v", err, c.ID)
	}
}

// A former version is what the memory was, and only one who may see the memory sees it.
func TestVersions(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	a := f.record("port 80", .5, "gateway")
	want := f.get(a)
	if vs, err := memory.Versions(t.Context(), f.Memories, api.Versions{Memory: a}); err != nil || len(vs) != 0 {
		t.Errorf("what was never changed has versions %v (%v)", vs, err)
	}
	for _, text := range []string{"port 81", "port 82"} {
		if _, err := memory.Modify(t.Context(), f.Memories, a, api.Change{Content: &text, Vote: api.VoteNone}); err != nil {
			t.Fatal(err)
		}
	}
	vs, err := memory.Versions(t.Context(), f.Memories, api.Versions{Memory: a})
	if err != nil || len(vs) != 2 || vs[0].Before.Content != "port 81" {
		t.Fatalf("got %+v (%v)", vs, err)
	}
	want.Accesses, want.Revision = nil, 0
	if d := cmp.Diff(want, vs[1].Before, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
	id, err := memory.ResolveOperation(t.Context(), f.Memories, vs[1].Operation.ID.Short())
	if err != nil || id != vs[1].Operation.ID {
		t.Errorf("resolved %v (%v)", id, err)
	}
	one, err := memory.Versions(t.Context(), f.Memories, api.Versions{Operation: id})
	if err != nil || len(one) != 1 || one[0].ID != a {
		t.Errorf("of the operation: %+v (%v)", one, err)
	}
	other := f.In(hippo.Scope{Namespace: "other", Rights: hippo.AllRights})
	for _, q := range []api.Versions{{Memory: a}, {Operation: id}, {Memory: a, Operation: id}} {
		if _, err := memory.Versions(t.Context(), other, q); !errors.Is(err, hippo.ErrNotFound) {
			t.Errorf("%+v: another namespace: %v", q, err)
		}
	}
	for _, ref := range []string{"", "abc", "xyzxyz", id.Short()} {
		if _, err := memory.ResolveOperation(t.Context(), other, ref); err == nil {
			t.Errorf("%q is resolved", ref)
		}
	}
	if _, err := memory.Versions(t.Context(), f.Memories, api.Versions{}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("of nothing: %v", err)
	}
	if _, err := memory.Operations(t.Context(), f.In(hippo.Scope{}), api.Operations{}); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("without rights: %v", err)
	}
	for _, q := range []api.Operations{{Offset: -1}, {Count: -1}, {Count: hippo.MaxCount + 1}} {
		if _, err := memory.Operations(t.Context(), f.Memories, q); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// What changes nothing, and what only counts or records, has no operation.
func TestOperations_OfChangesOnly(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	a := f.record("port 80", .5)
	f.search(hippo.Query{Text: "port"})
	if _, err := memory.Modify(t.Context(), f.Memories, a, api.Change{Content: new("port 80"), Vote: api.VoteNone}); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Restore(t.Context(), f.Memories, []hippo.ID{a}); err != nil {
		t.Fatal(err)
	}
	if page, err := memory.Operations(t.Context(), f.Memories, api.Operations{}); err != nil || len(page.Operations) != 0 {
		t.Errorf("got %+v (%v)", page, err)
	}
	long := engine.As(f.Memories, hippo.Operation{Reason: strings.Repeat("x", hippo.MaxName+1)})
	if _, err := memory.Forget(t.Context(), long, []hippo.ID{a}); !errors.Is(err, hippo.ErrInvalid) || !strings.Contains(err.Error(), "reason") {
		t.Errorf("a long reason: %v", err)
	}
}

func TestPredecessors(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	first, other := f.note(fact("port 80")), f.note(fact("port 81"))
	next := f.note(fact("port 8080"), first.ID, other.ID)
	last := f.note(fact("port 8081"), next.ID)
	for id, want := range map[hippo.ID][]hippo.ID{last.ID: {next.ID}, next.ID: {other.ID, first.ID}, first.ID: nil, {9}: nil} {
		ms, err := history.Predecessors(t.Context(), f.Memories, id)
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
	if ms, err := history.Predecessors(t.Context(), f.In(hippo.Scope{Namespace: "other", Rights: hippo.AllRights}), last.ID); err != nil || len(ms) != 0 {
		t.Errorf("another namespace sees %v (%v)", ms, err)
	}
	if _, err := history.Predecessors(t.Context(), f.In(hippo.Scope{}), last.ID); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("without rights: %v", err)
	}
}

func TestCreated(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	first, second := f.note(fact("port 80")), f.note(hippo.Memory{Content: "port 81", Type: "fact"})
	for want, q := range map[time.Time]api.List{first.CreatedAt: {}, second.CreatedAt: {Filter: hippo.Filter{Types: []string{"fact"}}}} {
		if got, err := history.Created(t.Context(), f.Memories, q); err != nil || !got[0].Equal(want) || !got[len(got)-1].Equal(second.CreatedAt) {
			t.Errorf("got %v (%v), want %v first", got, err, want)
		}
	}
	if _, err := history.Created(t.Context(), f.In(hippo.Scope{}), api.List{}); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("without rights: %v", err)
	}
}
