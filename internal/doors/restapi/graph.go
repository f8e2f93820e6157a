package restapi

import (
	"cmp"
	"context"
	"net/http"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/verb"
)

// ofGraph lists the operations about the graph of relations.
func ofGraph() []operation {
	return []operation{
		{
			method: get, path: "/graph/neighbours", id: "neighbours", summary: "List what is related to a memory, and what is related to that", rights: read,
			input: func() input { return &neighboursInput{} }, answer: wire.Subgraph{},
		},
		{
			method: get, path: "/graph/path", id: "path", summary: "Find the shortest paths between two memories", rights: read,
			input: func() input { return &pathInput{} }, answer: wire.PathList{},
		},
		{
			method: get, path: "/graph/communities", id: "communities", summary: "Group all memories by their relations", rights: read,
			input: func() input { return &communitiesInput{} }, answer: wire.CommunityList{},
		},
		{
			method: get, path: "/graph/drawing", id: "draw", summary: "Draw what is near a memory, for Mermaid or Graphviz", rights: read,
			input: func() input { return &drawInput{} }, answer: drawing{},
		},
	}
}

// graphInput says which relations count.
type graphInput struct {
	depth, limit int
	direction    string
	kinds        []string
	learned      bool
	at           verb.Moment
}

// fields lists all but the depth and the direction.
func (in *graphInput) args(most, usual int) []verb.Arg {
	return append([]verb.Arg{
		{Name: "kind", To: &in.kinds, About: "only relations of these kinds"},
		{Name: "learned", To: &in.learned, About: "include relations learned from use"},
		{Name: "limit", To: &in.limit, Rules: verb.Schema{"minimum": 1, "maximum": most, "default": usual}},
	}, in.at.Args()...)
}

// walk lists the fields of a walk.
func (in *graphInput) walk(most, usual, depth int) []verb.Arg {
	directions := []string{string(api.DirectionBoth), string(api.DirectionOut), string(api.DirectionIn)}
	return append(in.args(most, usual),
		verb.Arg{Name: "depth", To: &in.depth, About: "how many relations away", Rules: verb.Schema{"minimum": 1, "maximum": api.MaxDepth, "default": depth}},
		verb.Arg{Name: "direction", To: &in.direction, Values: directions, Rules: verb.Schema{"default": api.DirectionBoth}},
	)
}

func (in *graphInput) filter(r *request) (f api.GraphFilter, err error) {
	f.Kinds, f.Learned = in.kinds, in.learned
	f.At, err = in.at.Moment(r.now())
	return f, err
}

const usualNodes = 100

type neighboursInput struct {
	id verb.End
	graphInput
}

func (in *neighboursInput) Args() []verb.Arg {
	return append(in.walk(api.MaxNodes, usualNodes, 1), verb.Arg{Name: "id", To: &in.id, Is: verb.Required})
}

func (in *neighboursInput) call(ctx context.Context, r *request) (reply, error) {
	g, err := in.subgraph(ctx, r, 1)
	if err != nil {
		return reply{}, err
	}
	out, err := wire.SubgraphOf(g, r.server.Now())
	return reply{status: http.StatusOK, data: out, count: len(g.Nodes)}, err
}

func (in *neighboursInput) subgraph(ctx context.Context, r *request, depth int) (*api.Subgraph, error) {
	id, err := in.id.Resolve(ctx, r.Memories)
	if err != nil {
		return nil, err
	}
	filter, err := in.filter(r)
	if err != nil {
		return nil, err
	}
	return engine.Neighbours(ctx, r.Memories, api.Neighbours{
		ID: id, Depth: cmp.Or(in.depth, depth), Direction: api.Direction(in.direction), GraphFilter: filter, Count: cmp.Or(in.limit, usualNodes),
	})
}

type pathInput struct {
	from, to verb.End
	graphInput
}

const usualPaths, usualPathDepth = 10, 5

func (in *pathInput) Args() []verb.Arg {
	return append(in.walk(api.MaxPaths, usualPaths, usualPathDepth),
		verb.Arg{Name: "from", To: &in.from, Is: verb.Required}, verb.Arg{Name: "to", To: &in.to, Is: verb.Required})
}

func (in *pathInput) call(ctx context.Context, r *request) (reply, error) {
	var ids [2]hippo.ID
	for i, ref := range []verb.End{in.from, in.to} {
		var err error
		if ids[i], err = ref.Resolve(ctx, r.Memories); err != nil {
			return reply{}, err
		}
	}
	filter, err := in.filter(r)
	if err != nil {
		return reply{}, err
	}
	l, err := engine.Paths(ctx, r.Memories, api.Paths{
		From: ids[0], To: ids[1], Depth: in.depth, Direction: api.Direction(in.direction), GraphFilter: filter, Count: cmp.Or(in.limit, usualPaths),
	})
	if err != nil {
		return reply{}, err
	}
	out, err := wire.PathsOf(l, r.server.Now())
	return reply{status: http.StatusOK, data: out, count: len(l.Paths)}, err
}

type communitiesInput struct{ graphInput }

func (in *communitiesInput) Args() []verb.Arg {
	const usual = 20
	return in.args(api.MaxCommunities, usual)
}

func (in *communitiesInput) call(ctx context.Context, r *request) (reply, error) {
	filter, err := in.filter(r)
	if err != nil {
		return reply{}, err
	}
	l, err := engine.Communities(ctx, r.Memories, api.Communities{GraphFilter: filter, Count: in.limit})
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.CommunitiesOf(l, r.server.Now()), count: len(l.Communities)}, nil
}

type drawInput struct {
	neighboursInput
	format string
}

// drawing is a graph in a language of drawings.
type drawing struct {
	Format string `json:"format"`
	Text   string `json:"text"`
	wire.GraphBounds
}

func (in *drawInput) Args() []verb.Arg {
	return append(in.walk(api.MaxNodes, usualNodes, 2), verb.Arg{Name: "id", To: &in.id, Is: verb.Required},
		verb.Arg{Name: "format", To: &in.format, Values: []string{wire.Mermaid, wire.Graphviz}, Rules: verb.Schema{"default": wire.Mermaid}})
}

func (in *drawInput) call(ctx context.Context, r *request) (reply, error) {
	g, err := in.subgraph(ctx, r, 2)
	if err != nil {
		return reply{}, err
	}
	format := cmp.Or(in.format, wire.Mermaid)
	text, err := wire.Draw(g, format, r.server.Now())
	return reply{status: http.StatusOK, data: drawing{format, text, wire.GraphBounds(g.GraphBounds)}, count: len(g.Nodes)}, err
}
