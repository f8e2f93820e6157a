package memoryservice

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	d "github.com/hippo-memory/hippo/internal/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/wire"
)

// maxNodes is the most memories that a walk visits; the result says when there are more.
const maxNodes = hippo.MaxIDs

// node is a memory that a walk reached.
type node struct {
	Hash     string `json:"hash"`
	Distance int    `json:"distance"`
	Type     string `json:"memory_type,omitempty"`
	Preview  string `json:"content"`
}

// edge is a relation between two nodes.
type edge struct {
	Source string  `json:"source"`
	Target string  `json:"target"`
	Type   string  `json:"relationship_type"`
	Weight float64 `json:"similarity"`
}

// graph is what a walk reached, the nearest first.
type graph struct {
	Nodes     []node `json:"nodes"`
	Edges     []edge `json:"edges"`
	Truncated bool   `json:"truncated,omitempty"`
}

// walk is a breadth-first search over the relations of memories.
type walk struct {
	order     []hippo.ID
	from      map[hippo.ID]hippo.ID // the predecessor
	distance  map[hippo.ID]int
	relations []hippo.Relation
	truncated bool
}

// walkFrom visits what is at most depth relations away, of one kind if it is not empty.
func walkFrom(ctx context.Context, c *d.Call, start hippo.ID, depth int, kind string) (*walk, error) {
	w := &walk{order: []hippo.ID{start}, from: map[hippo.ID]hippo.ID{}, distance: map[hippo.ID]int{start: 0}}
	known := make(map[hippo.Relation]bool)
	level := w.order
	for hop := 1; hop <= depth && len(level) > 0; hop++ {
		relations, err := c.Relations().Of(ctx, level)
		if err != nil {
			return nil, err
		}
		var next []hippo.ID
		for _, r := range relations {
			key := hippo.Relation{From: r.From, To: r.To, Kind: r.Kind}
			if kind != "" && r.Kind != kind || known[key] {
				continue
			}
			known[key] = true
			w.relations = append(w.relations, r)
			next = append(next, w.reach(r, hop)...)
		}
		level = next
	}
	return w, nil
}

// reach adds the ends of a relation that are new, and returns them.
func (w *walk) reach(r hippo.Relation, hop int) (found []hippo.ID) {
	for _, end := range [][2]hippo.ID{{r.From, r.To}, {r.To, r.From}} {
		at, known := w.distance[end[0]]
		if _, seen := w.distance[end[1]]; !known || at >= hop || seen {
			continue
		}
		if len(w.order) == maxNodes {
			w.truncated = true
			continue
		}
		w.order = append(w.order, end[1])
		w.distance[end[1]], w.from[end[1]] = hop, end[0]
		found = append(found, end[1])
	}
	return found
}

// graph returns the walk with hashes.
func (w *walk) graph(ctx context.Context, c *d.Call) (*graph, error) {
	ms, err := c.Get(ctx, w.order)
	if err != nil {
		return nil, err
	}
	out := &graph{Nodes: []node{}, Edges: []edge{}, Truncated: w.truncated}
	hash := make(map[hippo.ID]string, len(ms))
	for _, m := range ms {
		hash[m.ID] = d.HashOf(m)
		out.Nodes = append(out.Nodes, node{Hash: d.HashOf(m), Distance: w.distance[m.ID], Type: m.Type, Preview: preview(m)})
	}
	for _, r := range w.relations {
		if hash[r.From] != "" && hash[r.To] != "" {
			out.Edges = append(out.Edges, edge{hash[r.From], hash[r.To], r.Kind, wire.Round(r.Weight, 4)})
		}
	}
	return out, nil
}

const previewLength = 200

func preview(m *hippo.Memory) string {
	text := []rune(m.Content)
	return string(text[:min(len(text), previewLength)])
}

func callGraph(ctx context.Context, c *d.Call) (d.Result, error) {
	switch action := c.Text("action"); action {
	case "connected":
		g, err := around(ctx, c, c.Int("max_hops", 2))
		if err != nil {
			return d.Result{}, err
		}
		return d.JSON(map[string]any{"hash": g.Nodes[0].Hash, "connected": g.Nodes[1:], "total": len(g.Nodes) - 1}, len(g.Nodes)-1)
	case "subgraph":
		g, err := around(ctx, c, c.Int("radius", 2))
		if err != nil {
			return d.Result{}, err
		}
		return d.JSON(g, len(g.Nodes))
	case "path":
		return path(ctx, c)
	default:
		return d.Result{}, d.Missing("action " + action + ": relations are not inferred and there is no graph of entities; connected, path and subgraph read the relations that are there")
	}
}

func around(ctx context.Context, c *d.Call, depth int) (*graph, error) {
	if !c.Has("hash") {
		return nil, hippo.Fieldf("hash", "is required for action %s", c.Text("action"))
	}
	m, err := findOne(ctx, c, "hash")
	if err != nil {
		return nil, err
	}
	w, err := walkFrom(ctx, c, m.ID, depth, c.Text("rel_type"))
	if err != nil {
		return nil, err
	}
	return w.graph(ctx, c)
}

// path finds the shortest path, in whichever direction relations point.
func path(ctx context.Context, c *d.Call) (d.Result, error) {
	var ends [2]*hippo.Memory
	for i, name := range []string{"hash1", "hash2"} {
		if !c.Has(name) {
			return d.Result{}, hippo.Fieldf(name, "is required for action path")
		}
		var err error
		if ends[i], err = findOne(ctx, c, name); err != nil {
			return d.Result{}, err
		}
	}
	w, err := walkFrom(ctx, c, ends[0].ID, c.Int("max_depth", 5), c.Text("rel_type"))
	if err != nil {
		return d.Result{}, err
	}
	if _, ok := w.distance[ends[1].ID]; !ok {
		return d.JSON(map[string]any{"found": false, "path": []string{}, "length": 0}, 0)
	}
	ids := []hippo.ID{ends[1].ID}
	for ids[len(ids)-1] != ends[0].ID {
		ids = append(ids, w.from[ids[len(ids)-1]])
	}
	slices.Reverse(ids)
	ms, err := c.Get(ctx, ids)
	if err != nil {
		return d.Result{}, err
	}
	return d.JSON(map[string]any{"found": true, "path": hashes(ms), "length": len(ms) - 1}, len(ms))
}
