package index

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/detect"
	"github.com/hippo-memory/hippo/internal/retrieval/passage"
)

// MaxTokens is how many word pieces of a memory are kept: about a page and a half.
const MaxTokens = 1024

// batchSize is the number of changes that are indexed and applied at a time: documents of a segment, if
// all are of new memories.
const batchSize = 4096

// tokenSize is that of a word piece in bytes.
const tokenSize = 2

// builder makes segments, one after the other. What it learned about words it keeps for the next
// segment.
type builder struct {
	analyzer *cachingAnalyzer
	static   embed.StaticEmbedder // embeds the same word pieces; nil: none does
	terms    postingLists
	sum      []float32 // the vector of the passage at hand
	words    []int32   // its word pieces

	out   *segment
	names *numbering
	codes []docVector // by static
}

func newBuilder(o *Options) *builder {
	b := &builder{analyzer: newCachingAnalyzer(o), static: o.static()}
	if b.static != nil {
		b.sum = make([]float32, b.static.Model().Dimension)
	}
	return b
}

// build returns the segment of memories that have different IDs, at most maxDocs of them, and
// their vectors if the instant model embeds word pieces. It sorts ms by namespace, project and ID.
func (b *builder) build(ms []*hippo.Memory) (*segment, []docVector) {
	slices.SortFunc(ms, func(x, y *hippo.Memory) int {
		return cmp.Or(compareStrings(x.Namespace, y.Namespace), compareStrings(x.Project, y.Project), x.ID.Compare(y.ID))
	})
	b.begin(len(ms))
	for i, m := range ms {
		b.add(uint32(i), m)
	}
	b.seal()
	return b.out, b.codes
}

// begin starts a segment of n documents.
func (b *builder) begin(n int) {
	b.analyzer.begin()
	b.terms.begin()
	b.names, b.codes = newNumbering(), nil
	b.out = &segment{docs: n, situations: newBlobs(n, 0), tokens: newBlobs(n, 0)}
	c := &b.out.columns
	c.rows, c.extras = make([]row, 0, n), make([]extra, 0, n)
	c.content, c.other, c.said = make([]uint32, 0, n), make([][2]uint32, 0, n), make([]uint64, 0, n)
	c.sources = make([]uint32, 0, n)
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
	c.rows, c.extras, c.said = append(c.rows, r), append(c.extras, x), append(c.said, saidKey(m))
	c.sources = append(c.sources, b.names.add(sourceName(&m.Source)))
	b.index(doc, m)
}

// embed returns the vectors of the passages of a content, whose word pieces are those of the analyzer.
func (b *builder) embed(content string) []vector.Code {
	spans := passage.Split(content)
	out := make([]vector.Code, len(spans))
	for i, s := range spans {
		pieces := b.analyzer.pieces
		if len(spans) > 1 {
			b.words = b.analyzer.tokens.Tokenize(b.words[:0], content[s.From:s.To])
			pieces = b.words
		}
		clear(b.sum)
		b.static.EmbedTokens(b.sum, embed.Passage, pieces)
		out[i] = vector.Quantize(b.sum)
	}
	return out
}

// index adds the terms and the word pieces of m, in the order content, situation, tags. The vectors
// are those of the content.
func (b *builder) index(doc uint32, m *hippo.Memory) {
	t, w := &b.terms, b.analyzer
	w.pieces, w.tally = w.pieces[:0], detect.Tally{}
	var length bm25.Counts
	length[bm25.Content] = t.count(bm25.Content, w.analyse(m.Content))
	if b.static != nil {
		b.codes = append(b.codes, docVector{doc, b.embed(m.Content)})
	}
	for _, s := range m.Situation {
		length[bm25.Situation] += b.element(s)
	}
	b.out.situations.end()
	for _, s := range m.Tags {
		length[bm25.Tags] += t.count(bm25.Tags, w.analyse(s))
	}
	b.stem(m)
	t.finish(doc)
	for _, p := range w.pieces[:min(len(w.pieces), MaxTokens)] {
		b.out.tokens.data = binary.LittleEndian.AppendUint16(b.out.tokens.data, uint16(p))
	}
	b.out.tokens.end()
	b.out.columns.content = append(b.out.columns.content, length[bm25.Content])
	b.out.columns.other = append(b.out.columns.other, [2]uint32{length[bm25.Situation], length[bm25.Tags]})
}

// stem adds the stems of a memory in another language than English, and the term of the language. They
// count as occurrences and not for the length.
func (b *builder) stem(m *hippo.Memory) {
	l := b.analyzer.tally.Language()
	if !bm25.HasStemmer(l) {
		return
	}
	t, w := &b.terms, b.analyzer
	t.count(bm25.Content, w.single([]byte(languageTerm(l))))
	t.count(bm25.Content, w.stemmed(l, m.Content))
	for _, s := range m.Situation {
		t.count(bm25.Situation, w.stemmed(l, s))
	}
}

// element adds an element of a situation and returns its length in terms, which is 0 for an
// element without any word.
func (b *builder) element(text string) (length uint32) {
	terms := b.analyzer.analyse(text)
	length = uint32(len(terms))
	if length == 0 {
		terms = b.analyzer.single(wordlessTerm(text))
	}
	b.terms.count(bm25.Situation, terms)
	slices.Sort(terms)
	b.out.situations.data = appendElement(b.out.situations.data, slices.Compact(terms))
	return length
}

// seal sorts the dictionaries and renumbers what refers to them.
func (b *builder) seal() {
	s := b.out
	var final []uint32
	s.names, final = b.names.seal()
	c := &s.columns
	for i := range c.rows {
		r, x := &c.rows[i], &c.extras[i]
		r.namespace, r.project, r.kind = final[r.namespace], final[r.project], final[r.kind]
		x.author, x.session = final[x.author], final[x.session]
	}
	for _, list := range [][]uint32{c.labels, c.sources} {
		for i, n := range list {
			list[i] = final[n]
		}
	}
	final = b.terms.seal(&s.lexicon, b.analyzer.terms)
	s.situations = renumber(&s.situations, final)
	group(s)
	order(s)
	s.sessions = s.orderSessions()
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
