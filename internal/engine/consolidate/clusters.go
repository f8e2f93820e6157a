package consolidate

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// group is a fine cluster with its items.
type group struct {
	label   []string
	weights map[uint32]float64 // of terms, how telling they are of the group
	members []central          // the most central first
	density float64
}

// central is the position of an item in its corpus, with its cosine with the centroid of its cluster.
type central struct {
	at     int
	cosine float64
}

// maxDepth is how often a cluster is divided at most: three times is enough for 100,000 memories, and vectors that
// lie on a line would be divided one by one.
const maxDepth = 6

// clusters computes the topics and the groups of a project, and returns the groups.
func (s *state) clusters(c *corpus) ([]group, error) {
	all := make([]int, 0, len(c.items))
	for i := range c.items {
		if c.items[i].code.Scale != 0 {
			all = append(all, i)
		}
	}
	if len(all) < least {
		return nil, nil
	}
	o := divider{c, &s.options.Clusters, s.stop}
	topics, err := o.divide(all, o.K, restarts(len(all)))
	if err != nil {
		return nil, err
	}
	var groups []group
	for _, t := range topics {
		topic, err := c.groupOf(s.stop, t, o.Words)
		if err != nil {
			return nil, err
		}
		at := len(s.plan.Topics)
		s.plan.Topics = append(s.plan.Topics, c.cluster(&topic, at))
		parts, err := o.refine(t, 1)
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			g, err := c.groupOf(s.stop, p, o.Words)
			if err != nil {
				return nil, err
			}
			groups = append(groups, g)
			s.plan.Groups = append(s.plan.Groups, c.cluster(&g, at))
		}
	}
	return groups, nil
}

// divider divides the items of a corpus.
type divider struct {
	*corpus
	*Clustering
	stop pause
}

// divide returns the clusters of items, by position, the one with the smallest ID first; k 0 chooses their number.
func (d divider) divide(at []int, k, runs int) ([][]int, error) {
	if k == 0 {
		k = clustersFor(len(at))
	}
	codes := make([]vector.Code, len(at))
	for i, x := range at {
		codes[i] = d.items[x].code
	}
	lists, err := divide(d.stop, codes, max(fewest, min(k, len(at))), runs, d.Clustering)
	if err != nil {
		return nil, err
	}
	for _, l := range lists {
		for i := range l {
			l[i] = at[l[i]]
		}
	}
	slices.SortFunc(lists, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return lists, nil
}

// refine divides a cluster until its parts are small enough.
func (d divider) refine(at []int, depth int) ([][]int, error) {
	if len(at) <= max(d.Group, least) || depth == maxDepth {
		return [][]int{at}, nil
	}
	parts, err := d.divide(at, 0, 1)
	if err != nil || len(parts) == 1 {
		return [][]int{at}, err
	}
	var out [][]int
	for _, p := range parts {
		smaller, err := d.refine(p, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, smaller...)
	}
	return out, nil
}

// groupOf describes a cluster of items.
func (c *corpus) groupOf(stop pause, at []int, words int) (g group, err error) {
	sum := make([]float64, len(c.items[at[0]].code.Hi))
	for k, i := range at {
		if err := stop.at(k, checkEvery); err != nil {
			return g, err
		}
		add(sum, &c.items[i].code)
	}
	centroid := direction(sum, c.items[at[0]].code)
	g.members = make([]central, len(at))
	total := 0.0
	for k, i := range at {
		if err := stop.at(k, checkEvery); err != nil {
			return g, err
		}
		g.members[k] = central{i, vector.Cosine(&centroid, &c.items[i].code)}
		total += g.members[k].cosine
	}
	g.density = pairwise(total, len(at))
	// Items are in the order of their IDs.
	slices.SortFunc(g.members, func(a, b central) int { return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.at, b.at)) })
	if g.weights, err = c.telling(stop, at); err != nil {
		return g, err
	}
	g.label = c.label(&g, words)
	return g, nil
}

// cluster returns a group as a part of a plan.
func (c *corpus) cluster(g *group, topic int) api.Cluster {
	out := api.Cluster{Project: c.items[0].Project, Topic: topic, Label: g.label, Members: make([]hippo.ID, len(g.members)), Density: g.density}
	for i, m := range g.members {
		out.Members[i] = c.items[m.at].ID
	}
	return out
}

// pairwise is the mean cosine of two of n vectors of length 1, given the sum of their cosines with their centroid. That is
// the length of their sum, whose square adds up the cosines of all pairs both ways, and n of each with itself.
func pairwise(total float64, n int) float64 {
	if n == 1 {
		return 1
	}
	return (float64(total*total) - float64(n)) / float64(n*(n-1))
}
