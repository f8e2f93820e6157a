package index

import (
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index/vector"
)

// space holds what one model made of the documents.
type space struct {
	model embed.Model
	table *vector.Table
	rowOf []uint32 // by document: its row plus 1; 0 or out of range: none yet
	docOf []uint32 // by row: its document; gone if the row is of no use any more
	have  int      // live documents with a vector
	file  *base    // keeps the mapping alive that the table lies in
}

func newSpace(m embed.Model) *space { return &space{model: m, table: vector.New(m.Dimension)} }

// row returns the row of a document.
func (s *space) row(doc uint32) (uint32, bool) {
	if int(doc) >= len(s.rowOf) || s.rowOf[doc] == 0 {
		return 0, false
	}
	return s.rowOf[doc] - 1, true
}

// set gives a live document a vector.
func (s *space) set(doc uint32, c vector.Code) {
	s.drop(doc)
	for int(doc) >= len(s.rowOf) {
		s.rowOf = append(s.rowOf, 0)
	}
	s.rowOf[doc] = s.table.AppendCode(c) + 1
	s.docOf = append(s.docOf, doc)
	s.have++
}

// drop takes the vector of a document away.
func (s *space) drop(doc uint32) {
	if r, ok := s.row(doc); ok {
		s.docOf[r] = gone
		s.rowOf[doc] = 0
		s.have--
	}
}

// Vector is what a model made of a memory.
type Vector struct {
	ID hippo.ID
	// Text is [TextOf] the memory that was embedded.
	Text   uint64
	Values []float32
}

// TextOf identifies the text of a memory. A vector counts for a memory as long as
// this number is the same.
func TextOf(m *hippo.Memory) uint64 { return textHash(m) }

// Embed makes the index keep vectors of these models, and drop those of all
// others. Vectors of the snapshot stay.
func (x *Index) Embed(models ...embed.Model) {
	x.mu.Lock()
	defer x.mu.Unlock()
	var kept []*space
	for _, m := range models {
		i := slices.IndexFunc(x.spaces, func(s *space) bool { return s.model == m })
		if i >= 0 {
			kept = append(kept, x.spaces[i])
		} else {
			kept = append(kept, newSpace(m))
		}
	}
	x.spaces = kept
}

// space returns the space of a model, or nil; x.mu is held.
func (x *Index) space(model string) *space {
	for _, s := range x.spaces {
		if s.model.ID == model {
			return s
		}
	}
	return nil
}

// Embedded counts the live memories and those of them that have a vector of the
// model.
func (x *Index) Embedded(model string) (have, all int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if s := x.space(model); s != nil {
		have = s.have
	}
	return have, x.rows.live.Docs
}

// Unembedded returns up to most live memories without a vector of the model,
// the newest first. Cost: a scan, unless there is none.
func (x *Index) Unembedded(model string, most int) []hippo.ID {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := x.space(model)
	if s == nil || s.have == x.rows.live.Docs {
		return nil
	}
	var out []hippo.ID
	for d := len(x.rows.hot) - 1; d >= 0 && len(out) < most; d-- {
		if _, ok := s.row(uint32(d)); !ok && !x.rows.dead.has(uint32(d)) {
			out = append(out, x.rows.hot[d].id)
		}
	}
	return out
}

// SetVectors takes over vectors of a model and returns how many: those of memories
// that are not in the index, or have another text by now, are left out.
func (x *Index) SetVectors(model string, vectors []Vector) (taken int) {
	codes := make([]vector.Code, len(vectors))
	for i, v := range vectors {
		codes[i] = vector.Quantize(v.Values)
	}
	x.mu.Lock()
	s := x.space(model)
	for i, v := range vectors {
		doc, ok := x.doc(v.ID)
		if s == nil || !ok || x.rows.cold[doc].text != v.Text || len(v.Values) != s.model.Dimension {
			continue
		}
		s.set(doc, codes[i])
		taken++
	}
	x.changed += taken
	x.mu.Unlock()
	x.maintain(true)
	return taken
}

// near is what the vectors say about one query.
type near struct {
	space  *space // nil if there is nothing to compare
	code   vector.Code
	cosine []float32 // of each row, approximately
	docs   docSet    // the nearest
	list   []uint32  // the same
}

// nearest finds the documents that match by their vectors.
func (s *scratch) nearest(q *Query) {
	n := &s.near
	n.space, n.list = s.x.space(q.Model), n.list[:0]
	if n.space == nil || len(q.Vector) != n.space.model.Dimension || s.everything {
		n.space = nil
		return
	}
	n.code = vector.Quantize(q.Vector)
	n.cosine = n.space.table.Scan(n.cosine, &n.code)
	least := float32(q.MinCosine)
	parts := s.x.parts()
	keep := func(row uint32) bool {
		doc := n.space.docOf[row]
		return doc != gone && n.cosine[row] > least &&
			(s.keep.all || s.keep.keeps(s.x.rows, doc)) && (!s.filtered || s.fitsAt(parts, doc))
	}
	top := vector.Top(min(q.Nearest, len(n.cosine)), n.cosine, keep)
	if len(top) == q.Nearest && len(top) > 0 {
		top = s.fair(top, keep)
	}
	n.docs.reset(len(s.x.rows.hot))
	for _, c := range top {
		doc := n.space.docOf[c.Row]
		n.docs.add(doc)
		n.list = append(n.list, doc)
	}
}

// fair lets the lowest IDs in, of those documents that are as near as the last of
// a full list: the order of rows is a matter of history.
func (s *scratch) fair(top []vector.Candidate, keep func(row uint32) bool) []vector.Candidate {
	last := top[len(top)-1].Score
	sure := slices.IndexFunc(top, func(c vector.Candidate) bool { return c.Score == last })
	var level []vector.Candidate
	for row, c := range s.near.cosine {
		if c == last && keep(uint32(row)) {
			level = append(level, vector.Candidate{Row: uint32(row), Score: c})
		}
	}
	slices.SortFunc(level, func(a, b vector.Candidate) int {
		return s.x.rows.hot[s.near.space.docOf[a.Row]].id.Compare(s.x.rows.hot[s.near.space.docOf[b.Row]].id)
	})
	return append(top[:sure], level[:len(top)-sure]...)
}

// fitsAt reports whether a document fits the situation filter.
func (s *scratch) fitsAt(parts []part, doc uint32) bool {
	k, local := locate(parts, doc)
	return s.fits[k].docs.has(local)
}

// locate returns the segment of a document and its number there.
func locate(parts []part, doc uint32) (k int, local uint32) {
	k = len(parts) - 1
	for parts[k].first > doc {
		k--
	}
	return k, doc - parts[k].first
}

// join adds the nearest documents to the matches, and the cosines.
func (s *scratch) join() {
	n := &s.near
	if n.space == nil {
		return
	}
	for i := range s.matches {
		m := &s.matches[i]
		if r, ok := n.space.row(m.Doc); ok {
			m.Cosine = max(0, float64(n.cosine[r]))
		}
		n.docs.remove(m.Doc)
	}
	parts := s.x.parts()
	for _, doc := range n.list {
		if !n.docs.has(doc) {
			continue
		}
		r, _ := n.space.row(doc)
		m := Match{Doc: doc, Cosine: max(0, float64(n.cosine[r])), Context: 1}
		if s.filtered {
			k, local := locate(parts, doc)
			m.Context = s.fits[k].context[local]
		}
		s.matches = append(s.matches, m)
	}
}

// Cosine returns the cosine of the latest query's vector and that of a document,
// exact to 16 bits; 0 if it is negative, or one of them has none.
func (v *View) Cosine(doc uint32) float64 { return v.cosine(doc, vector.Cosine) }

// RoughCosine is Cosine as a search finds it, right to about .01.
func (v *View) RoughCosine(doc uint32) float64 { return v.cosine(doc, vector.Rough) }

func (v *View) cosine(doc uint32, of func(a, b *vector.Code) float64) float64 {
	if v.near == nil || v.near.space == nil {
		return 0
	}
	s := v.near.space
	r, ok := s.row(doc)
	if !ok {
		return 0
	}
	c := s.table.At(r)
	return max(0, of(&v.near.code, &c))
}

// Alike returns the rough cosine of the vectors of two documents in the space of the
// latest query's vector; 0 if it is negative, if one of them has no vector, or if the
// query had none.
func (v *View) Alike(a, b uint32) float64 {
	if v.near == nil || v.near.space == nil {
		return 0
	}
	s := v.near.space
	i, ok := s.row(a)
	j, too := s.row(b)
	if !ok || !too {
		return 0
	}
	x, y := s.table.At(i), s.table.At(j)
	return max(0, vector.Rough(&x, &y))
}
