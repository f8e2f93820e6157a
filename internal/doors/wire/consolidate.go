package wire

import (
	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// Consolidation is what a consolidation did, or proposes, as JSON.
type Consolidation struct {
	Horizon api.Horizon `json:"horizon"`
	DryRun  bool        `json:"dry_run,omitempty"`
	// Operation undoes it; absent if nothing was changed.
	Operation hippo.ID `json:"operation,omitzero"`
	Memories  int      `json:"memories"`
	Topics    int      `json:"topics"`
	Groups    int      `json:"groups"`
	Consolidated
	// Actions are the first of each kind.
	Actions []Action `json:"actions"`
}

// Consolidated are the counts of a [Consolidation].
type Consolidated struct {
	Linked     int `json:"linked"`
	Summarised int `json:"summarised"`
	Archived   int `json:"archived"`
	Pruned     int `json:"pruned"`
	Rescored   int `json:"rescored"`
	Skipped    int `json:"skipped"`
	// Left are near-duplicates for the next runs.
	Left int `json:"left,omitempty"`
}

// Action is a change of a [Consolidation].
type Action struct {
	Kind   api.ActionKind `json:"kind"`
	UUID   hippo.ID       `json:"uuid,omitzero"`
	Reason string         `json:"reason"`
	// Others are what it is a duplicate of, or the members of a summary.
	Others []hippo.ID `json:"others,omitempty"`
	// Content is that of a summary.
	Content string `json:"content,omitempty"`
}

// ConsolidationOf returns a consolidation as JSON.
func ConsolidationOf(c *api.Consolidation) Consolidation {
	out := Consolidation{
		Horizon: c.Horizon, DryRun: c.DryRun, Operation: c.Operation, Memories: c.Memories, Topics: c.Topics, Groups: c.Groups,
		Consolidated: Consolidated{
			Linked: c.Linked, Summarised: c.Summarised, Archived: c.Archived, Pruned: c.Pruned, Rescored: c.Rescored, Skipped: c.Skipped, Left: c.Left,
		},
		Actions: make([]Action, len(c.Actions)),
	}
	for i := range c.Actions {
		a := &c.Actions[i]
		out.Actions[i] = Action{Kind: a.Kind, UUID: a.Memory, Reason: a.Reason, Others: a.Others, Content: a.Text}
	}
	return out
}

// Clusters are what memories are about, as JSON.
type Clusters struct {
	Memories int       `json:"memories"`
	Topics   []Cluster `json:"topics"`
	Groups   []Cluster `json:"groups"`
}

// Cluster is a set of similar memories. Topic is the position of the topic of a group.
type Cluster struct {
	Label   []string   `json:"label"`
	Project string     `json:"project,omitempty"`
	Topic   int        `json:"topic"`
	Size    int        `json:"size"`
	Density float64    `json:"density"`
	Members []hippo.ID `json:"members"`
}

// ClustersOf returns clusters as JSON.
func ClustersOf(c *api.ClusterList) Clusters {
	return Clusters{Memories: c.Memories, Topics: clustersOf(c.Topics), Groups: clustersOf(c.Groups)}
}

func clustersOf(list []api.Cluster) []Cluster {
	out := make([]Cluster, len(list))
	for i, c := range list {
		out[i] = Cluster{
			Label: append([]string{}, c.Label...), Project: c.Project, Topic: c.Topic, Size: len(c.Members), Density: Round(c.Density, 4), Members: c.Members,
		}
	}
	return out
}
