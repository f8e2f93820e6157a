package hybrid

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/graph"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/entity"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// growth is the part of the graph of memories and entities that lies around the seeds.
type growth struct {
	reader    Reader
	weights   *Weights
	relations []hippo.Relation
	byKey     map[string]*node
	nodes     []*node                 // entities that take part
	rare      map[string]bool         // words, whether they are
	number    map[retrieve.Doc]uint32 // of memories; assigned at last
}

// node is an entity, or a situation element.
type node struct {
	kind      entity.Kind
	key, name string
	weight    float64 // of the edges
	restart   float64 // share of the restarts
	queried   bool
	docs      []retrieve.Doc // that mention it
}

// situation is the kind of a node that is a situation element.
const situation entity.Kind = "situation"

func newGrowth(r Reader, w *Weights) *growth {
	return &growth{reader: r, weights: w, byKey: make(map[string]*node), rare: make(map[string]bool), number: make(map[retrieve.Doc]uint32)}
}

// mention adds what the query and the seeds mention.
func (g *growth) mention(query []entity.Entity, seeds []seed, mentioned map[textKey][]entity.Entity) {
	total, walk, edges := 0.0, &g.weights.Walk, &g.weights.Edges
	for _, s := range seeds {
		total += s.weight
	}
	for _, x := range query {
		n := g.add(x.Kind, x.Norm, edges.Mention)
		n.restart += walk.QueryShare / float64(len(query))
		n.queried = true
	}
	for _, s := range seeds {
		entities, elements := mentioned[s.key], g.reader.Situation(s.doc)
		restart := (1 - walk.QueryShare) * s.weight / max(total, math.SmallestNonzeroFloat64) / float64(max(1, len(entities)+len(elements)))
		for _, x := range entities {
			n := g.add(x.Kind, x.Norm, edges.Mention)
			n.restart += restart
			n.docs = append(n.docs, s.doc)
		}
		for _, x := range elements {
			n := g.add(situation, x, edges.Situation)
			n.restart += restart
			n.docs = append(n.docs, s.doc)
		}
	}
}

func (g *growth) add(kind entity.Kind, name string, weight float64) *node {
	key := name
	if kind == situation {
		key = "\x00" + strings.ToLower(name)
	}
	n := g.byKey[key]
	if n == nil {
		n = &node{kind: kind, key: key, name: name, weight: weight}
		g.byKey[key] = n
	}
	return n
}

// choose finds who mentions the entities, and keeps those that most restarts are at. Entities
// that many mention, or that lead from one memory to none but itself, are left out.
func (g *growth) choose() {
	for _, n := range g.byKey {
		docs, more := g.mentioning(n)
		n.docs = append(n.docs, docs...)
		slices.Sort(n.docs)
		n.docs = slices.Compact(n.docs)
		if k := len(n.docs); !more && (k > 1 || k == 1 && n.queried) {
			n.restart /= float64(k)
			g.nodes = append(g.nodes, n)
		}
	}
	slices.SortFunc(g.nodes, func(a, b *node) int {
		return cmp.Or(cmp.Compare(b.restart, a.restart), cmp.Compare(a.key, b.key))
	})
	g.nodes = g.nodes[:min(len(g.nodes), g.weights.Edges.MaxEntities)]
}

// mentioning returns the memories that mention an entity.
func (g *growth) mentioning(n *node) (docs []retrieve.Doc, more bool) {
	e := &g.weights.Edges
	switch n.kind {
	case situation:
		return g.reader.Situated(n.name, e.MaxMentions)
	case entity.Phrase:
		for word := range strings.FieldsSeq(n.name) {
			rare, ok := g.rare[word]
			if !ok {
				_, common := g.reader.Mentions(word, e.MaxPhraseMentions)
				rare = !common
				g.rare[word] = rare
			}
			if !rare {
				return nil, true
			}
		}
		return g.reader.Mentions(n.name, e.MaxPhraseMentions)
	default:
		return g.reader.Mentions(n.name, e.MaxMentions)
	}
}

// reachAll finds the memories around the seeds.
func (g *growth) reachAll(seeds []seed) {
	for _, n := range g.nodes {
		g.reach(n.docs...)
	}
	for _, s := range seeds {
		p := g.reader.Passage(s.doc)
		g.reach(s.doc, p.Before, p.After)
	}
	for _, r := range g.relations {
		for _, id := range []hippo.ID{r.From, r.To} {
			if doc, ok := g.reader.Find(id); ok {
				g.reach(doc)
			}
		}
	}
}

// reach makes nodes of memories that may be hits.
func (g *growth) reach(docs ...retrieve.Doc) {
	for _, doc := range docs {
		if doc == retrieve.None {
			continue
		}
		if _, ok := g.reader.Admit(doc); ok {
			g.number[doc] = 0
		}
	}
}

// reached is a memory and the probability that a walk is there.
type reached struct {
	doc         retrieve.Doc
	id          hippo.ID
	probability float64
}

// walk returns where a walk from the seeds is in the long run, over edges that hold at a
// time, the most probable first.
func (g *growth) walk(seeds []seed, at int64) []reached {
	memories := g.numbered()
	b := graph.NewBuilder(len(memories)+len(g.nodes), at)
	restart := make([]float64, len(memories)+len(g.nodes))
	for i, n := range g.nodes {
		for _, doc := range n.docs {
			if k, ok := g.number[doc]; ok {
				d := g.reader.Details(doc)
				b.Add(graph.Edge{A: int(k), B: len(memories) + i, Weight: n.weight, From: d.ValidFrom, Until: d.ValidUntil})
			}
		}
		restart[len(memories)+i] = n.restart
	}
	w := &g.weights.Walk
	scaleTo(restart[len(memories):], 1-w.SeedShare)
	for _, s := range seeds {
		restart[g.number[s.doc]] = s.weight
	}
	scaleTo(restart[:len(memories)], w.SeedShare)
	g.sessions(b, memories)
	g.related(b)
	p := b.Graph().PageRank(restart, w.Damping, w.Tolerance)
	out := memories[:0]
	for n := range memories {
		if p != nil && p[n] > 0 {
			memories[n].probability = p[n]
			out = append(out, memories[n])
		}
	}
	slices.SortFunc(out, func(a, b reached) int {
		return cmp.Or(cmp.Compare(b.probability, a.probability), a.id.Compare(b.id))
	})
	return out
}

// numbered gives the memories the order of their IDs: that of documents depends on the
// history.
func (g *growth) numbered() []reached {
	list := make([]reached, 0, len(g.number))
	for doc := range g.number {
		list = append(list, reached{doc: doc, id: g.reader.Key(doc).ID})
	}
	slices.SortFunc(list, func(a, b reached) int { return a.id.Compare(b.id) })
	for n, x := range list {
		g.number[x.doc] = uint32(n)
	}
	return list
}

// sessions joins neighbours in a session.
func (g *growth) sessions(b *graph.Builder, memories []reached) {
	for n, x := range memories {
		next := g.reader.Passage(x.doc).After
		if k, ok := g.number[next]; ok && next != retrieve.None {
			from, until := g.both(x.doc, next)
			b.Add(graph.Edge{A: n, B: int(k), Weight: g.weights.Edges.Session, From: from, Until: until})
		}
	}
}

// related joins memories that have a relation.
func (g *growth) related(b *graph.Builder) {
	for _, r := range g.relations {
		x, ok := g.reader.Find(r.From)
		y, also := g.reader.Find(r.To)
		if !ok || !also {
			continue
		}
		from, ok := g.number[x]
		to, also := g.number[y]
		if !ok || !also || from == to {
			continue
		}
		e := graph.Edge{A: int(from), B: int(to), Weight: r.Weight}
		if !r.ValidFrom.IsZero() {
			e.From = r.ValidFrom.UnixMicro()
		}
		if !r.ValidUntil.IsZero() {
			e.Until = r.ValidUntil.UnixMicro()
		}
		b.Add(e)
	}
}

// both returns when two facts hold both.
func (g *growth) both(a, b retrieve.Doc) (from, until int64) {
	x, y := g.reader.Details(a), g.reader.Details(b)
	until = x.ValidUntil
	if until == 0 || y.ValidUntil != 0 && y.ValidUntil < until {
		until = y.ValidUntil
	}
	return max(x.ValidFrom, y.ValidFrom), until
}

// scaleTo makes numbers add up to a sum, unless they are all 0.
func scaleTo(list []float64, sum float64) {
	total := 0.0
	for _, x := range list {
		total += x
	}
	if total == 0 {
		return
	}
	for i := range list {
		list[i] *= sum / total
	}
}
