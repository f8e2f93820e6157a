package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
)

// relatedTurns opens a store of n memories, numbered from 1, and relations "FROM KIND TO".
func relatedTurns(t tester, n int, relations ...string) *fixture {
	t.Helper()
	f := open(t, options{})
	for i := range n {
		f.put(turn(i+1, "", fmt.Sprintf("note %d", i+1)))
	}
	for _, text := range relations {
		var from, to int
		var kind string
		if _, err := fmt.Sscan(text, &from, &kind, &to); err != nil {
			t.Fatal(err)
		}
		f.relate(from, kind, to, 1)
	}
	return f
}

func (f *fixture) near(q api.Neighbours) *api.Subgraph {
	f.t.Helper()
	g, err := knowledge.Neighbours(f.t.Context(), f.Memories, q)
	if err != nil {
		f.t.Fatal(err)
	}
	return g
}

// distances are those of a subgraph, by the number of the memory.
func distances(nodes []api.Node) map[hippo.ID]int {
	out := make(map[hippo.ID]int)
	for _, n := range nodes {
		out[n.ID] = n.Distance
	}
	return out
}

// A cycle is walked once; kinds, the direction and the depth bound the walk, and what was not read is the frontier.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	f := relatedTurns(t, 6, "1 needs 2", "2 needs 3", "3 needs 1", "3 fixes 4", "5 needs 4")
	for name, tc := range map[string]struct {
		q        api.Neighbours
		want     map[int]int
		frontier []int
	}{
		"depth 1":     {api.Neighbours{}, map[int]int{1: 0, 2: 1, 3: 1}, []int{2, 3}},
		"depth 2":     {api.Neighbours{Depth: 2}, map[int]int{1: 0, 2: 1, 3: 1, 4: 2}, []int{4}},
		"all":         {api.Neighbours{Depth: 10}, map[int]int{1: 0, 2: 1, 3: 1, 4: 2, 5: 3}, nil},
		"out":         {api.Neighbours{Depth: 2, Direction: api.DirectionOut}, map[int]int{1: 0, 2: 1, 3: 2}, []int{3}},
		"in":          {api.Neighbours{Depth: 3, Direction: api.DirectionIn}, map[int]int{1: 0, 3: 1, 2: 2}, nil},
		"of one kind": {api.Neighbours{Depth: 5, GraphFilter: api.GraphFilter{Kinds: []string{"needs"}}}, map[int]int{1: 0, 2: 1, 3: 1}, nil},
		"of no kind":  {api.Neighbours{Depth: 5, GraphFilter: api.GraphFilter{Kinds: []string{"x"}}}, map[int]int{1: 0}, nil},
	} {
		tc.q.ID = idOf(1)
		g := f.near(tc.q)
		want := make(map[hippo.ID]int)
		for n, d := range tc.want {
			want[idOf(n)] = d
		}
		if d := cmp.Diff(want, distances(g.Nodes)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		var frontier []hippo.ID
		for _, n := range tc.frontier {
			frontier = append(frontier, idOf(n))
		}
		for _, ids := range [][]hippo.ID{frontier, g.Frontier} {
			slices.SortFunc(ids, hippo.ID.Compare)
		}
		if !slices.Equal(frontier, g.Frontier) || g.Omitted != 0 || g.Partial != nil {
			t.Errorf("%s: left out %+v, want %v", name, g.GraphBounds, frontier)
		}
	}
}

// A graph is as of a moment: what held then, and what was known then.
func TestNeighbours_AsOf(t *testing.T) {
	t.Parallel()
	f, ada, paris, rome, _ := people(t)
	begin := f.now()
	f.advance(10, 0)
	f.declare(lives(ada, paris, begin, f.now()))
	f.declare(lives(ada, rome, f.now(), time.Time{}))
	declared := f.now()
	f.advance(10, 0)
	for at, want := range map[hippo.Moment][]hippo.ID{
		{}:                                   {paris, rome},
		{ValidAt: begin}:                     {paris},
		{ValidAt: declared}:                  {rome},
		{KnownAt: begin}:                     nil,
		{KnownAt: f.now()}:                   {paris, rome},
		{ValidAt: begin, KnownAt: f.now()}:   {paris},
		{ValidAt: declared, KnownAt: begin}:  nil,
		{ValidAt: begin.AddDate(0, 0, -100)}: nil,
	} {
		g := f.near(api.Neighbours{ID: ada, GraphFilter: api.GraphFilter{At: at}})
		var got []hippo.ID
		for _, n := range g.Nodes[1:] {
			got = append(got, n.ID)
		}
		slices.SortFunc(got, hippo.ID.Compare)
		if !slices.Equal(got, want) {
			t.Errorf("at %+v: %v, want %v", at, got, want)
		}
	}
}

// What is learned is there only if it is asked for; what is forgotten is not.
func TestNeighbours_LearnedAndForgotten(t *testing.T) {
	t.Parallel()
	f := relatedTurns(t, 3, "1 needs 2")
	r := hippo.CoRecall(idOf(1), idOf(3))
	r.Weight = .5
	if _, err := transfer.New(f.Memories).ImportRelations(t.Context(), []hippo.Relation{r}); err != nil {
		t.Fatal(err)
	}
	for want, q := range map[int]api.GraphFilter{2: {}, 3: {Learned: true}} {
		if g := f.near(api.Neighbours{ID: idOf(1), GraphFilter: q}); len(g.Nodes) != want {
			t.Errorf("%+v has %d nodes", q, len(g.Nodes))
		}
	}
	f.forget(idOf(2))
	if g := f.near(api.Neighbours{ID: idOf(1)}); len(g.Nodes) != 1 {
		t.Errorf("with a forgotten one: %d nodes", len(g.Nodes))
	}
}

// A hub of 10,000 relations is bounded, and the answer says so.
func TestNeighbours_OfAHub(t *testing.T) {
	t.Parallel()
	const spokes = 2_000
	f := open(t, options{})
	var ms []*hippo.Memory
	var rs []hippo.Relation
	for i := range spokes + 1 {
		ms = append(ms, turn(i+1, "", fmt.Sprintf("note %d", i+1)))
		if i > 0 {
			rs = append(rs, hippo.Relation{From: idOf(1), To: idOf(i + 1), Kind: "has", Weight: float64(i) / spokes})
		}
	}
	f.put(ms...)
	if n, err := transfer.New(f.Memories).ImportRelations(t.Context(), rs); n != spokes || err != nil {
		t.Fatal(n, err)
	}
	g := f.near(api.Neighbours{ID: idOf(2), Depth: 3})
	if len(g.Nodes) != 102 || len(g.Partial) != 1 || g.Partial[0] != idOf(1) || g.Nodes[2].ID != idOf(spokes+1) { // the first, the hub, and its strongest
		t.Errorf("%d nodes, left out %+v", len(g.Nodes), g.GraphBounds)
	}
	g = f.near(api.Neighbours{ID: idOf(1), Depth: 2, Count: 11})
	if len(g.Nodes) != 11 || g.Omitted != 90 || len(g.Frontier) != 10 || len(g.Relations) != 10 {
		t.Errorf("%d nodes, %d relations, left out %+v", len(g.Nodes), len(g.Relations), g.GraphBounds)
	}
	l, err := knowledge.Paths(t.Context(), f.Memories, api.Paths{From: idOf(2), To: idOf(3)})
	if err != nil || len(l.Paths) != 1 || len(l.Paths[0].IDs) != 3 {
		t.Errorf("a path over the hub: %+v, %v", l, err)
	}
}

// Bad questions say which field is wrong, and how far it may go.
func TestGraph_Refuses(t *testing.T) {
	t.Parallel()
	f := relatedTurns(t, 1)
	for name, tc := range map[string]struct {
		q    api.Neighbours
		want error
		text string
	}{
		"depth":     {api.Neighbours{Depth: 11}, hippo.ErrInvalid, "depth: must be between 1 and 10, got 11"},
		"negative":  {api.Neighbours{Depth: -1}, hippo.ErrInvalid, "depth: must be between 1 and 10, got -1"},
		"count":     {api.Neighbours{Count: 1001}, hippo.ErrInvalid, "count: must be between 1 and 1000, got 1001"},
		"direction": {api.Neighbours{Direction: "up"}, hippo.ErrInvalid, `direction: must be one of both, out, in, got "up"`},
		"unknown":   {api.Neighbours{ID: idOf(9)}, hippo.ErrNotFound, "no memory"},
	} {
		if tc.q.ID.IsZero() {
			tc.q.ID = idOf(1)
		}
		_, err := knowledge.Neighbours(t.Context(), f.Memories, tc.q)
		if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.text) {
			t.Errorf("%s: %v", name, err)
		}
		_, err = knowledge.Paths(t.Context(), f.Memories, api.Paths{From: idOf(1), To: tc.q.ID, Depth: tc.q.Depth, Direction: tc.q.Direction, Count: tc.q.Count})
		if !errors.Is(err, tc.want) {
			t.Errorf("paths, %s: %v", name, err)
		}
	}
}

// drawGraph draws relations between n memories, in a store and as a list.
func drawGraph(t *testing.T, r *rapid.T, n int) (*fixture, []hippo.Relation) {
	t.Helper()
	f := relatedTurns(r, n)
	var list []hippo.Relation
	for range rapid.IntRange(0, 2*n).Draw(r, "relations") {
		from, to := rapid.IntRange(1, n).Draw(r, "from"), rapid.IntRange(1, n).Draw(r, "to")
		kind := rapid.SampledFrom([]string{"a", "b"}).Draw(r, "kind")
		if from == to {
			continue
		}
		f.relate(from, kind, to, 1)
		list = append(list, hippo.Relation{From: idOf(from), To: idOf(to), Kind: kind})
	}
	return f, list
}

// naive are the distances from a memory, by going over all relations again and again.
func naive(list []hippo.Relation, from hippo.ID, depth int, d api.Direction, kinds []string) map[hippo.ID]int {
	out := map[hippo.ID]int{from: 0}
	for hop := 1; hop <= depth; hop++ {
		for _, r := range list {
			if kinds != nil && !slices.Contains(kinds, r.Kind) {
				continue
			}
			for _, ends := range [][2]hippo.ID{{r.From, r.To}, {r.To, r.From}} {
				if d == api.DirectionOut && ends[0] != r.From || d == api.DirectionIn && ends[0] != r.To {
					continue
				}
				at, reached := out[ends[0]]
				if _, seen := out[ends[1]]; reached && at == hop-1 && !seen {
					out[ends[1]] = hop
				}
			}
		}
	}
	return out
}

// Neighbours and paths are those of a naive walk.
func TestGraph_AsANaiveWalk(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(r, "memories")
		f, list := drawGraph(t, r, n)
		filter := api.GraphFilter{Kinds: rapid.SampledFrom([][]string{nil, {"a"}, {"a", "b"}}).Draw(r, "kinds")}
		direction := rapid.SampledFrom([]api.Direction{"", api.DirectionBoth, api.DirectionOut, api.DirectionIn}).Draw(r, "direction")
		depth := rapid.IntRange(1, 6).Draw(r, "depth")
		want := naive(list, idOf(1), depth, direction, filter.Kinds)
		g := f.near(api.Neighbours{ID: idOf(1), Depth: depth, Direction: direction, GraphFilter: filter})
		if d := cmp.Diff(want, distances(g.Nodes)); d != "" {
			r.Fatal(d)
		}
		for to := range n {
			l, err := knowledge.Paths(t.Context(), f.Memories, api.Paths{From: idOf(1), To: idOf(to + 1), Depth: depth, Direction: direction, GraphFilter: filter})
			if err != nil {
				r.Fatal(err)
			}
			if length, ok := want[idOf(to+1)]; ok != (len(l.Paths) > 0) || !ok && l.Nodes != nil {
				r.Fatalf("to %d: %+v, want length %d", to+1, l, length)
			}
			var got [][]hippo.ID
			for _, p := range l.Paths {
				checkPath(r, p, direction)
				got = append(got, p.IDs)
			}
			if d := cmp.Diff(naivePaths(list, want, idOf(to+1), direction, filter.Kinds), got); d != "" {
				r.Fatalf("to %d: %s", to+1, d)
			}
		}
	})
}

// checkPath checks that the relations of a path join its memories.
func checkPath(r *rapid.T, p api.Path, d api.Direction) {
	r.Helper()
	for i, x := range p.Relations {
		along, against := x.From == p.IDs[i] && x.To == p.IDs[i+1], x.To == p.IDs[i] && x.From == p.IDs[i+1]
		if d == api.DirectionOut && !along || d == api.DirectionIn && !against || !along && !against {
			r.Fatalf("relation %d of %+v", i, p)
		}
	}
}

// naivePaths are all shortest paths to a memory, in order, given the distances.
func naivePaths(list []hippo.Relation, distance map[hippo.ID]int, to hippo.ID, d api.Direction, kinds []string) (out [][]hippo.ID) {
	at, ok := distance[to]
	if !ok {
		return nil
	}
	if at == 0 {
		return [][]hippo.ID{{to}}
	}
	for before, x := range distance {
		edges := naive(list, before, 1, d, kinds)
		if _, joined := edges[to]; x != at-1 || !joined {
			continue
		}
		for _, p := range naivePaths(list, distance, before, d, kinds) {
			out = append(out, append(slices.Clone(p), to))
		}
	}
	slices.SortFunc(out, func(a, b []hippo.ID) int { return slices.CompareFunc(a, b, hippo.ID.Compare) })
	return out
}
