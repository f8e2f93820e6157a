package graph

// Arcs returns the number of directed edges, parallel ones counted as one.
func (g *Graph) Arcs() int { return len(g.to) }

// Together is [together].
func Together(here, there func()) { together(here, there) }
