package memorymcp

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/verb"
)

// The actions of knowledge_graph are also the names of older tools.
const (
	createEntity      = "create_entity"
	createRelation    = "create_relation"
	getRelated        = "get_related"
	detectCommunities = "detect_communities"
)

// The directions, and their older names.
const (
	outgoing = "outgoing"
	incoming = "incoming"
)

// relating returns the tools about entities and their relations.
func relating() []d.Tool {
	relation := verb.Table{
		{Name: "from_entity", Field: "from Relations", About: "an id, or the name of an entity", To: verb.New[record]},
		{Name: "to_entity", Field: "to", About: "an id", To: verb.New[record]},
		{Name: "relation_type", Field: "kind", To: verb.New[string]},
		{Name: "weight", Rules: verb.Between(0, 1, 1), To: verb.New[float64]},
		{Name: "valid_from", To: verb.New[verb.Time]},
		{Name: "valid_until", To: verb.New[verb.Time]},
	}
	related := verb.Table{
		{Name: "entity_id", To: verb.New[record]},
		{Name: "depth", Field: "Depth", Rules: verb.Between(1, api.MaxDepth, 1), To: verb.New[int]},
		{Name: "direction", Values: []string{outgoing, incoming, "both", "out", "in"}, Rules: verb.Schema{"default": outgoing}, To: verb.New[string]},
		{Name: "valid_at", Also: "as_of", About: "default: now", To: verb.New[verb.Time]},
		{Name: "known_at", To: verb.New[verb.Time]},
	}
	named := verb.Table{
		{Name: "name", To: verb.New[string]}, {Name: "entity_type", About: "person, project", To: verb.New[string]}, {Name: "description", To: verb.New[string]}, {Name: "user_id", Field: "Author source.author", To: verb.New[string]},
	}
	actions := []string{createEntity, createRelation, getRelated, detectCommunities}
	return []d.Tool{
		{
			Name: "knowledge_graph", Description: "Entities and their relations: create_entity (name), create_relation, get_related, detect_communities.", Call: callGraph,
			Params: slices.Concat(verb.Table{{Name: "action", Values: actions, Is: verb.Required, To: verb.New[string]}}, named, relation, related),
		},
		{Name: createEntity, Description: "Record an entity: a person, a project, a file.", Writes: true, Unlisted: true, Call: callCreateEntity, Params: named},
		{Name: createRelation, Description: "Relate two memories.", Writes: true, Unlisted: true, Call: callCreateRelation, Params: relation},
		{Name: getRelated, Description: "What is related to a memory, to a depth.", ReadOnly: true, Unlisted: true, Call: callRelated, Params: related},
		{Name: detectCommunities, Description: "Groups of memories that are related to each other.", ReadOnly: true, Unlisted: true, Call: callCommunities},
	}
}

func callGraph(ctx context.Context, c *d.Call) (d.Result, error) {
	switch c.Text("action") {
	case createEntity:
		return callCreateEntity(ctx, c)
	case createRelation:
		return callCreateRelation(ctx, c)
	case getRelated:
		return callRelated(ctx, c)
	default:
		return callCommunities(ctx, c)
	}
}

// created is the result of recording an entity. Existing: there was one of that name, which stays as it is.
type created struct {
	ID       string `json:"id"`
	Existing bool   `json:"existing,omitempty"`
}

// unknownType is the type of an entity for which none is given.
const unknownType = "unknown"

func callCreateEntity(ctx context.Context, c *d.Call) (d.Result, error) {
	if err := c.Require("an entity", "name"); err != nil {
		return d.Result{}, err
	}
	draft := knowledge.EntityDraft{Entity: hippo.Entity{Name: c.Text("name"), Kind: c.Text("entity_type"), Description: c.Text("description")}}
	if draft.Kind == unknownType {
		draft.Kind = ""
	}
	by := hippo.Source{Kind: hippo.SourceAgent, Client: "mcp", Author: c.Text("user_id")}
	e, err := knowledge.AddEntity(ctx, engine.As(c.Memories, hippo.Operation{By: by}), draft)
	existing := errors.Is(err, hippo.ErrConflict)
	if existing {
		e, err = knowledge.FindEntity(ctx, c.Memories, draft.Name)
	}
	if err != nil {
		return d.Result{}, err
	}
	return d.JSON(created{keyOf(e.ID), existing}, 1)
}

// declared is the result of relating; what it ended and what is in conflict with it stay visible.
type declared struct {
	ID        string `json:"id"`
	Replaced  []edge `json:"replaced,omitempty"`
	Ended     []edge `json:"ended,omitempty"`
	Conflicts []edge `json:"conflicts,omitempty"`
}

// edge is a relation as this system shows it. Its ID is made of what identifies it.
type edge struct {
	ID         string  `json:"id"`
	From       string  `json:"from_entity"`
	To         string  `json:"to_entity"`
	Kind       string  `json:"relation_type"`
	Weight     float64 `json:"weight"`
	ValidFrom  string  `json:"valid_from,omitempty"`
	ValidUntil string  `json:"valid_until,omitempty"`
}

func edgesOf(list []hippo.Relation) []edge {
	out := make([]edge, len(list))
	for i := range list {
		r := &list[i]
		from, to := keyOf(r.From), keyOf(r.To)
		out[i] = edge{from + "-" + r.Kind + "-" + to, from, to, r.Kind, wire.Round(r.Weight, 4), iso(r.ValidFrom), iso(r.ValidUntil)}
	}
	return out
}

func callCreateRelation(ctx context.Context, c *d.Call) (d.Result, error) {
	r := hippo.Relation{Kind: c.Text("relation_type"), Weight: c.Number("weight", 1)}
	if err := c.Require("a relation", "relation_type", "from_entity", "to_entity"); err != nil {
		return d.Result{}, err
	}
	from, err := find(ctx, c, anEntity, "from_entity")
	if err != nil {
		return d.Result{}, err
	}
	to, err := find(ctx, c, anEntity, "to_entity")
	if err != nil {
		return d.Result{}, err
	}
	if err := verb.Read(c.Now, c.Time("valid_from").Into(&r.ValidFrom), c.Time("valid_until").Into(&r.ValidUntil)); err != nil {
		return d.Result{}, err
	}
	r.From, r.To = from.ID, to.ID
	done, err := knowledge.Relate(ctx, c.Memories, []hippo.Relation{r})
	if err != nil {
		return d.Result{}, err
	}
	out := declared{ID: edgesOf(done.Declared)[0].ID, Replaced: edgesOf(done.Replaced), Ended: edgesOf(done.Closed), Conflicts: edgesOf(done.Conflicts)}
	return d.JSON(out, 1)
}

// related is what is near an entity, and what of it was left out.
type related struct {
	Entities      []entity `json:"entities"`
	Relations     []edge   `json:"relations"`
	EntityCount   int      `json:"entity_count"`
	RelationCount int      `json:"relation_count"`
	Truncated     bool     `json:"truncated"`
	Deferred      int      `json:"deferred_count,omitempty"`
	Frontier      []string `json:"frontier,omitempty"`
	// Degraded says what the history lacks of what was known at a time.
	Degraded []string `json:"degraded,omitempty"`
}

// entity is a memory of a graph.
type entity struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	EntityType  string `json:"entity_type"`
	Description string `json:"description,omitempty"`
	Distance    int    `json:"distance"`
}

// callRelated walks over what holds at a time. The entity itself is not in the answer.
func callRelated(ctx context.Context, c *d.Call) (d.Result, error) {
	m, err := find(ctx, c, anEntity, "entity_id")
	if err != nil {
		return d.Result{}, err
	}
	q := api.Neighbours{ID: m.ID, Depth: c.Int("depth", 1), Direction: directionOf(c.Text("direction"))}
	if err := verb.Read(c.Now, c.Time("valid_at").Into(&q.At.ValidAt), c.Time("known_at").Into(&q.At.KnownAt)); err != nil {
		return d.Result{}, err
	}
	if q.At.ValidAt.IsZero() {
		q.At.ValidAt = c.Now
	}
	g, err := knowledge.Neighbours(ctx, c.Memories, q)
	if err != nil {
		return d.Result{}, err
	}
	out := related{
		Entities: entitiesOf(g.Nodes[1:]), Relations: edgesOf(g.Relations), EntityCount: len(g.Nodes) - 1, RelationCount: len(g.Relations), Deferred: g.Omitted,
		Truncated: g.Omitted > 0 || len(g.Partial) > 0, Degraded: g.Degraded,
	}
	for _, id := range g.Frontier {
		out.Frontier = append(out.Frontier, keyOf(id))
	}
	return d.JSON(out, out.EntityCount)
}

func directionOf(text string) api.Direction {
	switch text {
	case "both":
		return api.DirectionBoth
	case incoming, "in":
		return api.DirectionIn
	default:
		return api.DirectionOut
	}
}

func entitiesOf(nodes []api.Node) []entity {
	out := make([]entity, len(nodes))
	for i, n := range nodes {
		out[i] = entity{ID: keyOf(n.ID), Name: n.Content, EntityType: typeOf(n.Memory), Distance: n.Distance}
		if n.IsEntity() {
			e := hippo.ParseEntity(n.Content)
			out[i].Name, out[i].EntityType, out[i].Description = e.Name, cmp.Or(e.Kind, unknownType), e.Description
		}
	}
	return out
}

// communities are groups of memories. Of each the first members are listed, and how many there are.
type communities struct {
	Communities [][]string `json:"communities"`
	Sizes       []int      `json:"sizes"`
	Labels      []string   `json:"labels"`
	Count       int        `json:"community_count"`
	EntityCount int        `json:"entity_count"`
}

// labelLength is the length of a label of a community, in characters.
const labelLength = 80

func callCommunities(ctx context.Context, c *d.Call) (d.Result, error) {
	l, err := knowledge.Communities(ctx, c.Memories, api.Communities{GraphFilter: api.GraphFilter{At: hippo.Moment{ValidAt: c.Now}}, Count: api.MaxCommunities})
	if err != nil {
		return d.Result{}, err
	}
	out := communities{Communities: [][]string{}, Sizes: []int{}, Labels: []string{}, Count: l.Total, EntityCount: l.Memories}
	for i := range l.Communities {
		x := &l.Communities[i]
		ids := make([]string, len(x.Nodes))
		for j, n := range x.Nodes {
			ids[j] = keyOf(n.ID)
		}
		out.Communities, out.Sizes = append(out.Communities, ids), append(out.Sizes, x.Size)
		out.Labels = append(out.Labels, cmp.Or(strings.Join(x.Label, ", "), wire.Clip(x.Nodes[0].Content, labelLength)))
	}
	return d.JSON(out, out.Count)
}
