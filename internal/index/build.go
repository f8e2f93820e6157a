package index

import (
	"encoding/binary"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index/bm25"
	"github.com/hippo-memory/hippo/internal/index/vector"
)

// MaxTokens is how many word pieces of a memory are kept: about a page and a half.
const MaxTokens = 1024

// tokenSize is that of a word piece in bytes.
const tokenSize = 2

// build returns the segment of memories that have different IDs, at most maxDocs of them, and
// their vectors if the instant model embeds word pieces. It sorts ms by ID.
func build(ms []*hippo.Memory, o *Options) (*segment, []vector.Code) {
	slices.SortFunc(ms, func(x, y *hippo.Memory) int { return x.ID.Compare(y.ID) })
	b := newBuilder(o, len(ms))
	for i, m := range ms {
		b.add(uint32(i), m)
	}
	return b.seal(len(ms)), b.codes
}

// builder collects documents into a segment.
type builder struct {
	analyzer bm25.Analyzer
	tokens   embed.TokenEmbedder
	static   embed.StaticEmbedder // embeds the same word pieces; nil: none does
	codes    []vector.Code        // by static
	out      segment
	names    *numbering
	terms    *termLists
	pieces   []int32
}

func newBuilder(o *Options, n int) *builder {
	b := &builder{analyzer: o.Analyzer, tokens: o.Tokens, static: o.static(), names: newNumbering(), terms: newTermLists()}
	b.out.situations, b.out.tokens = newBlobs(n, 0), newBlobs(n, 0)
	c := &b.out.columns
	c.rows, c.extras = make([]row, 0, n), make([]extra, 0, n)
	c.content, c.other = make([]uint32, 0, n), make([][2]uint32, 0, n)
	return b
}

// add appends the document of m.
func (b *builder) add(doc uint32, m *hippo.Memory) {
	r, x, c := rowOf(m), extraOf(m), &b.out.columns
	r.namespace, r.project, r.kind = b.names.add(m.Namespace), b.names.add(m.Project), b.names.add(m.Type)
	x.author, x.session = b.names.add(m.Source.Author), b.names.add(m.Source.Session)
	x.firstLabel = uint32(len(c.labels))
	for _, list := range [][]string{m.Tags, m.Situation} {
		for _, s := range list {
			c.labels = append(c.labels, b.names.add(s))
		}
	}
	uses := recentUses(m.Accesses)
	r.uses = useListOf(len(c.uses), uses)
	c.uses = append(c.uses, uses...)
	if r.flags&flagSuperseded != 0 {
		c.successors = append(c.successors, successor{doc, m.SupersededBy})
	}
	c.rows, c.extras = append(c.rows, r), append(c.extras, x)
	b.index(doc, m)
	b.cut(m)
}

// index adds the terms of m.
func (b *builder) index(doc uint32, m *hippo.Memory) {
	t := b.terms
	t.begin(doc)
	b.analyzer.Terms(m.Content, t.emit)
	t.field = bm25.Tags
	for _, s := range m.Tags {
		b.analyzer.Terms(s, t.emit)
	}
	t.field = bm25.Situation
	for _, s := range m.Situation {
		t.element = t.element[:0]
		b.analyzer.Terms(s, t.emit)
		if len(t.element) == 0 { // it counts for no length
			t.occurs(wordlessTerm(s))
			t.length[bm25.Situation]--
		}
		slices.Sort(t.element)
		b.out.situations.data = appendElement(b.out.situations.data, slices.Compact(t.element))
	}
	b.out.situations.end()
	n := t.finish()
	b.out.columns.content = append(b.out.columns.content, n[bm25.Content])
	b.out.columns.other = append(b.out.columns.other, [2]uint32{n[bm25.Situation], n[bm25.Tags]})
}

// cut adds the word pieces of m: of its content, then of situation and tags. The vector is that of
// the content.
func (b *builder) cut(m *hippo.Memory) {
	defer b.out.tokens.end()
	if b.tokens == nil {
		return
	}
	b.pieces = b.tokens.Tokenize(b.pieces[:0], m.Content)
	if b.static != nil {
		v := make([]float32, b.static.Model().Dimension)
		b.static.EmbedTokens(v, embed.Passage, b.pieces)
		b.codes = append(b.codes, vector.Quantize(v))
	}
	for _, list := range [][]string{m.Situation, m.Tags} {
		for _, text := range list {
			b.pieces = b.tokens.Tokenize(b.pieces, text)
		}
	}
	for _, p := range b.pieces[:min(len(b.pieces), MaxTokens)] {
		b.out.tokens.data = binary.LittleEndian.AppendUint16(b.out.tokens.data, uint16(p))
	}
}

// seal sorts the dictionaries, renumbers what refers to them and returns the segment.
func (b *builder) seal(docs int) *segment {
	s := &b.out
	s.docs = docs
	var final []uint32
	s.names, final = b.names.seal()
	c := &s.columns
	for i := range c.rows {
		r, x := &c.rows[i], &c.extras[i]
		r.namespace, r.project, r.kind = final[r.namespace], final[r.project], final[r.kind]
		x.author, x.session = final[x.author], final[x.session]
	}
	for i, n := range c.labels {
		c.labels[i] = final[n]
	}
	final = b.terms.seal(&s.lexicon)
	s.situations = renumber(&s.situations, final)
	s.sessions = s.orderSessions()
	return s
}

// renumber returns the situations of documents with other numbers of terms.
func renumber(old *blobs, final []uint32) blobs {
	out := newBlobs(old.len(), len(old.data))
	var ids []uint32
	for i := range old.len() {
		for rest := old.at(i); len(rest) > 0; {
			ids, rest = nextElement(ids, rest)
			for k, id := range ids {
				ids[k] = final[id]
			}
			slices.Sort(ids)
			out.data = appendElement(out.data, ids)
		}
		out.end()
	}
	return out
}

// termLists collects the postings of a segment.
type termLists struct {
	ids    map[string]uint32
	terms  []string
	lists  []postingList
	shapes shapes
	counts []bm25.Counts // by term, of the document at hand
	seen   []uint32      // terms with counts

	doc     uint32
	length  bm25.Counts
	field   bm25.Field
	element []uint32
	emit    func([]byte)
}

// postingList is a list that is appended to; see [list].
type postingList struct{ posts, rare []byte }

func newTermLists() *termLists {
	t := &termLists{ids: make(map[string]uint32)}
	t.emit = t.occurs
	return t
}

// begin starts a document.
func (t *termLists) begin(doc uint32) {
	t.doc, t.length, t.field, t.seen = doc, bm25.Counts{}, bm25.Content, t.seen[:0]
}

// occurs counts one occurrence of a term in the current field.
func (t *termLists) occurs(term []byte) {
	id, ok := t.ids[string(term)]
	if !ok {
		name := string(term)
		id = uint32(len(t.terms))
		t.ids[name] = id
		t.terms = append(t.terms, name)
		t.lists = append(t.lists, postingList{})
		t.counts = append(t.counts, bm25.Counts{})
	}
	c := &t.counts[id]
	if *c == (bm25.Counts{}) {
		t.seen = append(t.seen, id)
	}
	c[t.field]++
	t.length[t.field]++
	if t.field == bm25.Situation {
		t.element = append(t.element, id)
	}
}

// finish ends a document and returns the lengths of its fields.
func (t *termLists) finish() bm25.Counts {
	for _, id := range t.seen {
		l := &t.lists[id]
		l.posts, l.rare = appendPosting(l.posts, l.rare, &t.shapes, t.doc, t.counts[id])
		t.counts[id] = bm25.Counts{}
	}
	return t.length
}

// seal writes the sorted lexicon and returns the final numbers of terms by the provisional ones.
func (t *termLists) seal(to *lexicon) []uint32 {
	order := make([]uint32, len(t.terms))
	letters, posts := 0, 0
	for i := range order {
		order[i] = uint32(i)
		letters += len(t.terms[i])
		posts += len(t.lists[i].posts)
	}
	slices.SortFunc(order, func(a, b uint32) int { return compareStrings(t.terms[a], t.terms[b]) })
	to.terms, to.posts, to.rare = newBlobs(len(order), letters), newBlobs(len(order), posts), newBlobs(len(order), 0)
	final := make([]uint32, len(order))
	for i, id := range order {
		final[id] = uint32(i)
		to.terms.data = append(to.terms.data, t.terms[id]...)
		to.terms.end()
		to.posts.append(t.lists[id].posts)
		to.rare.append(t.lists[id].rare)
	}
	to.shapes = t.shapes
	return final
}
