package index

import (
	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// reader implements [retrieve.Reader] for a search.
type reader struct{ *found }

// Close implements [retrieve.Reader]. What a search keeps must not hold the snapshot: a file
// that has been replaced would stay mapped.
func (f reader) Close() {
	if f.pool == nil {
		return
	}
	pool := f.pool
	for i := range f.parts {
		p := &f.parts[i] // keeps the room of its sets
		*p = partFound{scans: p.scans, lexical: lexical{matched: p.matched}, nearest: p.nearest[:0], superseded: p.superseded[:0]}
	}
	clear(f.terms.list)
	f.pool, f.snapshot, f.query, f.channels = nil, nil, nil, [retrieve.Channels]channel{}
	f.sessions.clear()
	f.same = same{joined: f.same.joined[:0]}
	f.window.clear()
	pool.matches.put(f.matches.list)
	pool.sums.put(f.matches.sums)
	f.matches = matches{}
	pool.kept.put(f.found)
	pool.end()
}

// Rows implements [retrieve.Reader].
func (f reader) Rows(dst []retrieve.Row, matches []retrieve.Match) []retrieve.Row {
	f.prefetch(matches)
	for i := range matches {
		dst = append(dst, f.Row(matches[i].Doc))
	}
	return dst
}

// Row implements [retrieve.Reader].
func (f reader) Row(d retrieve.Doc) retrieve.Row {
	p, doc := f.at(d)
	r := p.shown.row(doc)
	untied, day := r.importance, hippo.Day(r.setDay)
	if r.flags&flagTied != 0 {
		if u := f.snapshot.lessons.of(r.id).untied; u != nil {
			untied, day = u.Value, u.SetDay
		}
	}
	surprise, scored := r.scored()
	return retrieve.Row{
		Surprise: surprise, Scored: scored,
		Untied: untied, UntiedDay: day,
		Importance: r.importance, SetDay: hippo.Day(r.setDay), LastUse: hippo.Day(r.uses.last), RecentUses: f.recentUses(p, doc, r),
		Length: int(p.columns.content[doc]),
		Marks: retrieve.Marks{
			Pinned: r.flags&flagPinned != 0, Superseded: r.flags&flagSuperseded != 0, Archived: r.flags&flagArchived != 0,
			Bounded: r.flags&flagBounded != 0,
		},
	}
}

// Key implements [retrieve.Reader].
func (f reader) Key(d retrieve.Doc) retrieve.Key {
	p, doc := f.at(d)
	r := p.shown.row(doc)
	return retrieve.Key{ID: r.id, CreatedAt: r.created}
}

// Details implements [retrieve.Reader].
func (f reader) Details(d retrieve.Doc) retrieve.Details {
	p, doc := f.at(d)
	x := &p.columns.extras[doc]
	return retrieve.Details{When: when(p.shown.row(doc), x), ValidFrom: x.from, ValidUntil: x.until, Text: x.text, ContentHash: x.hash}
}

// prefetch reads a bit of the row of each match, so that the processor waits for many cache
// misses at a time and not for one after the other.
func (f *found) prefetch(matches []retrieve.Match) {
	sum := uint8(0)
	for i := range matches {
		p, doc := f.at(matches[i].Doc)
		sum += p.shown.row(doc).flags
	}
	f.window.prefetched = sum // so that the loop is not optimised away
}

// recentUses is the number of accesses in the active days up to that of the query that rankers
// look back on.
func (f *found) recentUses(p *partFound, doc uint32, r *row) int {
	from := int32Of(int(f.query.Day)) - useWindow + 1
	switch {
	case r.uses.last < from:
		return 0
	case r.uses.last-int32(r.uses.days) >= from && r.uses.total < unknownTotal:
		return int(r.uses.total)
	}
	n := 0
	for _, u := range p.shown.uses(doc) {
		if u.day >= from {
			n += int(u.count)
		}
	}
	return n
}

// Admit implements [retrieve.Reader].
func (f reader) Admit(d retrieve.Doc) (retrieve.Match, bool) {
	p, doc := f.at(d)
	m := retrieve.Match{
		Doc: d, Cosine: f.cosine(retrieve.Semantic, p, doc, vector.Rough), Multilingual: f.cosine(retrieve.Multilingual, p, doc, vector.Rough),
	}
	f.estimate(&m, p, doc)
	if !p.admits(doc) || !folding(f).join(d) {
		return m, false
	}
	m.Context = p.situation.of(doc)
	return m, true
}

// Find implements [retrieve.Reader].
func (f reader) Find(id hippo.ID) (retrieve.Doc, bool) {
	for at := range f.parts {
		p := &f.parts[at]
		if p.outside {
			continue
		}
		doc, ok := p.find(id)
		if !ok || !p.live.has(doc) {
			continue
		}
		if !p.scope.has(doc) || !f.query.Filter.Archived && p.shown.row(doc).archived() != 0 {
			break
		}
		return docIn(at, doc), true
	}
	return retrieve.None, false
}

func (f *found) inScope(at int, doc uint32) bool {
	p := &f.parts[at]
	return !p.outside && p.scope.has(doc)
}

// Successor implements [retrieve.Reader].
func (f reader) Successor(d retrieve.Doc) (retrieve.Doc, bool) {
	p, doc := f.at(d)
	id := p.successor(doc)
	if id.IsZero() {
		return retrieve.None, false
	}
	next, ok := f.Find(id)
	if ok {
		next = folding(f).shown(next)
	}
	return next, ok
}

// superseded yields the documents in the scope that have a successor, with that.
func superseded(f *found, yield func(retrieve.Doc, hippo.ID) bool) {
	for at := range f.parts {
		p := &f.parts[at]
		for s := range p.shown.superseded() {
			folded := folding{f}
			shown := p.live.has(s.doc) && (f.query.Filter.Archived || p.shown.row(s.doc).archived() == 0)
			doc := docIn(at, s.doc)
			if shown && f.inScope(at, s.doc) && folded.shown(doc) == doc && !yield(doc, folded.shownID(s.id)) {
				return
			}
		}
	}
}

// Cosine implements [retrieve.Reader].
func (f reader) Cosine(d retrieve.Doc) float64 {
	p, doc := f.at(d)
	if lacks(f.found, retrieve.Semantic, p, doc) {
		return estimated(f.found, retrieve.Semantic, p, doc)
	}
	return f.cosine(retrieve.Semantic, p, doc, vector.Cosine)
}

// cosine is the largest of the passages of a document; 0 if it has no vector.
func (f *found) cosine(of retrieve.Channel, p *partFound, doc uint32, by func(a, b *vector.Code) float64) float64 {
	ch := &f.channels[of]
	if ch.model < 0 {
		return 0
	}
	v, best := &p.vectors[ch.model], 0.0
	from, to := v.rows(doc)
	for row := from; row < to; row++ {
		c := v.table.At(row)
		best = max(best, by(&ch.code, &c))
	}
	return best
}

// Similarity implements [retrieve.Reader].
func (f reader) Similarity(a, b retrieve.Doc) float64 {
	similar, ok := similarity(f.found, retrieve.Semantic, a, b)
	if !ok && f.query.Vectors[retrieve.Semantic].Partial {
		similar, _ = similarity(f.found, beside(f.found), a, b)
	}
	return similar
}

// similarity is the approximate cosine of the first passages of two documents in a channel; not ok: a vector is missing.
func similarity(f *found, in retrieve.Channel, a, b retrieve.Doc) (similar float64, ok bool) {
	model := f.channels[in].model
	if model < 0 {
		return 0, false
	}
	p, i := f.at(a)
	q, k := f.at(b)
	row, ok := p.vectors[model].first(i)
	other, too := q.vectors[model].first(k)
	if !ok || !too {
		return 0, false
	}
	x, y := p.vectors[model].table.At(row), q.vectors[model].table.At(other)
	return max(0, vector.Rough(&x, &y)), true
}

// Tokens implements [retrieve.Reader]. A file that is damaged may hold any number below 65,536.
func (f reader) Tokens(dst []int32, d retrieve.Doc) []int32 {
	p, doc := f.at(d)
	for b := p.tokens.at(int(doc)); len(b) >= tokenSize; b = b[tokenSize:] {
		dst = append(dst, int32(b[0])|int32(b[1])<<8)
	}
	return dst
}

// Passage implements [retrieve.Reader].
func (f reader) Passage(d retrieve.Doc) retrieve.Passage {
	p, doc := f.at(d)
	out := retrieve.Passage{
		Author: p.author(doc), Cues: cue.Cues(p.shown.row(doc).cues), Before: retrieve.None, After: retrieve.None,
	}
	if p.columns.extras[doc].session != 0 {
		out.Session, out.Before, out.After = place(f.found, p, doc)
	}
	return out
}
