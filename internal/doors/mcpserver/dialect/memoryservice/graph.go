package memoryservice

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
)

// node is a memory that a walk reached.
type node struct {
	Hash     string `json:"hash"`
	Distance int    `json:"distance"`
	Type     string `json:"memory_type,omitempty"`
	Preview  string `json:"content"`
	// State is absent for a memory that holds.
	State hippo.State `json:"state,omitempty"`
}

// edge is a relation between two nodes.
type edge struct {
	Source string  `json:"source"`
	Target string  `json:"target"`
	Type   string  `json:"relationship_type"`
	Weight float64 `json:"similarity"`
	// State is absent for a relation that holds.
	State hippo.State `json:"state,omitempty"`
}

// graph is what a walk reached, the nearest first.
type graph struct {
	Nodes     []node `json:"nodes"`
	Edges     []edge `json:"edges"`
	Truncated bool   `json:"truncated,omitempty"`
}

// graphOf returns a subgraph with hashes.
func graphOf(from *api.Subgraph, now time.Time) *graph {
	out := &graph{Nodes: []node{}, Edges: []edge{}, Truncated: from.Omitted > 0 || len(from.Partial) > 0}
	hash := make(map[hippo.ID]string, len(from.Nodes))
	for _, m := range from.Nodes {
		hash[m.ID] = d.HashOf(m.Memory)
		out.Nodes = append(out.Nodes, node{Hash: hash[m.ID], Distance: m.Distance, Type: m.Type, Preview: preview(m.Memory), State: wire.StateOf(m.Memory, now)})
	}
	for _, r := range from.Relations {
		out.Edges = append(out.Edges, edge{hash[r.From], hash[r.To], r.Kind, wire.Round(r.Weight, 4), wire.RelationState(&r, now)})
	}
	return out
}

// filterOf returns which relations a call asks for.
func filterOf(c *d.Call) api.GraphFilter {
	if kind := c.Text("rel_type"); kind != "" {
		return api.GraphFilter{Kinds: []string{kind}}
	}
	return api.GraphFilter{Learned: true}
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
	if err := c.Require("action "+c.Text("action"), "hash"); err != nil {
		return nil, err
	}
	m, err := findOne(ctx, c, "hash")
	if err != nil {
		return nil, err
	}
	g, err := knowledge.Neighbours(ctx, c.Memories, api.Neighbours{ID: m.ID, Depth: depth, GraphFilter: filterOf(c)})
	if err != nil {
		return nil, err
	}
	return graphOf(g, c.Now), nil
}

// path finds the shortest path, in whichever direction relations point.
func path(ctx context.Context, c *d.Call) (d.Result, error) {
	if err := c.Require("action path", "hash1", "hash2"); err != nil {
		return d.Result{}, err
	}
	var ends [2]*hippo.Memory
	for i, name := range []string{"hash1", "hash2"} {
		var err error
		if ends[i], err = findOne(ctx, c, name); err != nil {
			return d.Result{}, err
		}
	}
	list, err := knowledge.Paths(ctx, c.Memories, api.Paths{From: ends[0].ID, To: ends[1].ID, Depth: c.Int("max_depth", 5), GraphFilter: filterOf(c), Count: 1})
	if err != nil {
		return d.Result{}, err
	}
	if len(list.Paths) == 0 {
		return d.JSON(map[string]any{"found": false, "path": []string{}, "length": 0}, 0)
	}
	ms := make([]*hippo.Memory, len(list.Nodes))
	for i := range list.Nodes {
		ms[i] = list.Nodes[i].Memory
	}
	return d.JSON(map[string]any{"found": true, "path": hashes(ms), "length": len(ms) - 1}, len(ms))
}
