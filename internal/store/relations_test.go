package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
)

// half adds half of what is missing.
func half(old, _ hippo.Relation, _ time.Time) float64 { return old.Weight + (1-old.Weight)/2 }

func weightOf(t *testing.T, s *store.Store, r hippo.Relation) float64 {
	t.Helper()
	rs, err := local(s).Relations(t.Context(), []hippo.ID{r.From}, time.Time{}, 9)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range rs {
		if x.To == r.To && x.Kind == r.Kind {
			return x.Weight
		}
	}
	return 0
}

func TestStore_ReinforceOnceADay(t *testing.T) {
	t.Parallel()
	c := start()
	s := open(t, c)
	a, b := memory("a"), memory("b")
	add(t, s, a, b)
	pair := hippo.CoRecall(a.ID, b.ID)
	learn := func() {
		t.Helper()
		if err := s.Reinforce(t.Context(), []hippo.Relation{pair, hippo.CoRecall(a.ID, hippo.ID{9})}, true, half); err != nil {
			t.Fatal(err)
		}
	}
	for day, want := range []float64{.5, .75, .875} {
		for range 3 {
			learn()
			c.t = c.t.Add(time.Hour)
		}
		if got := weightOf(t, s, pair); got != want {
			t.Errorf("day %d: weight %v, want %v", day, got, want)
		}
		c.advance(1)
	}
	c.advance(-30)
	learn()
	if got := weightOf(t, s, pair); got != .875 {
		t.Errorf("a clock that went back makes it %v", got)
	}
	for range 2 {
		if err := s.Reinforce(t.Context(), []hippo.Relation{pair}, false, half); err != nil {
			t.Fatal(err)
		}
	}
	if got := weightOf(t, s, pair); got != .96875 {
		t.Errorf("twice on one day, as often as it is asked: %v", got)
	}
}

func TestStore_Relate(t *testing.T) {
	t.Parallel()
	c := start()
	s := open(t, c)
	a, b := memory("a"), memory("b")
	add(t, s, a, b)
	r := hippo.Relation{From: a.ID, To: b.ID, Kind: "explains", Weight: .5, ValidFrom: c.t.In(time.FixedZone("", 3600)).Add(time.Nanosecond)}
	if s.HasRelations() {
		t.Error("there are relations to begin with")
	}
	if _, err := local(s).Relate(t.Context(), []hippo.Relation{r}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Head(t.Context()); err != nil || !s.HasRelations() {
		t.Errorf("there are none (%v)", err)
	}
	got, err := local(s).Relations(t.Context(), []hippo.ID{b.ID}, time.Time{}, 9)
	r.ValidFrom, r.LastReinforced = c.t, c.t
	if err != nil || len(got) != 1 || got[0] != r {
		t.Errorf("got %+v (%v), want %+v", got, err, r)
	}
	other := r
	other.Weight = .25
	fresh := hippo.Relation{From: b.ID, To: a.ID, Kind: "x", Weight: 1}
	gone := hippo.Relation{From: b.ID, To: hippo.ID{7}, Kind: "x", Weight: 1}
	if n, err := local(s).ImportRelations(t.Context(), []hippo.Relation{other, fresh, gone}); err != nil || n != 1 || weightOf(t, s, r) != .5 {
		t.Errorf("imported %d (%v), weight %v", n, err, weightOf(t, s, r))
	}
	_, err = local(s).Relate(t.Context(), []hippo.Relation{other, gone}, nil)
	if unknown, ok := errors.AsType[*hippo.UnknownError](err); !ok || len(unknown.IDs) != 1 || weightOf(t, s, r) != .5 {
		t.Errorf("relate returned %v", err)
	}
	if err := local(s).Unrelate(t.Context(), []hippo.Relation{gone, r}); !errors.Is(err, hippo.ErrNotFound) || weightOf(t, s, r) != 0 {
		t.Errorf("unrelate returned %v", err)
	}
	_, err = local(s).Relate(t.Context(), []hippo.Relation{r, {From: a.ID, To: b.ID}}, nil)
	if f, ok := errors.AsType[*hippo.FieldError](err); !ok || f.Field != "[1].kind" {
		t.Errorf("relate returned %v", err)
	}
}

// Relations among memories are those that a scope sees, whatever memories are given, and those of both ends only.
func TestRelationsAmong(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, _ *clock, s *store.Store) {
		a, b, c, other := memory("a"), memory("b"), memory("c"), memory("other")
		other.Project = "q"
		add(t, s, a, b, c, other)
		var all []hippo.Relation
		for _, to := range []*hippo.Memory{b, c, other} {
			all = append(all, hippo.Relation{From: a.ID, To: to.ID, Kind: "x", Weight: 1})
		}
		if _, err := local(s).Relate(t.Context(), all, nil); err != nil {
			t.Fatal(err)
		}
		given := map[hippo.ID]*hippo.Memory{a.ID: a, b.ID: b, other.ID: other}
		for _, tc := range []struct {
			scope hippo.Scope
			want  int
		}{
			{hippo.LocalScope(""), 2},
			{hippo.Scope{Projects: []string{""}, Rights: hippo.AllRights}, 1},
			{hippo.Scope{Namespace: "tenant", Rights: hippo.AllRights}, 0},
		} {
			n := 0
			for r, err := range store.RelationsAmong(t.Context(), s.In(tc.scope), given) {
				if err != nil || r.To == c.ID {
					t.Errorf("%+v: got %+v, %v", tc.scope, r, err)
				}
				n++
			}
			if n != tc.want {
				t.Errorf("%+v: got %d relations, want %d", tc.scope, n, tc.want)
			}
		}
		for _, err := range store.RelationsAmong(t.Context(), s.In(hippo.Scope{}), given) {
			if !errors.Is(err, hippo.ErrForbidden) {
				t.Errorf("without rights: %v", err)
			}
		}
	})
}
