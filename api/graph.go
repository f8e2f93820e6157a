package api

import "github.com/hippo-memory/hippo"

// The bounds of walks. From each memory a walk follows the 100 strongest relations.
const (
	// MaxDepth is the most relations between the first memory of a walk and the last.
	MaxDepth = 10
	// MaxNodes is the most memories that a walk reaches.
	MaxNodes = hippo.MaxIDs
	// MaxPaths is the most paths of one answer.
	MaxPaths = 100
	// MaxCommunities is the most communities of one answer.
	MaxCommunities = 100
)

// Direction says along which end of relations a walk goes.
type Direction string

// The directions.
const (
	DirectionBoth Direction = "both" // the default
	DirectionOut  Direction = "out"  // from From to To
	DirectionIn   Direction = "in"   // from To to From
)

// GraphFilter says which relations a graph has.
type GraphFilter struct {
	// Kinds keeps relations of any of these kinds; nil: all that were declared.
	Kinds []string
	// Learned keeps those of [hippo.CoRecalled] as well, if Kinds is nil.
	Learned bool
	// At, with ValidAt, keeps those that hold then; otherwise those that do not hold now are part of the graph as well.
	At hippo.Moment
}

// Neighbours returns the memories within a number of relations of a memory. The answer is a [Subgraph].
type Neighbours struct {
	// ID is where the walk begins; an unknown one is a [*hippo.UnknownError].
	ID hippo.ID
	// Depth is how many relations away, 1 to [MaxDepth]; 0 means 1.
	Depth int
	// Direction is [DirectionBoth] if it is empty.
	Direction Direction
	GraphFilter
	// Count is the most memories in the answer, the first included; 0 means [MaxNodes], which is also the most.
	Count int
}

// Node is a memory of a graph.
type Node struct {
	*hippo.Memory
	// Distance is how many relations it is from where the walk began.
	Distance int
}

// Subgraph is what a walk reached, and what it left out.
type Subgraph struct {
	// Nodes are the memories, the nearest first; of one distance those that hold first, in the order in which the walk reached
	// them, the strongest relation of the first memory first.
	Nodes []Node
	// Relations are those that the walk read between the nodes, by From, To and Kind, those that hold first, with their weights at
	// the moment.
	Relations []hippo.Relation
	GraphBounds
}

// GraphBounds are what an answer leaves out.
type GraphBounds struct {
	// Frontier are the nodes whose relations were not read: the next walk may begin there.
	Frontier []hippo.ID
	// Partial are the nodes of which only the 100 strongest relations were followed.
	Partial []hippo.ID
	// Omitted counts the memories that were found, and are beyond the count.
	Omitted int
	// Degraded says what the history lacks of what was known at a time; nil otherwise.
	Degraded []string
}

// Paths asks how two memories are connected. The answer is a [PathList].
type Paths struct {
	// From and To are the ends; unknown IDs are a [*hippo.UnknownError].
	From, To hippo.ID
	// Depth is the longest path, in relations, 1 to [MaxDepth]; 0 means 5.
	Depth int
	// Direction is seen from From; it is [DirectionBoth] if it is empty.
	Direction Direction
	GraphFilter
	// Count is the most paths; 0 means [MaxPaths], which is also the most.
	Count int
}

// Path leads from one memory to another; Relations[i] joins IDs[i] and IDs[i+1], and is the strongest that does.
type Path struct {
	IDs       []hippo.ID
	Relations []hippo.Relation
}

// PathList are the shortest paths between two memories: none, or all of one length, at most [Paths.Count].
type PathList struct {
	Paths []Path
	// Nodes are the memories of the paths, in their order, each once; the distance is that from the first.
	Nodes []Node
	// More: there are more shortest paths.
	More bool
	// Frontier, Partial and Omitted are of the walks from both ends: if any of them is set, a path may have been missed, or a
	// shorter one.
	GraphBounds
}

// Communities asks for groups of memories that are related to each other more than to others. The answer is a [CommunityList].
type Communities struct {
	GraphFilter
	// Count is the most communities; 0 means 20, the most is [MaxCommunities].
	Count int
}

// Community is a group of memories, connected by relations.
type Community struct {
	// Size is the number of its memories, Relations that of the relations between them.
	Size, Relations int
	// Label are the words that distinguish it from the rest of the store, the most characteristic first, at most four. It may
	// be empty.
	Label []string
	// Nodes are the first ten, those that a walk over all relations visits most often first, of these those
	// that hold first. Their distance is 0.
	Nodes []Node
}

// CommunityList is the communities of a scope, the largest first.
type CommunityList struct {
	Communities []Community
	// Total is the number of communities, Memories that of the memories in them, Relations that of the relations.
	Total, Memories, Relations int
	// Modularity is the share of the relations within communities, by weight, less what chance gives.
	Modularity float64
	// Degraded says what the history lacks of what was known at a time; nil otherwise.
	Degraded []string
}
