package engine

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/rank"
)

// closerCount is how many of the best matches are looked at closely, with the
// memories beside them in their sessions.
const closerCount = 64

// closerMost is the most memories that are looked at closely.
const closerMost = 3 * closerCount

// closer is the second look at the best matches of a search: word by word, and with
// what stands beside them.
type closer struct {
	passages []passage
	at       map[uint32]int // passage by document
	pieces   []int32        // of the query
	weights  []float64      // of those
	compared embed.Interaction
}

// passage is a memory that is looked at closely.
type passage struct {
	id            hippo.ID
	text          uint64 // see [index.TextOf]
	created       int64
	match         *index.Match // nil: it did not match by itself
	admitted      bool         // it may be a hit
	counted       bool         // it matched, with a relevance of first
	first         float64
	before, after int // passages beside it, or -1
	session       uint32
	signals       hippo.Signals
}

// newCloser gathers the passages. The View is that of the search that found list.
func newCloser(v *index.View, r *ranking, text string, list []candidate, matches []index.Match) *closer {
	c := &closer{at: make(map[uint32]int, 3*len(list))}
	named := authors(text)
	for _, x := range list {
		c.add(v, x.match.Doc, named).of(x.match, x.relevance)
	}
	for i := range list {
		doc := list[i].match.Doc
		place := v.Place(doc)
		before, after := c.beside(v, place.Before, named), c.beside(v, place.After, named)
		p := &c.passages[i]
		p.session, p.before, p.after = place.Session, before, after
	}
	c.neighbours(v, r, matches, len(list))
	for i := range c.passages {
		p := &c.passages[i]
		named := p.signals.Named
		p.signals = *r.signals(v, p.match)
		p.signals.Named = named
		p.id, p.created, p.text = r.row.ID, r.row.CreatedAt, v.Text(p.match.Doc)
	}
	return c
}

// ask cuts the query into pieces. A piece weighs what it does in the model, times
// how rare its word is among the memories.
func (c *closer) ask(v *index.View, model embed.Pieces, text string) {
	for word := range wordsOf(text) {
		rarity, from := v.Rarity(word), len(c.pieces)
		c.pieces = model.Pieces(c.pieces, word)
		for _, p := range c.pieces[from:] {
			c.weights = append(c.weights, rarity*model.Weight(p))
		}
	}
}

// ids returns the passages, and which texts of them are meant.
func (c *closer) ids() []wanted {
	out := make([]wanted, len(c.passages))
	for i := range c.passages {
		out[i] = wanted{c.passages[i].id, c.passages[i].text}
	}
	return out
}

// wordsOf yields the runs of letters, marks and digits of a text.
func wordsOf(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
}

// interact compares the query with each passage, piece by piece. texts are those of
// the passages, nil where there is none any more.
func (c *closer) interact(model embed.Pieces, texts [][]int32) {
	total := 0.0
	for _, w := range c.weights {
		total += w
	}
	if total == 0 {
		return
	}
	x, best := model.Interact(c.pieces), make([]float32, len(c.pieces))
	c.compared = x
	for i := range c.passages {
		clear(best)
		x.Best(best, texts[i])
		sum := 0.0
		for j, b := range best {
			sum += float64(c.weights[j] * float64(b))
		}
		c.passages[i].signals.Interaction = sum / total
	}
}

// share gives each passage the evidence of those beside it, and of its session.
func (c *closer) share() {
	sessions := make(map[uint32][]float64)
	for i := range c.passages {
		p := &c.passages[i]
		if p.session != 0 {
			g := &p.signals
			sessions[p.session] = append(sessions[p.session], (g.Share+g.Cosine+g.Interaction)/3)
		}
	}
	for n, list := range sessions {
		slices.SortFunc(list, func(a, b float64) int { return cmp.Compare(b, a) })
		sum := 0.0
		for _, x := range list[:min(3, len(list))] {
			sum += x
		}
		sessions[n] = append(list[:0], sum/3)
	}
	for i := range c.passages {
		p := &c.passages[i]
		p.signals.Before, p.signals.After = c.evidence(p.before), c.evidence(p.after)
		if p.session != 0 {
			p.signals.Session = sessions[p.session][0]
		}
	}
}

// evidence is that of a passage; none of -1.
func (c *closer) evidence(i int) hippo.Evidence {
	if i < 0 {
		return hippo.Evidence{}
	}
	g := &c.passages[i].signals
	return hippo.Evidence{Share: g.Share, Interaction: g.Interaction}
}

// authors returns a function that tells whether a text names an author: by the
// whole name, or by its first word.
func authors(text string) func(string) bool {
	words := make(map[string]bool)
	for w := range wordsOf(strings.ToLower(text)) {
		words[w] = true
	}
	known := make(map[string]bool)
	return func(author string) bool {
		if author == "" {
			return false
		}
		is, ok := known[author]
		if !ok {
			for first := range wordsOf(strings.ToLower(author)) {
				is = words[first]
				break
			}
			known[author] = is
		}
		return is
	}
}

// merge puts the passages in the place of what was found at first: their relevance
// is that of the closer look. If there may be more than were kept, what comes after
// the last that was kept is left out: others may belong before it.
func (c *closer) merge(r *ranking, o *order, more bool) {
	seen := make(map[hippo.ID]bool, len(c.passages))
	var hits []ranked
	for i := range c.passages {
		p := &c.passages[i]
		seen[p.id] = true
		if !p.admitted {
			continue
		}
		p.signals.Text = rank.TextOf(&r.weights, &p.signals, r.length)
		relevance := r.relevance(&r.weights, &p.signals)
		o.recount(p, relevance, r.within)
		p.first, p.counted = relevance, true
		if r.within.has(relevance) {
			hits = append(hits, ranked{candidate: candidate{id: p.id, created: p.created, relevance: relevance}, signals: p.signals})
		}
	}
	for i := range o.hits {
		if !seen[o.hits[i].id] {
			hits = append(hits, o.hits[i])
		}
	}
	slices.SortFunc(hits, func(a, b ranked) int { return better(&a.candidate, &b.candidate) })
	for more && len(hits) > 0 && seen[hits[len(hits)-1].id] {
		hits = hits[:len(hits)-1]
	}
	o.hits = hits
}

// recount counts a passage by its relevance now, and no longer by that at first.
func (o *order) recount(p *passage, relevance float64, within limits) {
	if p.counted {
		o.distribution.Remove(p.first)
		if within.has(p.first) {
			o.total--
		}
	}
	o.distribution.Add(relevance)
	if within.has(relevance) {
		o.total++
	}
}

// of makes a passage that of a match.
func (p *passage) of(m *index.Match, relevance float64) {
	p.match, p.first, p.counted, p.admitted = m, relevance, true, true
}

// add appends the passage of a document.
func (c *closer) add(v *index.View, doc uint32, named func(string) bool) *passage {
	c.at[doc] = len(c.passages)
	p := passage{before: -1, after: -1}
	if named(v.Author(doc)) {
		p.signals.Named = 1
	}
	c.passages = append(c.passages, p)
	return &c.passages[len(c.passages)-1]
}

// beside returns the passage of a document beside another, which it adds if need be.
func (c *closer) beside(v *index.View, doc uint32, named func(string) bool) int {
	if doc == index.None {
		return -1
	}
	if i, ok := c.at[doc]; ok {
		return i
	}
	c.add(v, doc, named)
	return len(c.passages) - 1
}

// neighbours completes the passages from number first on, which stand beside others.
func (c *closer) neighbours(v *index.View, r *ranking, matches []index.Match, first int) {
	if len(c.passages) == first {
		return
	}
	for i := range matches {
		if k, ok := c.at[matches[i].Doc]; ok && k >= first {
			c.passages[k].match = &matches[i]
		}
	}
	for doc, k := range c.at {
		if k < first {
			continue
		}
		p := &c.passages[k]
		if p.match == nil {
			p.match = &index.Match{Doc: doc, Cosine: v.Cosine(doc)}
		} else {
			p.first, p.counted = r.relevance(&r.weights, r.signals(v, p.match)), true
		}
		if p.admitted = v.Admits(doc); p.admitted {
			p.match.Context = v.Context(doc)
		}
		place := v.Place(doc)
		p.session = place.Session
		p.before, p.after = c.known(place.Before), c.known(place.After)
	}
}

// known returns the passage of a document, or -1.
func (c *closer) known(doc uint32) int {
	if i, ok := c.at[doc]; ok {
		return i
	}
	return -1
}
