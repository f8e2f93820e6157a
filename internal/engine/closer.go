package engine

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/cue"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/rank"
)

// closer is the second look at the best matches of a search, and at what stands
// beside them in their sessions: word by word, and with what those say.
type closer struct {
	passages []passage      // the matches of the first look, best first; then the others
	at       map[uint32]int // passage by document
	named    func(author string) bool
	query    asking
	// longer is by how much the logarithm of the length of the matches is above
	// that of usual memories, in [0, longest].
	longer float64
}

// longest is the most that longer is: beyond, there was nothing to learn weights from.
const longest = 3

// passage is a memory that is looked at closely.
type passage struct {
	id            hippo.ID
	created       int64
	match         *index.Match // nil: it did not match by itself
	admitted      bool         // it may be a hit
	counted       bool         // it is counted, with a relevance of first
	first         float64
	before, after int // passages beside it, or -1
	session       uint32
	cues          cue.Cues
	met           []float32 // how well it meets each piece of the query; nil: it was not read
	signals       hippo.Signals
}

// newCloser looks closely at the best of the matches, which are listed. The View is
// that of the search that found them.
func newCloser(v *index.View, r *ranking, text string, words []word, model embed.TokenEmbedder, list []candidate, matches []index.Match) *closer {
	c := &closer{at: make(map[uint32]int, 3*len(list)), named: authors(text), passages: make([]passage, 0, len(list))}
	for _, x := range list {
		p := c.add(v, x.match.Doc)
		p.match, p.first, p.counted, p.admitted = x.match, x.relevance, true, true
	}
	for i := range list {
		doc := list[i].match.Doc
		place := v.Place(doc)
		before, after := c.beside(v, place.Before), c.beside(v, place.After)
		p := &c.passages[i]
		p.session, p.before, p.after = place.Session, before, after
	}
	c.neighbours(v, r, matches, len(list))
	for i := range c.passages {
		c.passages[i].look(v, r)
	}
	for i := range list {
		c.longer += rank.LogLength(&c.passages[i].signals.Evidence) / float64(len(list))
	}
	c.longer = min(max(0, c.longer-r.weights.MeanLength), longest)
	c.query = newAsking(model, text, words)
	c.read(v)
	c.compare()
	if r.meaning {
		c.feedback(v, &r.weights)
	}
	return c
}

// others returns, in their order, the candidates that are no passages: all, if nothing
// was looked at closely.
func (c *closer) others(list []candidate) []candidate {
	if c == nil {
		return list
	}
	return slices.DeleteFunc(list, func(x candidate) bool { return c.known(x.match.Doc) >= 0 })
}

// look gives a passage the signals of the first look.
func (p *passage) look(v *index.View, r *ranking) {
	named := p.signals.Evidence[hippo.EvidenceNamed]
	p.signals = *r.signals(v, p.match)
	p.signals.Evidence[hippo.EvidenceNamed] = named
	p.id, p.created, p.cues = r.row.ID, r.row.CreatedAt, v.Cues(p.match.Doc)
}

// wordsOf yields the runs of letters, marks and digits of a text.
func wordsOf(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
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

// merge adds the passages to what was found at first, by the relevance of the closer
// look. If there may be more than were kept, what comes after the last that was kept is
// left out: others may belong before it.
func (c *closer) merge(r *ranking, o *order, more bool) {
	seen := make(map[hippo.ID]bool, len(c.passages))
	hits := make([]ranked, 0, len(c.passages))
	kept := make([]hippo.Signals, len(c.passages)) // an order must not keep the passages
	for i := range c.passages {
		p := &c.passages[i]
		seen[p.id] = true
		if !p.admitted {
			continue
		}
		p.signals.Text = rank.TextOf(&r.weights, &p.signals, c.longer)
		relevance := r.relevance(&r.weights, &p.signals)
		o.recount(p, relevance, r.within)
		p.first, p.counted = relevance, true
		if r.within.has(relevance) {
			kept[i] = p.signals
			hits = append(hits, ranked{candidate: candidate{id: p.id, created: p.created, relevance: relevance}, signals: &kept[i]})
		}
	}
	slices.SortFunc(hits, func(a, b ranked) int { return better(a.candidate, b.candidate) })
	hits = merged(hits, o.hits)
	for more && len(hits) > 0 && seen[hits[len(hits)-1].id] {
		hits = hits[:len(hits)-1]
	}
	o.hits = hits
}

// merged returns two sorted lists as one.
func merged(a, b []ranked) []ranked {
	out := make([]ranked, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		from := &a
		if better(b[0].candidate, a[0].candidate) < 0 {
			from = &b
		}
		out, *from = append(out, (*from)[0]), (*from)[1:]
	}
	return append(append(out, a...), b...)
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

// add appends the passage of a document.
func (c *closer) add(v *index.View, doc uint32) *passage {
	c.at[doc] = len(c.passages)
	p := passage{before: -1, after: -1}
	if c.named(v.Author(doc)) {
		p.signals.Evidence[hippo.EvidenceNamed] = 1
	}
	c.passages = append(c.passages, p)
	return &c.passages[len(c.passages)-1]
}

// beside returns the passage of a document beside another, which it adds if need be.
func (c *closer) beside(v *index.View, doc uint32) int {
	if doc == index.None {
		return -1
	}
	if i, ok := c.at[doc]; ok {
		return i
	}
	c.add(v, doc)
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
			p.match = &index.Match{Doc: doc, Cosine: v.RoughCosine(doc)}
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
