package wire

import (
	"encoding/json"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// GraphNode is an insight of a graph.
type GraphNode struct {
	UUID     hippo.ID `json:"uuid"`
	Distance int      `json:"distance"`
	Type     string   `json:"type,omitempty"`
	Content  string   `json:"content"`
	// State is absent for an insight that holds.
	State hippo.State `json:"state,omitempty"`
}

// GraphBounds are what a graph leaves out.
type GraphBounds struct {
	Frontier []hippo.ID `json:"frontier,omitempty"`
	Partial  []hippo.ID `json:"partial,omitempty"`
	Omitted  int        `json:"omitted,omitempty"`
	Degraded []string   `json:"degraded,omitempty"`
}

// Subgraph is what is near an insight, as JSON.
type Subgraph struct {
	Nodes     []GraphNode       `json:"nodes"`
	Relations []json.RawMessage `json:"relations"`
	GraphBounds
}

// GraphPath is a path between two insights.
type GraphPath struct {
	UUIDs     []hippo.ID        `json:"uuids"`
	Relations []json.RawMessage `json:"relations"`
}

// PathList are paths between two insights, as JSON.
type PathList struct {
	Found bool        `json:"found"`
	Paths []GraphPath `json:"paths"`
	Nodes []GraphNode `json:"nodes"`
	More  bool        `json:"more,omitempty"`
	GraphBounds
}

// Community is a group of insights, as JSON.
type Community struct {
	Size      int         `json:"size"`
	Relations int         `json:"relations"`
	Label     []string    `json:"label"`
	Nodes     []GraphNode `json:"nodes"`
}

// CommunityList is the communities of a memory, as JSON.
type CommunityList struct {
	Communities []Community `json:"communities"`
	Total       int         `json:"total"`
	Insights    int         `json:"insights"`
	Relations   int         `json:"relations"`
	Modularity  float64     `json:"modularity"`
	Degraded    []string    `json:"degraded,omitempty"`
}

// CommunitiesOf returns communities as JSON.
func CommunitiesOf(l *api.CommunityList, now time.Time) *CommunityList {
	out := &CommunityList{Communities: []Community{}, Total: l.Total, Insights: l.Memories, Relations: l.Relations, Modularity: Round(l.Modularity, 4), Degraded: l.Degraded}
	for _, c := range l.Communities {
		out.Communities = append(out.Communities, Community{c.Size, c.Relations, append([]string{}, c.Label...), graphNodes(c.Nodes, now)})
	}
	return out
}

// SubgraphOf returns a subgraph as JSON. The error is that of [formats.EncodeRelation].
func SubgraphOf(g *api.Subgraph, now time.Time) (*Subgraph, error) {
	relations, err := RelationsOf(g.Relations, now)
	return &Subgraph{Nodes: graphNodes(g.Nodes, now), Relations: relations, GraphBounds: GraphBounds(g.GraphBounds)}, err
}

// PathsOf returns paths as JSON. The error is that of [formats.EncodeRelation].
func PathsOf(l *api.PathList, now time.Time) (*PathList, error) {
	out := &PathList{Found: len(l.Paths) > 0, Paths: []GraphPath{}, Nodes: graphNodes(l.Nodes, now), More: l.More, GraphBounds: GraphBounds(l.GraphBounds)}
	for _, p := range l.Paths {
		relations, err := RelationsOf(p.Relations, now)
		if err != nil {
			return nil, err
		}
		out.Paths = append(out.Paths, GraphPath{p.IDs, relations})
	}
	return out, nil
}

func graphNodes(list []api.Node, now time.Time) []GraphNode {
	out := make([]GraphNode, len(list))
	for i, n := range list {
		out[i] = GraphNode{UUID: n.ID, Distance: n.Distance, Type: n.Type, Content: n.Content, State: StateOf(n.Memory, now)}
	}
	return out
}
