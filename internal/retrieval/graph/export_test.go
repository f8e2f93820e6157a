package graph

// Arcs returns the number of directed edges, parallel ones counted as one.
func (g *Graph) Arcs() int { return len(g.to) }

// Together is [together].
func Together(here, there func()) { together(here, there) }

// Louvain returns communities by local moves and aggregation alone, numbered as by [Graph.Communities]. They need not be connected.
//
// Source: Blondel et al., Fast unfolding of communities in large networks, 2008.
func (g *Graph) Louvain() []int { return g.detect(g.move(identity(g.Nodes()), nil), false) }
