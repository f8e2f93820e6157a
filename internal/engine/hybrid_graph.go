package engine

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/entity"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/index/graph"
	"github.com/hippo-memory/hippo/internal/rank"
)

// linker knows which memories belong together for other reasons than their texts:
// found together, or declared to.
type linker interface {
	// Links returns the links of memories, to whatever others, in any order.
	Links(ctx context.Context, ids []hippo.ID) ([]link, error)
}

// link joins two memories. Weight is above 0, that of a mention being 1; the times are
// as in [graph.Edge].
type link struct {
	a, b        hippo.ID
	weight      float64
	from, until int64
}

// knowledge is what the store and others say about the seeds of one search.
type knowledge struct {
	mention  *mentions
	linker   linker
	query    []entity.Entity // of the query
	entities map[wanted][]entity.Entity
	links    map[hippo.ID][]link // nil entries: asked for, and none there
}

// missing returns the seeds of which something must be loaded.
func (k *knowledge) missing(seeds []seed) []wanted {
	var out []wanted
	for _, s := range seeds {
		_, ok := k.entities[s.of]
		if !ok {
			if k.entities[s.of], ok = k.mention.get(s.of); !ok {
				delete(k.entities, s.of)
			}
		}
		if _, asked := k.links[s.of.id]; !ok || k.linker != nil && !asked {
			out = append(out, s.of)
		}
	}
	return out
}

// load completes what is known of the seeds that miss something.
func (k *knowledge) load(ctx context.Context, missing []wanted) error {
	if err := k.mention.load(ctx, missing, k.entities); err != nil || k.linker == nil {
		return err
	}
	ids := make([]hippo.ID, len(missing))
	for i, w := range missing {
		ids[i], k.links[w.id] = w.id, nil
	}
	list, err := k.linker.Links(ctx, ids)
	for _, l := range list {
		for _, id := range []hippo.ID{l.a, l.b} {
			if _, asked := k.links[id]; asked {
				k.links[id] = append(k.links[id], l)
				break // once is enough
			}
		}
	}
	return err
}

// growth is the part of the graph of memories and what they mention that lies around
// the seeds. It is not kept: the postings are the graph, and know all its edges.
type growth struct {
	v      *index.View
	mix    *rank.Mix
	thing  map[string]*thing // all
	things []*thing          // those that take part
	rare   map[string]bool   // words, whether they are
	node   map[uint32]uint32 // of memories, by document; numbered at last
}

// thing is an entity, or a situation element.
type thing struct {
	kind      entity.Kind
	key, name string
	weight    float64 // of the edges
	start     float64 // how many walks start here
	queried   bool
	docs      []uint32 // that mention it
}

// situation is the kind of a thing that is a situation element.
const situation entity.Kind = "situation"

func newGrowth(v *index.View, m *rank.Mix) *growth {
	return &growth{v: v, mix: m, thing: make(map[string]*thing), rare: make(map[string]bool), node: make(map[uint32]uint32)}
}

// mentioned finds what the query and the seeds mention.
func (g *growth) mentioned(seeds []seed, k *knowledge) {
	total := 0.0
	for _, s := range seeds {
		total += s.weight
	}
	for _, x := range k.query {
		t := g.add(x.Kind, x.Norm, g.mix.Mention)
		t.start += g.mix.QueryShare / float64(len(k.query))
		t.queried = true
	}
	for _, s := range seeds {
		mentioned, elements := k.entities[s.of], g.v.Situation(s.doc)
		start := (1 - g.mix.QueryShare) * s.weight / max(total, math.SmallestNonzeroFloat64) / float64(max(1, len(mentioned)+len(elements)))
		for _, x := range mentioned {
			t := g.add(x.Kind, x.Norm, g.mix.Mention)
			t.start += start
			t.docs = append(t.docs, s.doc)
		}
		for _, x := range elements {
			t := g.add(situation, x, g.mix.Situation)
			t.start += start
			t.docs = append(t.docs, s.doc)
		}
	}
}

func (g *growth) add(kind entity.Kind, name string, weight float64) *thing {
	key := name
	if kind == situation {
		key = "\x00" + strings.ToLower(name)
	}
	t := g.thing[key]
	if t == nil {
		t = &thing{kind: kind, key: key, name: name, weight: weight}
		g.thing[key] = t
	}
	return t
}

// grow finds the memories around the seeds.
func (g *growth) grow(seeds []seed, k *knowledge) {
	g.choose()
	for _, t := range g.things {
		g.reach(t.docs...)
	}
	for _, s := range seeds {
		place := g.v.Place(s.doc)
		g.reach(s.doc, place.Before, place.After)
		for _, l := range k.links[s.of.id] {
			for _, id := range []hippo.ID{l.a, l.b} {
				if doc, ok := g.v.Find(id); ok {
					g.reach(doc)
				}
			}
		}
	}
}

// choose finds who mentions the things, and keeps those that most walks start at. Things
// that many mention, or that lead from one memory to none but itself, are left out.
func (g *growth) choose() {
	for _, t := range g.thing {
		docs, more := g.mentioning(t)
		t.docs = append(t.docs, docs...)
		slices.Sort(t.docs)
		t.docs = slices.Compact(t.docs)
		if n := len(t.docs); !more && (n > 1 || n == 1 && t.queried) {
			t.start /= float64(n)
			g.things = append(g.things, t)
		}
	}
	slices.SortFunc(g.things, func(a, b *thing) int {
		return cmp.Or(cmp.Compare(b.start, a.start), cmp.Compare(a.key, b.key))
	})
	g.things = g.things[:min(len(g.things), g.mix.Things)]
}

// mentioning returns the memories that mention a thing.
func (g *growth) mentioning(t *thing) (docs []uint32, more bool) {
	switch t.kind {
	case situation:
		return g.v.Situated(t.name, g.mix.Common)
	case entity.Phrase:
		for word := range strings.FieldsSeq(t.name) {
			rare, ok := g.rare[word]
			if !ok {
				_, common := g.v.Mentions(word, g.mix.CommonPhrase)
				rare = !common
				g.rare[word] = rare
			}
			if !rare {
				return nil, true
			}
		}
		return g.v.Mentions(t.name, g.mix.CommonPhrase)
	default:
		return g.v.Mentions(t.name, g.mix.Common)
	}
}

// reach makes nodes of memories that may be hits.
func (g *growth) reach(docs ...uint32) {
	for _, doc := range docs {
		if doc != index.None && g.v.Admits(doc) {
			g.node[doc] = 0
		}
	}
}

// walk returns, by document, how likely a walk from the seeds is there: all memories
// that it may reach over edges that hold at a time.
func (g *growth) walk(seeds []seed, k *knowledge, at int64) map[uint32]float64 {
	docs := g.number()
	b := graph.NewBuilder(len(docs)+len(g.things), at)
	reset := make([]float64, len(docs)+len(g.things))
	for i, t := range g.things {
		for _, doc := range t.docs {
			if n, ok := g.node[doc]; ok {
				from, until := g.v.Valid(doc)
				b.Add(graph.Edge{A: int(n), B: len(docs) + i, Weight: t.weight, From: from, Until: until})
			}
		}
		reset[len(docs)+i] = t.start
	}
	scaleTo(reset[len(docs):], 1-g.mix.SeedShare)
	for _, s := range seeds {
		reset[g.node[s.doc]] = s.weight
	}
	scaleTo(reset[:len(docs)], g.mix.SeedShare)
	g.sessions(b, docs)
	g.links(b, seeds, k)
	p := b.Graph().PageRank(reset, g.mix.Damping, g.mix.Tolerance)
	out := make(map[uint32]float64, len(docs))
	for n, x := range p {
		if n < len(docs) && x > 0 {
			out[docs[n]] = x
		}
	}
	return out
}

// number gives the memories the order of their IDs: that of documents is a matter of
// history.
func (g *growth) number() (docs []uint32) {
	type numbered struct {
		id  hippo.ID
		doc uint32
	}
	list := make([]numbered, 0, len(g.node))
	for doc := range g.node {
		list = append(list, numbered{g.v.Row(doc).ID, doc})
	}
	slices.SortFunc(list, func(a, b numbered) int { return a.id.Compare(b.id) })
	for n, x := range list {
		g.node[x.doc] = uint32(n)
		docs = append(docs, x.doc)
	}
	return docs
}

// sessions joins memories that stand side by side.
func (g *growth) sessions(b *graph.Builder, docs []uint32) {
	for n, doc := range docs {
		if after, ok := g.node[g.v.Place(doc).After]; ok {
			from, until := g.together(doc, docs[after])
			b.Add(graph.Edge{A: n, B: int(after), Weight: g.mix.Session, From: from, Until: until})
		}
	}
}

// links joins memories that belong together for other reasons.
func (g *growth) links(b *graph.Builder, seeds []seed, k *knowledge) {
	for _, s := range seeds {
		for _, l := range k.links[s.of.id] {
			x, y, ok := g.ends(l)
			if ok {
				b.Add(graph.Edge{A: int(x), B: int(y), Weight: l.weight, From: l.from, Until: l.until})
			}
		}
	}
}

// ends returns the nodes that a link joins, if they are two.
func (g *growth) ends(l link) (a, b uint32, ok bool) {
	x, ok := g.v.Find(l.a)
	if !ok {
		return 0, 0, false
	}
	y, ok := g.v.Find(l.b)
	if !ok {
		return 0, 0, false
	}
	a, ok = g.node[x]
	b, also := g.node[y]
	return a, b, ok && also && a != b
}

// together returns when two facts hold both.
func (g *growth) together(a, b uint32) (from, until int64) {
	from, until = g.v.Valid(a)
	from2, until2 := g.v.Valid(b)
	if until == 0 || until2 != 0 && until2 < until {
		until = until2
	}
	return max(from, from2), until
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
