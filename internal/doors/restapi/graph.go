package restapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
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

// namedReference is a reference that may also be the name of an entity.
type namedReference struct{ reference }

// set implements [value].
func (r *namedReference) set(name string, raw json.RawMessage) error {
	r.name = name
	if err := set(name, raw, &r.text); err != nil {
		return err
	}
	if len(r.text) > hippo.MaxEntityName {
		return hippo.Fieldf(name, "must be at most %d bytes, got %d", hippo.MaxEntityName, len(r.text))
	}
	return nil
}

// schema implements [value].
func (*namedReference) schema() schema {
	return schema{"type": "string", "minLength": 1, "maxLength": hippo.MaxEntityName, "description": aboutID + ", or the name of an entity"}
}

// named returns the ID of a reference that may be a name.
func (r *request) named(ctx context.Context, ref namedReference) (hippo.ID, error) {
	id, err := engine.ResolveNamed(ctx, r.Memories, ref.text, api.PreferLive)
	if errIs[*hippo.AmbiguousError](err) {
		return id, hippo.Fieldf(ref.name, "%v", err)
	}
	return id, err
}

// graphInput says which relations count.
type graphInput struct {
	depth, limit int
	direction    string
	kinds        []string
	learned      bool
	at           momentInput
}

// fields lists all but the depth and the direction.
func (in *graphInput) fields(most, usual int) []field {
	return append([]field{
		{name: "kind", in: inQuery, to: &in.kinds, about: "only relations of these kinds"},
		{name: "learned", in: inQuery, to: &in.learned, about: "include relations learned from use"},
		{name: "limit", in: inQuery, to: &in.limit, rules: schema{"minimum": 1, "maximum": most, "default": usual}},
	}, in.at.fields(inQuery)...)
}

// walk lists the fields of a walk.
func (in *graphInput) walk(most, usual, depth int) []field {
	directions := []string{string(api.DirectionBoth), string(api.DirectionOut), string(api.DirectionIn)}
	return append(in.fields(most, usual),
		field{name: "depth", in: inQuery, to: &in.depth, about: "how many relations away", rules: schema{"minimum": 1, "maximum": api.MaxDepth, "default": depth}},
		field{name: "direction", in: inQuery, to: &in.direction, words: directions, rules: schema{"default": api.DirectionBoth}},
	)
}

func (in *graphInput) filter(r *request) (f api.GraphFilter, err error) {
	f.Kinds, f.Learned = in.kinds, in.learned
	f.At, err = in.at.value(r)
	return f, err
}

const usualNodes = 100

type neighboursInput struct {
	id namedReference
	graphInput
}

func (in *neighboursInput) fields() []field {
	return append(in.walk(api.MaxNodes, usualNodes, 1), field{name: "id", in: inQuery, to: &in.id, required: true})
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
	id, err := r.named(ctx, in.id)
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
	from, to namedReference
	graphInput
}

const usualPaths, usualPathDepth = 10, 5

func (in *pathInput) fields() []field {
	return append(in.walk(api.MaxPaths, usualPaths, usualPathDepth),
		field{name: "from", in: inQuery, to: &in.from, required: true}, field{name: "to", in: inQuery, to: &in.to, required: true})
}

func (in *pathInput) call(ctx context.Context, r *request) (reply, error) {
	var ids [2]hippo.ID
	for i, ref := range []namedReference{in.from, in.to} {
		var err error
		if ids[i], err = r.named(ctx, ref); err != nil {
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

func (in *communitiesInput) fields() []field {
	const usual = 20
	return in.graphInput.fields(api.MaxCommunities, usual)
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

func (in *drawInput) fields() []field {
	return append(in.walk(api.MaxNodes, usualNodes, 2), field{name: "id", in: inQuery, to: &in.id, required: true},
		field{name: "format", in: inQuery, to: &in.format, words: []string{wire.Mermaid, wire.Graphviz}, rules: schema{"default": wire.Mermaid}})
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
