package restapi

import (
	"context"
	"net/http"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/verb"
)

// ofGraph lists the operations about the graph of relations.
func ofGraph() []operation {
	return []operation{
		{
			method: get, path: "/graph/neighbours", id: "neighbours", summary: "List what is related to a memory, and what is related to that", rights: read,
			input: func() input { return &neighboursInput{verb.NewNeighbours(1)} }, answer: wire.Subgraph{},
		},
		{
			method: get, path: "/graph/path", id: "path", summary: "Find the shortest paths between two memories", rights: read,
			input: func() input { return &pathInput{verb.NewPaths()} }, answer: wire.PathList{},
		},
		{
			method: get, path: "/graph/communities", id: "communities", summary: "Group all memories by their relations", rights: read,
			input: func() input { return &communitiesInput{verb.NewCommunities()} }, answer: wire.CommunityList{},
		},
		{
			method: get, path: "/graph/drawing", id: "draw", summary: "Draw what is near a memory, for Mermaid or Graphviz", rights: read,
			input: func() input { return &drawInput{verb.NewDrawing()} }, answer: drawing{},
		},
	}
}

type neighboursInput struct{ *verb.Neighbours }

func (in *neighboursInput) call(ctx context.Context, r *request) (reply, error) {
	g, err := in.subgraph(ctx, r)
	if err != nil {
		return reply{}, err
	}
	out, err := wire.SubgraphOf(g, r.server.Now())
	return reply{status: http.StatusOK, data: out, count: len(g.Nodes)}, err
}

func (in *neighboursInput) subgraph(ctx context.Context, r *request) (*api.Subgraph, error) {
	q, err := in.Request(r.now())
	if err != nil {
		return nil, err
	}
	if q.ID, err = in.ID.Resolve(ctx, r.Memories); err != nil {
		return nil, err
	}
	return knowledge.Neighbours(ctx, r.Memories, q)
}

type pathInput struct{ *verb.Paths }

func (in *pathInput) call(ctx context.Context, r *request) (reply, error) {
	q, err := in.Request(r.now())
	if err != nil {
		return reply{}, err
	}
	if q.From, err = in.From.Resolve(ctx, r.Memories); err != nil {
		return reply{}, err
	}
	if q.To, err = in.To.Resolve(ctx, r.Memories); err != nil {
		return reply{}, err
	}
	l, err := knowledge.Paths(ctx, r.Memories, q)
	if err != nil {
		return reply{}, err
	}
	out, err := wire.PathsOf(l, r.server.Now())
	return reply{status: http.StatusOK, data: out, count: len(l.Paths)}, err
}

type communitiesInput struct{ *verb.Communities }

func (in *communitiesInput) call(ctx context.Context, r *request) (reply, error) {
	q, err := in.Request(r.now())
	if err != nil {
		return reply{}, err
	}
	l, err := knowledge.Communities(ctx, r.Memories, q)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.CommunitiesOf(l, r.server.Now()), count: len(l.Communities)}, nil
}

type drawInput struct{ *verb.Drawing }

// drawing is a graph in a language of drawings.
type drawing struct {
	Format string `json:"format"`
	Text   string `json:"text"`
	wire.GraphBounds
}

func (in *drawInput) call(ctx context.Context, r *request) (reply, error) {
	g, err := (&neighboursInput{in.Neighbours}).subgraph(ctx, r)
	if err != nil {
		return reply{}, err
	}
	text, err := wire.Draw(g, in.Format, r.server.Now())
	return reply{status: http.StatusOK, data: drawing{in.Format, text, wire.GraphBounds(g.GraphBounds)}, count: len(g.Nodes)}, err
}
