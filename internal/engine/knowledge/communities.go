package knowledge

import (
	"cmp"
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/graph"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/store"
)

// shownMembers is how many memories of a community an answer has.
const shownMembers = 10

// Communities groups the memories of the scope by their relations, as [graph.Graph.Communities] does. Memories without a relation
// are in none; equal relations give equal communities.
//
// Cost: a read of all relations of the store, and of the memories that are shown; and the work on the graph, unless the last
// one was equal.
func Communities(ctx context.Context, m *engine.Memories, q api.Communities) (*api.CommunityList, error) {
	return engine.Perform(ctx, m, q, "communities", communities)
}

func communities(ctx context.Context, m *engine.Memories, q api.Communities) (*api.CommunityList, error) {
	const usual = 20
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	if q.Count = cmp.Or(q.Count, usual); q.Count < 1 || q.Count > api.MaxCommunities {
		return nil, hippo.Fieldf("count", "must be between 1 and %d, got %d", api.MaxCommunities, q.Count)
	}
	out, note, err := inGraph(ctx, m, &q.GraphFilter, func(m *engine.Memories) (*api.CommunityList, error) {
		r, err := readRelated(ctx, m, &q.GraphFilter)
		if err != nil {
			return nil, err
		}
		return r.communities(ctx, m, q.Count)
	})
	if err == nil {
		out.Degraded = engine.Noted(out.Degraded, note)
	}
	return out, err
}

// related is a graph of all memories that have a relation.
type related struct {
	*graph.Graph
	ids   []hippo.ID  // by node, ascending
	pairs [][2]uint32 // the nodes of each relation
}

// readRelated reads the relations of a scope.
func readRelated(ctx context.Context, m *engine.Memories, f *api.GraphFilter) (*related, error) {
	live, err := liveIDs(ctx, m)
	if err != nil {
		return nil, err
	}
	out, used := &related{}, make([]bool, len(live))
	var weights []float64
	sees := func(id hippo.ID) bool { _, ok := live[id]; return ok }
	for r, err := range store.RelationsBetween(ctx, m.Scoped, sees) {
		if err != nil {
			return nil, err
		}
		if at := f.At.ValidAt; !keepsKind(f, r.Kind) || !at.IsZero() && !r.ValidAt(at) {
			continue
		}
		from, to := live[r.From], live[r.To]
		out.pairs, weights = append(out.pairs, [2]uint32{from, to}), append(weights, r.Weight)
		used[from], used[to] = true, true
	}
	out.number(live, used)
	b := graph.NewBuilder(len(out.ids), 0)
	b.Grow(len(out.pairs))
	for i, p := range out.pairs {
		b.Add(graph.Edge{A: int(p[0]), B: int(p[1]), Weight: weights[i]})
	}
	out.Graph = b.Graph()
	return out, nil
}

// number makes nodes of the memories that are used, in the order of their IDs, and has the pairs name these.
func (r *related) number(live map[hippo.ID]uint32, used []bool) {
	for id, n := range live {
		if used[n] {
			r.ids = append(r.ids, id)
		}
	}
	slices.SortFunc(r.ids, hippo.ID.Compare)
	nodes := make([]uint32, len(used))
	for n, id := range r.ids {
		nodes[live[id]] = uint32(n)
	}
	for i, p := range r.pairs {
		r.pairs[i] = [2]uint32{nodes[p[0]], nodes[p[1]]}
	}
}

// liveIDs numbers the memories of the scope that are not forgotten.
func liveIDs(ctx context.Context, m *engine.Memories) (map[hippo.ID]uint32, error) {
	var live map[hippo.ID]uint32
	err := m.Indexed(ctx, func() error {
		r, err := m.Index.Search(ctx, &retrieve.Query{Scope: m.Scope, Filter: hippo.Filter{Archived: true}})
		if err != nil {
			return err
		}
		defer r.Close()
		live = make(map[hippo.ID]uint32, len(r.Matches))
		for i := range r.Matches {
			live[r.Reader.Key(r.Matches[i].Doc).ID] = uint32(i)
		}
		return nil
	})
	return live, err
}

// communities finds the communities and reads the first memories of those that are shown.
func (r *related) communities(ctx context.Context, m *engine.Memories, count int) (*api.CommunityList, error) {
	found, err := engine.GroupingOf(r.Graph, m.Groups)
	if err != nil {
		return nil, err
	}
	of, ranks := found.Of, found.Ranks
	groups := make(map[int][]int)
	for n, c := range of {
		groups[c] = append(groups[c], n)
	}
	out := &api.CommunityList{Total: len(groups), Memories: len(r.ids), Relations: len(r.pairs), Modularity: found.Modularity}
	order := make([]int, 0, len(groups))
	for c := range groups {
		order = append(order, c)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(len(groups[b]), len(groups[a])), cmp.Compare(a, b)) })
	inside := make(map[int]int)
	for _, p := range r.pairs {
		if of[p[0]] == of[p[1]] {
			inside[of[p[0]]]++
		}
	}
	texts := make([][]string, 0, count)
	for _, c := range order[:min(len(order), count)] {
		nodes := groups[c]
		slices.SortFunc(nodes, func(a, b int) int { return cmp.Or(cmp.Compare(ranks[b], ranks[a]), cmp.Compare(a, b)) })
		x := api.Community{Size: len(nodes), Relations: inside[c]}
		first, err := r.read(ctx, m, nodes[:min(len(nodes), labelTexts)])
		if err != nil {
			return nil, err
		}
		var read []string
		for _, one := range first {
			if read = append(read, one.Content); len(x.Nodes) < shownMembers {
				x.Nodes = append(x.Nodes, api.Node{Memory: one})
			}
		}
		now := m.Clock()
		engine.HoldingFirst(x.Nodes, func(n api.Node) bool { return n.StateAt(now) == hippo.Holds })
		out.Communities, texts = append(out.Communities, x), append(texts, read)
	}
	labels, err := labelsOf(ctx, m, texts)
	for i := range out.Communities {
		out.Communities[i].Label = labels[i]
	}
	return out, err
}

// read returns the memories of nodes.
func (r *related) read(ctx context.Context, m *engine.Memories, nodes []int) ([]*hippo.Memory, error) {
	ids := make([]hippo.ID, len(nodes))
	for i, n := range nodes {
		ids[i] = r.ids[n]
	}
	return store.GetAll(ctx, m.Scoped, ids)
}
