package graphtools

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// The actions of hippo_graph.
const (
	actionNeighbours  = "neighbours"
	actionPath        = "path"
	actionDraw        = "draw"
	actionCommunities = "communities"
	actionPage        = "entity"
	actionEntities    = "entities"
)

// The bounds of an answer: insights, paths, and characters of each content.
const (
	shownNodes, shownPaths = 50, 5
	shownContent           = 120
)

func graphTool() d.Tool {
	return d.Tool{
		Name:        "hippo_graph",
		Description: "Follow relations between insights: what is near one, the shortest paths between two, a drawing, or groups of all (communities); what is known of an entity, or a list of entities.",
		Params: verb.Table{
			{Name: "action", Values: []string{actionNeighbours, actionPath, actionDraw, actionCommunities, actionPage, actionEntities}, Rules: verb.Schema{"default": actionNeighbours}, To: verb.New[string]},
			{Name: "from", Also: "id source name", Field: "Relations name", About: "an id, or the name of an entity", To: verb.New[string]},
			{Name: "to", Also: "target", Field: "into", About: "of path", To: verb.New[string]},
			{Name: "depth", About: "default 2, of path 5", Rules: verb.Between(1, api.MaxDepth), To: verb.New[int]},
			{Name: "kinds", To: verb.New[[]string]},
			{Name: "direction", Values: []string{string(api.DirectionBoth), string(api.DirectionOut), string(api.DirectionIn)}, To: verb.New[string]},
			{Name: "format", Values: []string{verb.Mermaid, verb.Graphviz}, Rules: verb.Schema{"default": verb.Mermaid}, To: verb.New[string]},
			{Name: "as_of", To: verb.New[verb.Time]},
			{Name: "known_at", To: verb.New[verb.Time]},
		},
		Call: follow,
	}
}

func follow(ctx context.Context, c *d.Call) (d.Result, error) {
	filter, err := filterOf(c)
	if err != nil {
		return d.Result{}, err
	}
	switch c.Text("action") {
	case actionEntities:
		return entities(ctx, c)
	case actionCommunities:
		return communities(ctx, c, filter)
	}
	if err := c.Require("this action", "from"); err != nil {
		return d.Result{}, err
	}
	if c.Text("action") == actionPage {
		return page(ctx, c, filter.At)
	}
	id, err := resolve(ctx, c, "from")
	if err != nil {
		return d.Result{}, err
	}
	direction := api.Direction(c.Text("direction"))
	if c.Text("action") == actionPath {
		if err := c.Require("action path", "to"); err != nil {
			return d.Result{}, err
		}
		to, err := resolve(ctx, c, "to")
		if err != nil {
			return d.Result{}, err
		}
		l, err := knowledge.Paths(ctx, c.Memories, api.Paths{From: id, To: to, Depth: c.Int("depth", 5), Direction: direction, GraphFilter: filter, Count: shownPaths})
		if err != nil {
			return d.Result{}, err
		}
		return pathsText(c, l), nil
	}
	g, err := knowledge.Neighbours(ctx, c.Memories, api.Neighbours{ID: id, Depth: c.Int("depth", 2), Direction: direction, GraphFilter: filter, Count: shownNodes})
	if err != nil {
		return d.Result{}, err
	}
	if c.Text("action") == actionDraw {
		return draw(c, g, cmp.Or(c.Text("format"), verb.Mermaid))
	}
	lines := append(nodeLines(c, g.Nodes), written(c, "", g.Relations).Text, boundsText(&g.GraphBounds))
	return d.Result{Text: joinedLines(lines), Count: len(g.Nodes) - 1}, nil
}

// draw returns a drawing. What it leaves out is a comment of it, so that a program that draws accepts all of the text.
func draw(c *d.Call, g *api.Subgraph, format string) (d.Result, error) {
	text, err := wire.Draw(g, format, c.Now)
	if bounds := boundsText(&g.GraphBounds); bounds != "" {
		text += wire.DrawingComment(format, bounds)
	}
	return d.Result{Text: strings.TrimSuffix(text, "\n"), Count: len(g.Nodes)}, err
}

// filterOf reads which relations count.
func filterOf(c *d.Call) (filter api.GraphFilter, err error) {
	if kinds := c.Texts("kinds"); len(kinds) > 0 {
		filter.Kinds = kinds
	}
	filter.At, err = momentOf(c)
	return filter, err
}

// nodeLines returns a line for each node.
func nodeLines(c *d.Call, nodes []api.Node) []string {
	ids := make([]hippo.ID, len(nodes))
	for i, n := range nodes {
		ids[i] = n.ID
	}
	short := memory.ShortIDs(c.Memories, ids)
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = fmt.Sprintf("%d %s %s", n.Distance, short.Of(n.ID), wire.Marked(termtext.Disarm(termtext.Line(wire.Clip(n.Content, shownContent))), n.Memory, c.Now, short))
	}
	return out
}

// pathsText returns paths, the insights and relations of each in their order.
func pathsText(c *d.Call, l *api.PathList) d.Result {
	if len(l.Paths) == 0 {
		return d.Result{Text: joinedLines([]string{"No path.", boundsText(&l.GraphBounds)})}
	}
	lines := nodeLines(c, l.Nodes)
	for _, p := range l.Paths {
		lines = append(lines, "path:", written(c, "", p.Relations).Text)
	}
	if l.More {
		lines = append(lines, "There are more paths of this length.")
	}
	return d.Result{Text: joinedLines(append(lines, boundsText(&l.GraphBounds))), Count: len(l.Paths)}
}

// boundsText says what an answer leaves out; empty if nothing.
func boundsText(b *api.GraphBounds) string {
	var out []string
	for _, x := range []struct {
		n    int
		what string
	}{{b.Omitted, "found, not shown"}, {len(b.Partial), "with over 100 relations, of which the strongest were followed"}, {len(b.Frontier), "whose relations were not followed"}} {
		if x.n > 0 {
			out = append(out, wire.Counted(x.n, "insight")+" "+x.what)
		}
	}
	return strings.Join(append(out, b.Degraded...), "; ")
}

// joinedLines joins what is not empty.
func joinedLines(lines []string) string {
	var out []string
	for _, x := range lines {
		if x != "" {
			out = append(out, x)
		}
	}
	return strings.Join(out, "\n")
}
