package web

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/history"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// graphBody is a drawing of what is related to a memory, at most two steps away.
type graphBody struct {
	Center item
	Nodes  []node
	Edges  []edge
	// Omitted counts the relations that were left out.
	Omitted int
}

// node is a memory in the drawing, which is 1000 units wide and 700 high.
type node struct {
	ID    hippo.ID
	X, Y  float64
	Step  int // from the memory in the middle
	Label string
	Left  bool // the label ends at the node
	angle float64
}

// edge is a relation in the drawing.
type edge struct {
	X1, Y1, X2, Y2 float64
	Kind           string
	Width          float64
	From, To       string // the labels of its ends
	Superseded     bool
}

// The bounds of a drawing: memories in the inner and the outer ring, and of the outer ring for one of the inner.
const (
	maxInner, maxOuter, maxFan = 12, 24, 4
	graphWidth, graphHeight    = 1000, 700
	nodeLabel                  = 21
)

// bond connects two memories: a relation, or a succession.
type bond struct {
	from, to hippo.ID
	kind     string
	weight   float64
}

func (b *bond) other(id hippo.ID) hippo.ID {
	if b.from == id {
		return b.to
	}
	return b.from
}

func showGraph(v *visit) (page, error) {
	ctx := v.r.Context()
	m, err := v.get(ctx)
	if err != nil {
		return page{}, err
	}
	inner, err := bondsOf(ctx, v, []hippo.ID{m.ID})
	if err != nil {
		return page{}, err
	}
	g := graphBody{Center: v.newItem(m)}
	placed := map[hippo.ID]*node{m.ID: {ID: m.ID, X: graphWidth / 2, Y: graphHeight / 2}}
	ring := neighbours(m.ID, inner, placed, maxInner)
	for i, id := range ring {
		placed[id] = at(id, 1, 2*math.Pi*float64(i)/float64(len(ring))-math.Pi/2)
	}
	bonds := inner
	if len(ring) > 0 {
		outer, err := bondsOf(ctx, v, ring)
		if err != nil {
			return page{}, err
		}
		placeOuter(ring, outer, placed)
		bonds = append(bonds, outer...)
	}
	if err := label(ctx, v, placed); err != nil {
		return page{}, err
	}
	g.draw(placed, bonds)
	return page{Title: "Relations", Content: graphContent(g)}, nil
}

// bondsOf returns what connects memories with others, the strongest first.
func bondsOf(ctx context.Context, v *visit, ids []hippo.ID) ([]bond, error) {
	list, err := knowledge.RelationsOf(ctx, v.memories, ids)
	if err != nil {
		return nil, err
	}
	var out []bond
	for _, r := range list {
		kind := kindName(r.Kind)
		if note := wire.StateWord(r.StateAt(v.now)); note != "" {
			kind += " (" + note + ")"
		}
		out = append(out, bond{r.From, r.To, kind, r.Weight})
	}
	ms, err := memory.Get(ctx, v.memories, ids)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		if !m.SupersededBy.IsZero() {
			out = append(out, bond{m.SupersededBy, m.ID, supersedes, 1})
		}
	}
	if len(ids) == 1 { // for more, each would be a scan
		old, err := history.Predecessors(ctx, v.memories, ids[0])
		if err != nil {
			return nil, err
		}
		for _, m := range old {
			out = append(out, bond{ids[0], m.ID, supersedes, 1})
		}
	}
	slices.SortStableFunc(out, func(a, b bond) int { return cmp.Compare(b.weight, a.weight) })
	return out, nil
}

// supersedes is the kind of a succession in the drawing.
const supersedes = "supersedes"

// neighbours returns the memories that are connected with id and not placed yet, at most limit.
func neighbours(id hippo.ID, bonds []bond, placed map[hippo.ID]*node, limit int) []hippo.ID {
	var out []hippo.ID
	for i := range bonds {
		if bonds[i].from != id && bonds[i].to != id {
			continue
		}
		other := bonds[i].other(id)
		if placed[other] == nil && !slices.Contains(out, other) && len(out) < limit {
			out = append(out, other)
		}
	}
	return out
}

// placeOuter places the neighbours of the inner ring beyond it, each near the first memory that it belongs to.
func placeOuter(ring []hippo.ID, bonds []bond, placed map[hippo.ID]*node) {
	sector := 2 * math.Pi / float64(len(ring))
	left := maxOuter
	for _, id := range ring {
		fan := neighbours(id, bonds, placed, min(maxFan, left))
		left -= len(fan)
		for j, other := range fan {
			spread := min(sector, math.Pi/2) * (float64(j+1)/float64(len(fan)+1) - .5)
			placed[other] = at(other, 2, placed[id].angle+spread)
		}
	}
}

// at returns a node on the ring of a step.
func at(id hippo.ID, step int, angle float64) *node {
	rx, ry := 210.0, 190.0
	if step == 2 {
		rx, ry = 310, 320
	}
	x := graphWidth/2 + rx*math.Cos(angle)
	return &node{ID: id, Step: step, X: x, Y: graphHeight/2 + ry*math.Sin(angle), Left: x < graphWidth/2-1, angle: angle}
}

// label reads the texts of the nodes; those that are forgotten or gone are left out.
func label(ctx context.Context, v *visit, placed map[hippo.ID]*node) error {
	ids := make([]hippo.ID, 0, len(placed))
	for id := range placed {
		ids = append(ids, id)
	}
	ms, err := memory.Get(ctx, v.memories, ids)
	if err != nil {
		return err
	}
	for _, m := range ms {
		placed[m.ID].Label = drawnLabel(m.Content, m.StateAt(v.now))
	}
	return nil
}

// drawnLabel returns the beginning of a content, with the state of a memory that does not hold.
func drawnLabel(content string, s hippo.State) string {
	if word := wire.StateWord(s); word != "" {
		return wire.Clip(content, nodeLabel) + " (" + word + ")"
	}
	return wire.Clip(content, nodeLabel)
}

// draw collects nodes and edges, in a fixed order.
func (g *graphBody) draw(placed map[hippo.ID]*node, bonds []bond) {
	for _, n := range placed {
		g.Nodes = append(g.Nodes, *n)
	}
	slices.SortFunc(g.Nodes, func(a, b node) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.angle, b.angle), a.ID.Compare(b.ID))
	})
	seen := make(map[bond]bool)
	for _, b := range bonds {
		from, to := placed[b.from], placed[b.to]
		key := bond{from: b.from, to: b.to, kind: b.kind}
		switch {
		case seen[key]:
		case from == nil || to == nil:
			g.Omitted++
		default:
			g.Edges = append(g.Edges, edge{from.X, from.Y, to.X, to.Y, b.kind, 1 + 3*share(b.weight), from.Label, to.Label, b.kind == supersedes})
		}
		seen[key] = true
	}
}
