package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"iter"
	"maps"
	"slices"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// gone stands for the new number of a document or a term that a merge leaves out.
const gone = ^uint32(0)

// input is a part that goes into a merge.
type input struct {
	*part
	newOf []uint32 // by document: its new number, or gone
	names []uint32 // by name: its provisional number plus 1; 0: not used yet
	terms []uint32 // by term: its new number, or gone
	// codes holds the new codes of postings by their old ones, plus 1; 0: not known yet.
	codes [256]uint16
}

// merger makes one part of several.
type merger struct {
	inputs []*input
	order  []origin // of the new documents
	out    segment
	names  *numbering
	models []embed.Model
}

// origin is where a document comes from. project is the rank of its namespace and project.
type origin struct {
	in           *input
	doc, project uint32
}

// projectName is a project of a namespace.
type projectName struct{ namespace, project string }

// merge returns a part of the documents of parts that are not deleted.
func merge(parts []*part, models []embed.Model) (*part, *merger) {
	m := &merger{names: newNumbering(), models: models}
	// Segments of different times do not overlap: in the order of their IDs, postings are as
	// good as sorted.
	parts = slices.SortedFunc(slices.Values(parts), func(a, b *part) int { return firstID(a.segment).Compare(firstID(b.segment)) })
	docs := 0
	for _, p := range parts {
		in := &input{part: p, newOf: make([]uint32, p.docs), names: make([]uint32, p.names.len())}
		m.inputs = append(m.inputs, in)
		docs += p.docs
	}
	m.order = make([]origin, 0, docs)
	m.sort()
	m.columns()
	m.lexicon()
	m.documents()
	group(&m.out)
	order(&m.out)
	m.out.sessions = m.out.orderSessions()
	hidden := newDocSet(m.out.docs)
	for i, o := range m.order {
		if o.in.hidden.has(o.doc) {
			hidden.add(uint32(i))
		}
	}
	p := newPart(&m.out, hidden.complement(m.out.docs), hidden, len(models))
	for k := range models {
		p.vectors[k] = m.vectors(k)
	}
	for _, in := range m.inputs {
		in.file.drop()
	}
	return p, m
}

// sort numbers the documents that stay.
func (m *merger) sort() {
	ranks := m.ranks()
	for _, in := range m.inputs {
		for name, docs := range in.byProject() {
			rank := ranks[name]
			for d := docs.from; d < docs.to; d++ {
				in.newOf[d] = gone
				if in.known(d) {
					m.order = append(m.order, origin{in, d, rank})
				}
			}
		}
	}
	slices.SortFunc(m.order, func(a, b origin) int {
		return cmp.Or(cmp.Compare(a.project, b.project), a.in.columns.rows[a.doc].id.Compare(b.in.columns.rows[b.doc].id))
	})
	for i, o := range m.order {
		o.in.newOf[o.doc] = uint32(i)
	}
	m.out.docs = len(m.order)
}

// byProject yields the projects of all namespaces, with their documents.
func (in *input) byProject() iter.Seq2[projectName, docRange] {
	return func(yield func(projectName, docRange) bool) {
		for _, t := range in.tenants {
			for _, x := range t.projects {
				if !yield(projectName{in.part.names.text(t.namespace), in.part.names.text(x.project)}, x.docRange) {
					return
				}
			}
		}
	}
}

// ranks numbers the projects in their order.
func (m *merger) ranks() map[projectName]uint32 {
	out := make(map[projectName]uint32)
	for _, in := range m.inputs {
		for name := range in.byProject() {
			out[name] = 0
		}
	}
	inOrder := func(a, b projectName) int {
		return cmp.Or(compareStrings(a.namespace, b.namespace), compareStrings(a.project, b.project))
	}
	for i, name := range slices.SortedFunc(maps.Keys(out), inOrder) {
		out[name] = uint32(i)
	}
	return out
}

// columns copies the columns, with the rows as they are stored now.
func (m *merger) columns() {
	c, n := &m.out.columns, len(m.order)
	c.rows, c.extras = make([]row, n), make([]extra, n)
	c.content, c.other, c.said, c.sources = make([]uint32, n), make([][2]uint32, n), make([]uint64, n), make([]uint32, n)
	for i, o := range m.order {
		from := &o.in.columns
		r, x, uses := *o.in.stored.row(o.doc), from.extras[o.doc], o.in.stored.uses(o.doc)
		labels := from.labels[x.firstLabel:][:int(x.tagCount)+int(x.elemCount)]
		x.firstLabel = uint32(len(c.labels))
		for _, l := range labels {
			c.labels = append(c.labels, m.name(o.in, l))
		}
		r.namespace, r.project, r.kind = m.name(o.in, r.namespace), m.name(o.in, r.project), m.name(o.in, r.kind)
		x.author, x.session = m.name(o.in, x.author), m.name(o.in, x.session)
		r.uses = useListOf(len(c.uses), uses)
		c.uses = append(c.uses, uses...)
		if r.flags&flagSuperseded != 0 {
			c.successors = append(c.successors, successor{uint32(i), o.in.stored.successor(o.doc)})
		}
		c.rows[i], c.extras[i], c.sources[i] = r, x, m.name(o.in, from.sources[o.doc])
		c.content[i], c.other[i], c.said[i] = from.content[o.doc], from.other[o.doc], from.said[o.doc]
	}
	var final []uint32
	m.out.names, final = m.names.seal()
	for i := range c.rows {
		r, x := &c.rows[i], &c.extras[i]
		r.namespace, r.project, r.kind = final[r.namespace], final[r.project], final[r.kind]
		x.author, x.session = final[x.author], final[x.session]
	}
	for _, list := range [][]uint32{c.labels, c.sources} {
		for i, l := range list {
			list[i] = final[l]
		}
	}
}

// name returns the provisional number of a name.
func (m *merger) name(in *input, old uint32) uint32 {
	if in.names[old] == 0 {
		in.names[old] = m.names.add(in.part.names.text(old)) + 1
	}
	return in.names[old] - 1
}

// mergedList is the list of a term while it is merged.
type mergedList struct {
	posts []uint32 // as in [list], with the new documents
	rare  []rareCount
}

// rareCount is an entry of [list.rare] with its new document.
type rareCount struct {
	doc    uint32
	counts bm25.Counts
}

// lexicon merges the sorted dictionaries and the lists of postings.
func (m *merger) lexicon() {
	letters, posts, terms := 0, 0, 0
	for _, in := range m.inputs {
		l := &in.lexicon
		in.terms = make([]uint32, l.terms.len())
		letters, posts, terms = max(letters, len(l.terms.data)), posts+len(l.posts.data), max(terms, l.terms.len())
	}
	out := &m.out.lexicon
	out.terms, out.posts, out.rare = newBlobs(terms, letters), newBlobs(terms, posts), newBlobs(terms, 0)
	next := make([]int, len(m.inputs))
	var work mergedList
	for {
		term := m.lowest(next)
		if term == nil {
			return
		}
		id := uint32(out.terms.len())
		work.posts, work.rare = work.posts[:0], work.rare[:0]
		for i, in := range m.inputs {
			t := next[i]
			if t == in.lexicon.terms.len() || !bytes.Equal(in.lexicon.terms.at(t), term) {
				continue
			}
			in.terms[t] = gone
			if work.take(in, in.lexicon.postings(uint32(t)), &out.shapes) {
				in.terms[t] = id
			}
			next[i]++
		}
		out.write(term, &work)
	}
}

// lowest returns the next term in order, nil at the end.
func (m *merger) lowest(next []int) []byte {
	var term []byte
	for i, in := range m.inputs {
		if next[i] == in.lexicon.terms.len() {
			continue
		}
		if t := in.lexicon.terms.at(next[i]); term == nil || bytes.Compare(t, term) < 0 {
			term = t
		}
	}
	return term
}

// take adds the postings of documents that stay, and reports whether there are any.
func (w *mergedList) take(in *input, l list, s *shapes) bool {
	before, rare := len(w.posts), l.rare
	for b := l.posts; len(b) >= postSize; b = b[postSize:] {
		p := binary.LittleEndian.Uint32(b)
		to, code := in.newOf[p>>8], in.codes[byte(p)]
		c := l.shapes.counts[byte(p)]
		if byte(p) == 0 {
			c, rare, code = rareCounts(rare), rare[rareSize:], 0
		}
		if to == gone {
			continue
		}
		if code == 0 {
			code = uint16(s.code(c)) + 1
			in.codes[byte(p)] = code
		}
		if code == 1 {
			w.rare = append(w.rare, rareCount{to, c})
		}
		w.posts = append(w.posts, to<<8|uint32(code-1))
	}
	return len(w.posts) > before
}

// write appends a term and its list; one without postings is left out.
func (x *lexicon) write(term []byte, w *mergedList) {
	if len(w.posts) == 0 {
		return
	}
	slices.Sort(w.posts)
	slices.SortFunc(w.rare, func(a, b rareCount) int { return cmp.Compare(a.doc, b.doc) })
	x.terms.append(term)
	for _, p := range w.posts {
		x.posts.data = binary.LittleEndian.AppendUint32(x.posts.data, p)
	}
	for _, r := range w.rare {
		x.rare.data = appendCounts(x.rare.data, r.counts)
	}
	x.posts.end()
	x.rare.end()
}

// documents copies the situations, with the new numbers of their terms, and the word pieces.
func (m *merger) documents() {
	situations, tokens := 0, 0
	for _, in := range m.inputs {
		situations, tokens = situations+len(in.situations.data), tokens+len(in.tokens.data)
	}
	m.out.situations, m.out.tokens = newBlobs(len(m.order), situations), newBlobs(len(m.order), tokens)
	var ids []uint32
	for _, o := range m.order {
		m.out.tokens.append(o.in.tokens.at(int(o.doc)))
		for rest := o.in.situations.at(int(o.doc)); len(rest) > 0; {
			ids, rest = nextElement(ids, rest)
			for i, id := range ids {
				ids[i] = o.in.terms[id]
			}
			slices.Sort(ids)
			m.out.situations.data = appendElement(m.out.situations.data, ids)
		}
		m.out.situations.end()
	}
}

// vectors copies those of model k, in the order of the documents.
func (m *merger) vectors(k int) vectors {
	n := 0
	for _, o := range m.order {
		from, to := o.in.vectors[k].rows(o.doc)
		n += int(to - from)
	}
	if n == 0 {
		return vectors{}
	}
	v := vectors{table: *vector.NewSized(m.models[k].Dimension, n), docOf: make([]uint32, 0, n)}
	for i, o := range m.order {
		from, to := o.in.vectors[k].rows(o.doc)
		for row := from; row < to; row++ {
			v.table.AppendCode(o.in.vectors[k].table.At(row))
			v.docOf = append(v.docOf, uint32(i))
		}
	}
	v.index(len(m.order))
	return v
}
