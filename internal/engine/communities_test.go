package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
)

// grouped returns the IDs of each community.
func (f *fixture) grouped(q api.Communities) (out [][]hippo.ID) {
	f.t.Helper()
	l, err := knowledge.Communities(f.t.Context(), f.Memories, q)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, c := range l.Communities {
		var ids []hippo.ID
		for _, n := range c.Nodes {
			ids = append(ids, n.ID)
		}
		out = append(out, ids)
	}
	return out
}

// Two circles that one relation joins are two communities, the larger first, and what has most relations first in each.
func TestCommunities(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	var ms []*hippo.Memory
	for i := range 12 {
		ms = append(ms, turn(i+1, "", fmt.Sprintf("note %d", i+1)))
	}
	f.put(ms...)
	now := f.now()
	var rs []hippo.Relation
	add := func(a, b int) {
		rs = append(rs, hippo.Relation{From: idOf(a), To: idOf(b), Kind: "near", Weight: 1, ValidFrom: now.AddDate(-1, 0, 0)})
	}
	for _, circle := range [][]int{{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10}} {
		for i, a := range circle {
			add(a, circle[(i+1)%len(circle)])
			if i > 1 && i < len(circle)-1 {
				add(circle[0], a) // the hub
			}
		}
	}
	add(6, 7)
	if n, err := transfer.New(f.Memories).ImportRelations(t.Context(), rs); n != len(rs) || err != nil {
		t.Fatal(n, err)
	}
	l, err := knowledge.Communities(t.Context(), f.Memories, api.Communities{})
	if err != nil {
		t.Fatal(err)
	}
	if l.Total != 2 || l.Memories != 10 || l.Relations != len(rs) || l.Modularity < .3 || len(l.Communities) != 2 {
		t.Fatalf("got %+v", l)
	}
	for i, want := range []struct {
		size, relations int
		first           hippo.ID
	}{{6, 9, idOf(1)}, {4, 5, idOf(7)}} {
		c := l.Communities[i]
		if len(c.Label) == 0 || c.Label[0] != "note" {
			t.Errorf("community %d: label %q", i, c.Label)
		}
		if c.Size != want.size || c.Relations != want.relations || c.Nodes[0].ID != want.first {
			t.Errorf("community %d: %d memories, %d relations, first %v; want %+v", i, c.Size, c.Relations, c.Nodes[0].ID, want)
		}
	}
	if d := cmp.Diff(f.grouped(api.Communities{}), f.grouped(api.Communities{})); d != "" {
		t.Errorf("asked again: %s", d)
	}
	if got := f.grouped(api.Communities{Count: 1}); len(got) != 1 {
		t.Errorf("one: %v", got)
	}
	if got := f.grouped(api.Communities{GraphFilter: api.GraphFilter{At: hippo.Moment{ValidAt: now.AddDate(-2, 0, 0)}}}); got != nil {
		t.Errorf("before the relations: %v", got)
	}
	if got := f.grouped(api.Communities{GraphFilter: api.GraphFilter{Kinds: []string{"far"}}}); got != nil {
		t.Errorf("of another kind: %v", got)
	}
	for _, n := range []int{-1, api.MaxCommunities + 1} {
		if _, err := knowledge.Communities(t.Context(), f.Memories, api.Communities{Count: n}); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("count %d: %v", n, err)
		}
	}
}

// A forgotten memory is in no community.
func TestCommunities_Forgotten(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.put(turn(1, "", "one"), turn(2, "", "two"), turn(3, "", "three"))
	rs := []hippo.Relation{{From: idOf(1), To: idOf(2), Kind: "near", Weight: 1}, {From: idOf(2), To: idOf(3), Kind: "near", Weight: 1}}
	if n, err := transfer.New(f.Memories).ImportRelations(t.Context(), rs); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	f.forget(idOf(3))
	if d := cmp.Diff([][]hippo.ID{{idOf(1), idOf(2)}}, f.grouped(api.Communities{})); d != "" {
		t.Error(d)
	}
}

// Communities that were found before are those of the relations as they are: of others too, and of the former ones again.
func TestCommunities_Changed(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.put(turn(1, "", "one"), turn(2, "", "two"), turn(3, "", "three"), turn(4, "", "four"))
	near := func(a, b int) []hippo.Relation {
		return []hippo.Relation{{From: idOf(a), To: idOf(b), Kind: "near", Weight: 1}}
	}
	relate := func(rs []hippo.Relation) {
		t.Helper()
		if n, err := transfer.New(f.Memories).ImportRelations(t.Context(), rs); n != len(rs) || err != nil {
			t.Fatal(n, err)
		}
	}
	relate(append(near(1, 2), near(3, 4)...))
	pairs := [][]hippo.ID{{idOf(3), idOf(4)}, {idOf(1), idOf(2)}} // in the order of their IDs
	for range 2 {
		if d := cmp.Diff(pairs, f.grouped(api.Communities{})); d != "" {
			t.Error(d)
		}
	}
	var far []hippo.Relation
	for _, p := range [][2]int{{2, 3}, {1, 4}, {1, 3}} {
		far = append(far, hippo.Relation{From: idOf(p[0]), To: idOf(p[1]), Kind: "far", Weight: 1})
	}
	relate(far)
	if got := f.grouped(api.Communities{}); len(got) != 1 || len(got[0]) != 4 {
		t.Errorf("nearly all related: %v", got)
	}
	if got := f.grouped(api.Communities{GraphFilter: api.GraphFilter{Kinds: []string{"far"}}}); len(got) != 2 || len(got[0]) != 2 {
		t.Errorf("of another kind: %v", got)
	}
	if d := cmp.Diff(pairs, f.grouped(api.Communities{GraphFilter: api.GraphFilter{Kinds: []string{"near"}}})); d != "" {
		t.Error(d)
	}
}
