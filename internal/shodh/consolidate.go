package shodh

import "context"

// consolidation is the answer of consolidate: how many memories were looked at and archived, and how many
// associations were found.
type consolidation struct {
	Success      bool `json:"success"`
	Processed    int  `json:"processed"`
	Archived     int  `json:"archived"`
	Associations int  `json:"associations_created"`
}

// consolidate consolidates nothing. Decay and association, which the document names, happen all the time, and nothing is
// archived by itself, so there is nothing left to do for any horizon.
func consolidate(context.Context, *call) (reply, error) {
	return reply{body: consolidation{Success: true}}, nil
}

// clusters is the answer of GET /api/clusters.
type clusters struct {
	Clusters []cluster `json:"clusters"`
	Count    int       `json:"count"`
}

// cluster is a group of similar memories.
type cluster struct {
	ID             int    `json:"id"`
	Size           int    `json:"size"`
	LastRecomputed string `json:"last_recomputed"`
}

// listClusters lists none: memories are not clustered.
func listClusters(context.Context, *call) (reply, error) {
	return reply{body: clusters{Clusters: []cluster{}}}, nil
}
