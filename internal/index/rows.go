package index

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/cue"
	"github.com/hippo-memory/hippo/internal/index/bm25"
)

// row is what ranking and most filters read of a document: one cache line, no
// pointers. Names are numbers of [names].
type row struct {
	id         hippo.ID
	created    int64 // microseconds
	importance float64
	namespace  uint32
	project    uint32
	kind       uint32
	setDay     int32
	lastDay    int32
	accesses   uint32 // offset in rows.accesses
	uses       uint8  // number of entries there
	flags      uint8
	trust      int8
}

const (
	flagPinned     = 1 << iota // never decays
	flagSuperseded             // another memory replaces it
	// Above them the [cue.Cues] of the content.
	cueShift = 2
	cueMask  = 15
)

// detail is the rest of a document's columns.
type detail struct {
	updated, event, from, until int64 // microseconds, 0: unset
	seq                         int64
	text                        uint64 // hash of what is indexed
	hash                        uint64 // first 8 bytes of ContentHash, big-endian
	author, session             uint32
	labels                      uint32 // offset in rows.labels
	tagCount, elemCount         uint8  // how many of them are tags, and how many situation elements after those
	surprise                    float32
}

// use is one access entry.
type use struct{ day, count int32 }

// window is the number of active days of accesses that are kept: what ranking
// looks back on.
const window = 30

// rows are the columns of all documents, dead ones included, by document number.
type rows struct {
	names    *names
	hot      []row
	cold     []detail
	content  []uint32    // lengths in terms
	other    [][2]uint32 // lengths of situation and tags
	accesses []use
	labels   []uint32 // names
	isElem   []bool   // by name: it is a situation element
	dead     docSet
	heirs    map[hippo.ID]hippo.ID // what replaces a live document that is superseded
	// live are the numbers the formula needs; spaces counts rows by namespace.
	live   bm25.Stats
	spaces map[uint32]int
}

func newRows() *rows {
	return &rows{names: newNames(), heirs: make(map[hippo.ID]hippo.ID), spaces: make(map[uint32]int)}
}

// names numbers the strings that repeat; "" is 0. Numbers never change.
type names struct {
	list []string
	ids  map[string]uint32 // nil until a name is added: it takes longer to make than all else of a start
}

func newNames() *names {
	return &names{list: []string{""}}
}

// find returns the number of s. Cost: a pass over the names while there is no map.
func (n *names) find(s string) (uint32, bool) {
	if n.ids != nil {
		id, ok := n.ids[s]
		return id, ok
	}
	i := slices.Index(n.list, s)
	return uint32(max(i, 0)), i >= 0
}

func (n *names) add(s string) uint32 {
	if n.ids == nil {
		n.ids = make(map[string]uint32, len(n.list))
		for i, s := range n.list {
			n.ids[s] = uint32(i)
		}
	}
	id, ok := n.ids[s]
	if !ok {
		id = uint32(len(n.list))
		n.list = append(n.list, s)
		n.ids[s] = id
	}
	return id
}

// docSet is a set of document numbers.
type docSet []uint64

func (b docSet) has(i uint32) bool { return int(i>>6) < len(b) && b[i>>6]&(1<<(i&63)) != 0 }

func (b *docSet) add(i uint32) {
	for int(i>>6) >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[i>>6] |= 1 << (i & 63)
}

func (b docSet) remove(i uint32) {
	if int(i>>6) < len(b) {
		b[i>>6] &^= 1 << (i & 63)
	}
}

// reset empties the set and makes room for n documents.
func (b *docSet) reset(n int) {
	*b = slices.Grow((*b)[:0], (n+63)/64)[:(n+63)/64]
	clear(*b)
}

// word returns the members 64*i to 64*i+63.
func (b docSet) word(i int) uint64 {
	if i < len(b) {
		return b[i]
	}
	return 0
}

// append adds a document and returns its number.
func (r *rows) append(m *hippo.Memory, text uint64, length bm25.Counts) uint32 {
	doc := uint32(len(r.hot))
	r.hot = append(r.hot, row{})
	r.cold = append(r.cold, detail{})
	r.content = append(r.content, length[bm25.Content])
	r.other = append(r.other, [2]uint32{length[bm25.Situation], length[bm25.Tags]})
	r.count(doc, 1)
	r.spaces[0]++
	r.set(doc, m, text)
	return doc
}

// count adds the document to what is live, or with sign -1 takes it out.
func (r *rows) count(doc uint32, sign int) {
	r.live.Docs += sign
	for f, n := range r.length(doc) {
		r.live.Length[f] += uint64(sign * int(n)) // wraps around to a subtraction
	}
}

// length returns the lengths of the fields of a document.
func (r *rows) length(doc uint32) bm25.Counts {
	o := r.other[doc]
	return bm25.Counts{r.content[doc], o[0], o[1]}
}

// set takes all columns of a document from m.
func (r *rows) set(doc uint32, m *hippo.Memory, text uint64) {
	h := &r.hot[doc]
	r.spaces[h.namespace]--
	*h = row{
		id: m.ID, created: micros(m.CreatedAt), importance: m.Importance.Value, setDay: int32(m.Importance.SetDay),
		namespace: r.names.add(m.Namespace), project: r.names.add(m.Project), kind: r.names.add(m.Type), trust: int8(m.Trust),
	}
	r.spaces[h.namespace]++
	h.flags = uint8(cue.Of(m.Content)) << cueShift
	if m.Pinned {
		h.flags |= flagPinned
	}
	if !m.SupersededBy.IsZero() {
		h.flags |= flagSuperseded
	}
	r.inherit(m.ID, m.SupersededBy)
	r.setUses(h, recent(m.Accesses))
	c := &r.cold[doc]
	labels, n := c.labels, len(m.Tags)+len(m.Situation)
	if int(c.tagCount)+int(c.elemCount) != n {
		labels = uint32(len(r.labels))
		r.labels = append(r.labels, make([]uint32, n)...)
	}
	*c = detail{
		updated: micros(m.UpdatedAt), event: micros(m.EventTime), from: micros(m.ValidFrom), until: micros(m.ValidUntil),
		seq: int64(m.Source.Seq), text: text, hash: binary.BigEndian.Uint64(m.ContentHash[:]),
		author: r.names.add(m.Source.Author), session: r.names.add(m.Source.Session),
		labels: labels, tagCount: uint8(len(m.Tags)), elemCount: uint8(len(m.Situation)), surprise: float32(m.Surprise.Score),
	}
	for i, t := range m.Tags {
		r.labels[int(labels)+i] = r.names.add(t)
	}
	for i, e := range m.Situation {
		r.labels[int(labels)+len(m.Tags)+i] = r.element(e)
	}
}

// element numbers the text of a situation element.
func (r *rows) element(text string) uint32 {
	id := r.names.add(text)
	r.mark(id)
	return id
}

// mark says that a name is a situation element.
func (r *rows) mark(id uint32) {
	for int(id) >= len(r.isElem) {
		r.isElem = append(r.isElem, false)
	}
	r.isElem[id] = true
}

// tags returns the names of a document's tags.
func (r *rows) tags(c *detail) []uint32 { return r.labels[c.labels:][:c.tagCount] }

// elems returns the names of a document's situation elements.
func (r *rows) elems(c *detail) []uint32 { return r.labels[c.labels:][c.tagCount:][:c.elemCount] }

// setUses gives h new access entries. The old ones stay where they are, for
// whoever kept their place, until the next merge.
func (r *rows) setUses(h *row, list []use) {
	h.accesses, h.uses, h.lastDay = uint32(len(r.accesses)), uint8(len(list)), 0
	r.accesses = append(r.accesses, list...)
	if len(list) > 0 {
		h.lastDay = list[len(list)-1].day
	}
}

// uses returns the access entries of a document, ascending.
func (r *rows) uses(h *row) []use {
	return r.accesses[h.accesses : int(h.accesses)+int(h.uses)]
}

// recent returns the entries of the last [window] active days up to the newest.
func recent(all []hippo.Access) []use {
	if len(all) == 0 {
		return nil
	}
	newest := all[len(all)-1].Day
	from := max(0, len(all)-window)
	for from < len(all) && all[from].Day <= newest-window {
		from++
	}
	out := make([]use, 0, len(all)-from)
	for _, a := range all[from:] {
		out = append(out, use{int32(a.Day), int32(min(a.Count, math.MaxInt32))})
	}
	return out
}

// plus returns list with the accesses u added, as [hippo.Memory.Touch] does it.
func plus(list []use, u use) []use {
	out := slices.Clone(list)
	if k := len(out); k > 0 && out[k-1].day >= u.day {
		out[k-1].count += u.count
		return out
	}
	out = append(out, u)
	for out[0].day <= u.day-window {
		out = out[1:]
	}
	return out
}

// micros is t in microseconds; unset is 0, so that the epoch itself becomes 1.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	if u := t.UnixMicro(); u != 0 {
		return u
	}
	return 1
}

// textHash identifies what is indexed of m: content, situation, tags.
func textHash(m *hippo.Memory) uint64 {
	h := sha256.New()
	var n [8]byte
	part := func(s string) {
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	part(m.Content)
	for _, s := range m.Situation {
		part(s)
	}
	part("") // no element is empty, so this divides the lists
	for _, s := range m.Tags {
		part(s)
	}
	var sum [sha256.Size]byte
	return binary.LittleEndian.Uint64(h.Sum(sum[:0]))
}
