package index

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
)

// row holds the columns of a document that scoring and most filters read: one cache line. Only
// rows change after a segment was built. Names are numbers of the segment's dictionary, times are
// microseconds since 1970.
type row struct {
	id         hippo.ID
	created    int64
	importance float64
	namespace  uint32
	project    uint32
	kind       uint32
	setDay     int32
	uses       useList
	flags      uint8
	trust      int8
	cues       uint8
	surprise   uint8 // see [surpriseOf]
}

// useList says where the accesses of a row lie, and sums them up: of most rows the list itself
// need not be read.
type useList struct {
	first uint32 // offset
	last  int32  // day of the newest, 0 if there is none
	count uint8  // days
	days  uint8  // from the oldest to the newest
	total uint16 // accesses, at most unknownTotal
}

// unknownTotal stands for any total that is too large for a row.
const unknownTotal = math.MaxUint16

// useListOf returns the useList of accesses at an offset.
func useListOf(first int, list []use) useList {
	l := useList{first: uint32(first), count: uint8(len(list))}
	if len(list) == 0 {
		return l
	}
	l.last = list[len(list)-1].day
	l.days = uint8(l.last - list[0].day)
	total := int64(0)
	for _, u := range list {
		total += int64(u.count)
	}
	l.total = uint16(min(total, unknownTotal))
	return l
}

const (
	flagPinned     = 1 << iota // never decays
	flagSuperseded             // has a successor
	flagTied                   // has votes that are tied to questions, see [lesson]
	flagArchived               // default searches leave it out
	flagSummary                // see [hippo.Memory.IsSummary]
	flagBounded                // its validity has a bound
)

// extra holds the other columns of a document. A document of which one of them changes is
// indexed again.
type extra struct {
	event, from, until  int64 // microseconds since 1970, 0: unset
	seq                 int64
	text                uint64 // see [TextKey]
	hash                uint64 // first 8 bytes of the content hash, big-endian
	author, session     uint32
	firstLabel          uint32 // offset of tags and situation elements in labels
	tagCount, elemCount uint8
	_                   [2]uint8
}

// use is the number of accesses on one active day.
type use struct{ day, count int32 }

// successor is what supersedes a document.
type successor struct {
	doc uint32
	id  hippo.ID
}

// columns are the columns of a segment, by document.
type columns struct {
	rows       []row
	extras     []extra
	sources    []uint32    // see [sourceName]
	content    []uint32    // length of the content, in terms
	other      [][2]uint32 // lengths of situation and tags
	said       []uint64    // see [saidKey]
	labels     []uint32    // names
	uses       []use
	successors []successor // ascending by document
}

// tags returns the names of the tags of a document.
func (c *columns) tags(x *extra) []uint32 { return c.labels[x.firstLabel:][:x.tagCount] }

// elements returns the names of the situation elements of a document.
func (c *columns) elements(x *extra) []uint32 {
	return c.labels[x.firstLabel:][x.tagCount:][:x.elemCount]
}

// useWindow is the number of active days of accesses that are kept: those that rankers look
// back on.
const useWindow = 30

// rowOf returns the mutable columns of m, its names left out.
func rowOf(m *hippo.Memory) row {
	r := row{
		id: m.ID, created: micros(m.CreatedAt), importance: m.Importance.Value,
		setDay: int32(m.Importance.SetDay), trust: int8(m.Trust), cues: uint8(cuesOf(m.Content)), surprise: surpriseOf(m.Surprise.Score),
	}
	if m.Pinned {
		r.flags |= flagPinned
	}
	if !m.SupersededBy.IsZero() {
		r.flags |= flagSuperseded
	}
	if m.Untied != nil {
		r.flags |= flagTied
	}
	if m.Archived() {
		r.flags |= flagArchived
	}
	if m.IsSummary() {
		r.flags |= flagSummary
	}
	if !m.ValidFrom.IsZero() || !m.ValidUntil.IsZero() {
		r.flags |= flagBounded
	}
	return r
}

// extraOf returns the immutable columns of m, its names left out.
func extraOf(m *hippo.Memory) extra {
	return extra{
		event: micros(m.EventTime), from: micros(m.ValidFrom), until: micros(m.ValidUntil), seq: int64(m.Source.Seq),
		text: TextKey(m), hash: binary.BigEndian.Uint64(m.ContentHash[:]),
		tagCount: uint8(len(m.Tags)), elemCount: uint8(len(m.Situation)),
	}
}

// sourceName is the name that stands for the kind, the client and the URI of a source.
func sourceName(s *hippo.Source) string {
	if s.Kind == "" && s.Client == "" && s.URI == "" {
		return ""
	}
	return string(s.Kind) + "\x00" + s.Client + "\x00" + s.URI
}

// sourceNamed returns the source that a name stands for.
func sourceNamed(name string) (s hippo.Source) {
	kind, rest, _ := strings.Cut(name, "\x00")
	s.Kind = hippo.SourceKind(kind)
	s.Client, s.URI, _ = strings.Cut(rest, "\x00")
	return s
}

// surpriseSteps is the number of steps of a surprise above 0.
const surpriseSteps = 254

// surpriseOf returns a score as rows have it: 0 for none, else 1 and the score in steps of 1/254.
func surpriseOf(score float64) uint8 {
	if score <= 0 {
		return 0
	}
	return 1 + uint8(math.Round(min(score, 1)*surpriseSteps))
}

// scored returns the surprise of a row, and whether it has one.
func (r *row) scored() (score float64, ok bool) {
	if r.surprise == 0 {
		return 0, false
	}
	return float64(r.surprise-1) / surpriseSteps, true
}

// same reports whether two documents have the same columns, names apart.
func (x *extra) same(y *extra) bool {
	return x.event == y.event && x.from == y.from && x.until == y.until && x.seq == y.seq && x.text == y.text && x.hash == y.hash
}

// recentUses returns the entries of the last [useWindow] active days up to the newest.
func recentUses(all []hippo.Access) []use {
	if len(all) == 0 {
		return nil
	}
	newest := all[len(all)-1].Day
	from := max(0, len(all)-useWindow)
	for from < len(all) && all[from].Day <= newest-useWindow {
		from++
	}
	out := make([]use, 0, len(all)-from)
	for _, a := range all[from:] {
		out = append(out, use{int32(a.Day), int32(min(a.Count, math.MaxInt32))})
	}
	return out
}

// addUse appends list with u added to dst, as [hippo.Memory.Touch] does it.
func addUse(list []use, u use) []use {
	out := make([]use, len(list), len(list)+1)
	copy(out, list)
	if k := len(out); k > 0 && out[k-1].day >= u.day {
		out[k-1].count += u.count
		return out
	}
	out = append(out, u)
	for out[0].day <= u.day-useWindow {
		out = out[1:]
	}
	return out
}

// when is the time that a document is about: that of its event, or else of its creation.
func when(r *row, x *extra) int64 {
	if x.event != 0 {
		return x.event
	}
	return r.created
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

// TextKey identifies what is indexed of a memory: content, situation and tags. A vector counts
// for a memory as long as this number is the same.
func TextKey(m *hippo.Memory) uint64 {
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

// int32Of narrows a count that no real store exceeds.
func int32Of(n int) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

// cuesOf returns the cues of a content, and whether it is foreign.
func cuesOf(content string) cue.Cues {
	c := cue.Of(content)
	if cue.IsForeign(content) {
		c |= cue.Foreign
	}
	return c
}
