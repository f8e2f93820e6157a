package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// What lies outside of a scope can neither be read nor changed.
func TestScoped(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, _ *clock, s *store.Store) {
		mine, other, elsewhere := memory("mine"), memory("other project"), memory("other tenant")
		mine.Project, other.Project, elsewhere.Project, elsewhere.Namespace = "p", "q", "p", "tenant"
		add(t, s, mine, other, elsewhere)
		in := s.In(hippo.Scope{Projects: []string{"p"}, Rights: hippo.AllRights})
		all := []hippo.ID{mine.ID, other.ID, elsewhere.ID}
		if ms, err := in.Get(t.Context(), all); err != nil || len(ms) != 1 || ms[0].ID != mine.ID {
			t.Errorf("got %d memories (%v), want the one of the scope", len(ms), err)
		}
		before, err := s.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		pin := func(m *hippo.Memory, _ hippo.Day) error { m.Pinned = true; return nil }
		for _, id := range []hippo.ID{other.ID, elsewhere.ID} {
			_, updated := in.Update(t.Context(), []hippo.ID{mine.ID, id}, pin)
			_, superseded := in.Supersede(t.Context(), mine.ID, []hippo.ID{id}, pin)
			_, added := in.AddInstead(t.Context(), &hippo.Memory{Content: "x", Project: "p"}, []hippo.ID{id})
			for name, err := range map[string]error{
				"update": updated, "supersede": superseded, "add instead": added,
				"purge":    in.Purge(t.Context(), []hippo.ID{id}),
				"relate":   second(in.Relate(t.Context(), []hippo.Relation{{From: mine.ID, To: id, Kind: "x", Weight: 1}}, nil)),
				"unrelate": in.Unrelate(t.Context(), []hippo.Relation{{From: mine.ID, To: id, Kind: "x"}}),
			} {
				if !errors.Is(err, hippo.ErrNotFound) {
					t.Errorf("%s: got %v, want not found", name, err)
				}
			}
		}
		for field, m := range map[string]*hippo.Memory{"project": {Content: "x", Project: "q"}, "namespace": {Content: "x", Project: "p", Namespace: "tenant"}} {
			if f, ok := errors.AsType[*hippo.FieldError](in.Add(t.Context(), m)); !ok || f.Field != field {
				t.Errorf("%s: got %v", field, f)
			}
		}
		if after, err := s.Head(t.Context()); err != nil || after.Revision != before.Revision {
			t.Errorf("revision %d (%v), want %d", after.Revision, err, before.Revision)
		}
		n := 0
		for m, err := range in.All(t.Context()) {
			if err != nil || m.ID != mine.ID {
				t.Errorf("got %v (%v)", m, err)
			}
			n++
		}
		if n != 1 {
			t.Errorf("exported %d, want 1", n)
		}
	})
}

// A caller does only what it has a right to.
func TestScoped_Rights(t *testing.T) {
	t.Parallel()
	s := open(t, start())
	m := memory("kept")
	add(t, s, m)
	ids := []hippo.ID{m.ID}
	reader, writer := s.In(hippo.Scope{Rights: hippo.RightRead}), s.In(hippo.Scope{Rights: hippo.RightWrite})
	_, read := writer.Get(t.Context(), ids)
	_, updated := reader.Update(t.Context(), ids, func(*hippo.Memory, hippo.Day) error { return nil })
	for name, err := range map[string]error{
		"get": read, "update": updated, "add": reader.Add(t.Context(), memory("x")), "purge": writer.Purge(t.Context(), ids),
	} {
		if !errors.Is(err, hippo.ErrForbidden) {
			t.Errorf("%s: got %v, want forbidden", name, err)
		}
	}
	get(t, s, m.ID)
}

// A new memory never replaces another one.
func TestStore_AddRefusesAnIDInUse(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, _ *clock, s *store.Store) {
		first := memory("first")
		add(t, s, first)
		again := memory("again")
		again.ID = first.ID
		if err := s.Add(t.Context(), again); !errors.Is(err, hippo.ErrConflict) {
			t.Errorf("got %v, want a conflict", err)
		}
		if _, err := local(s).AddInstead(t.Context(), again, []hippo.ID{first.ID}); !errors.Is(err, hippo.ErrConflict) {
			t.Errorf("got %v, want a conflict", err)
		}
		if got := get(t, s, first.ID); got.Content != "first" {
			t.Errorf("it was replaced by %q", got.Content)
		}
	})
}

// An update that changes nothing writes nothing.
func TestStore_UpdateOfNothing(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c *clock, s *store.Store) {
		m := memory("same")
		add(t, s, m)
		before := get(t, s, m.ID)
		c.advance(1)
		ms, err := local(s).Update(t.Context(), []hippo.ID{m.ID}, func(m *hippo.Memory, _ hippo.Day) error {
			m.Content = "same"
			return nil
		})
		after := get(t, s, m.ID)
		if err != nil || after.Revision != before.Revision || !after.UpdatedAt.Equal(before.UpdatedAt) || len(ms) != 1 || ms[0].Revision != before.Revision {
			t.Errorf("got %+v (%v), want %+v", after, err, before)
		}
	})
}

// What a memory was superseded by says nothing to who may not see that: an import may name any
// ID.
func TestScoped_SuccessorsOutsideAreUnknown(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, _ *clock, s *store.Store) {
		hidden, old, mine := memory("hidden"), memory("old"), memory("mine")
		hidden.Namespace = "tenant"
		add(t, s, hidden, mine)
		old.ID, old.SupersededBy = hippo.ID{15: 7}, hidden.ID
		in := local(s)
		if _, err := in.Import(t.Context(), hippo.Calendar{}, []*hippo.Memory{old}); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Supersede(t.Context(), mine.ID, []hippo.ID{old.ID}, func(*hippo.Memory, hippo.Day) error { return nil }); err != nil {
			t.Errorf("got %v, want no word of a memory outside of the scope", err)
		}
	})
}

// A caller does not see what superseded a memory unless that is in the scope, cannot replace it, and
// keeps it when the memory changes.
func TestScoped_HidesSuccessors(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, _ *clock, s *store.Store) {
		shared, own, secret, mine := memory("shared"), memory("own"), memory("secret"), memory("mine")
		shared.Project, own.Project, secret.Project, mine.Project = "p", "p", "q", "p"
		add(t, s, shared, own)
		instead(t, s, secret, shared.ID)
		instead(t, s, mine, own.ID)
		in := s.In(hippo.Scope{Projects: []string{"p"}, Rights: hippo.AllRights})
		read, err := in.Get(t.Context(), []hippo.ID{shared.ID, own.ID})
		if err != nil || len(read) != 2 || !read[0].SupersededBy.IsZero() || read[1].SupersededBy.IsZero() {
			t.Errorf("get: %+v (%v)", read, err)
		}
		changed, err := in.Update(t.Context(), []hippo.ID{shared.ID}, func(m *hippo.Memory, _ hippo.Day) error { m.Pinned = true; return nil })
		if err != nil || !changed[0].SupersededBy.IsZero() {
			t.Errorf("update: %+v (%v)", changed, err)
		}
		if got := get(t, s, shared.ID); got.SupersededBy != secret.ID || !got.Pinned {
			t.Errorf("stored: %+v", got)
		}
		for m, err := range in.All(t.Context()) {
			if err != nil || m.SupersededBy == secret.ID {
				t.Errorf("export: %+v (%v)", m, err)
			}
		}
		_, err = in.Supersede(t.Context(), mine.ID, []hippo.ID{shared.ID}, func(*hippo.Memory, hippo.Day) error { return nil })
		if !errors.Is(err, hippo.ErrConflict) || strings.Contains(err.Error(), secret.ID.String()) {
			t.Errorf("supersede: got %v, want a conflict that names no other id", err)
		}
		admin := 0
		for m, err := range local(s).All(t.Context()) {
			if err == nil && m.SupersededBy == secret.ID {
				admin++
			}
		}
		if admin != 1 {
			t.Errorf("the export of an administrator has %d memories with the successor, want 1", admin)
		}
	})
}

// An import replaces nothing outside of the scope, and does not tell that it is there from what
// is its own.
func TestScoped_ImportRefusesAnIDInUse(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, _ *clock, s *store.Store) {
		hidden, fresh, here := memory("hidden"), memory("fresh"), memory("here")
		hidden.Namespace = "tenant"
		add(t, s, hidden, here)
		again := memory("again")
		again.ID, fresh.ID = hidden.ID, hippo.ID{15: 8}
		done, err := local(s).Import(t.Context(), hippo.Calendar{}, []*hippo.Memory{again, fresh, here})
		want := []store.Outcome{store.Refused, store.Added, store.Present}
		if d := cmp.Diff(want, done); err != nil || d != "" {
			t.Errorf("error %v (-want +got):\n%s", err, d)
		}
		if got := get(t, s, hidden.ID); got.Content != "hidden" {
			t.Errorf("it was replaced by %q", got.Content)
		}
	})
}

// second returns the error of a call that also returns something else.
func second[T any](_ T, err error) error { return err }

// A relation to what lies outside of a scope cannot be ended from it, nor does it show that it is there.
func TestEndRelations_OutsideOfTheScope(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c *clock, s *store.Store) {
		mine, other := memory("mine"), memory("other project")
		mine.Project, other.Project = "p", "q"
		add(t, s, mine, other)
		r := hippo.Relation{From: mine.ID, To: other.ID, Kind: "x", Weight: 1, ValidUntil: c.now().AddDate(0, 0, -1)}
		if _, err := s.In(hippo.LocalScope("")).Relate(t.Context(), []hippo.Relation{r}, nil); err != nil {
			t.Fatal(err)
		}
		in := s.In(hippo.Scope{Projects: []string{"p"}, Rights: hippo.AllRights})
		if _, err := store.EndRelations(t.Context(), in, []hippo.Relation{r}, c.now()); !errors.Is(err, hippo.ErrNotFound) || !strings.Contains(err.Error(), "no relation") {
			t.Errorf("got %v, want not found", err)
		}
	})
}

// The history of a consolidation does not show one project what relations lead to from another.
func TestTidy_NoHistoryBetweenProjects(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, _ *clock, s *store.Store) {
		mine, near, other := memory("mine"), memory("near"), memory("other project")
		mine.Project, near.Project, other.Project = "p", "p", "q"
		add(t, s, mine, near, other)
		all := s.In(hippo.LocalScope(""))
		seen := make(map[hippo.ID]*hippo.Memory)
		for _, m := range []*hippo.Memory{mine, near, other} {
			seen[m.ID] = get(t, s, m.ID)
		}
		link := []hippo.Relation{{From: mine.ID, To: near.ID, Kind: "x", Weight: 1}, {From: mine.ID, To: other.ID, Kind: "x", Weight: 1}}
		if done, err := store.Tidy(t.Context(), all, &store.Tidying{Seen: seen, Link: link}); err != nil || done.Linked != 2 {
			t.Fatalf("%+v (%v)", done, err)
		}
		rs, err := all.Relations(t.Context(), []hippo.ID{mine.ID}, time.Time{}, 10)
		if err != nil {
			t.Fatal(err)
		}
		if done, err := store.Tidy(t.Context(), all, &store.Tidying{Seen: seen, Drop: rs}); err != nil || done.Dropped != 2 {
			t.Fatalf("%+v (%v)", done, err)
		}
		in := s.In(hippo.Scope{Projects: []string{"p"}, Rights: hippo.AllRights})
		vs, err := store.Versions(t.Context(), in, driver.VersionQuery{Memories: []hippo.ID{mine.ID}})
		if err != nil || len(vs) != 2 {
			t.Fatalf("%d versions (%v), want the two of the relation within the project", len(vs), err)
		}
		for _, v := range vs {
			for _, r := range v.Relations {
				if r.Relation.To != near.ID {
					t.Errorf("the history shows %v", r.Relation)
				}
			}
		}
	})
}
