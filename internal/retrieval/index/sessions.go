package index

import (
	"cmp"
	"slices"
	"sort"

	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// sessionOf returns the number of the session of a document, and its ranges.
func sessionOf(f *found, p *partFound, doc uint32) (uint32, sessionRanges) {
	r, x, n := &p.columns.rows[doc], &p.columns.extras[doc], &f.sessions
	here := localSession{p.number, r.namespace, r.project, x.session}
	if number, ok := n.local[here]; ok {
		return number, n.ranges[number-1]
	}
	if n.local == nil {
		n.local, n.numbers = make(map[localSession]uint32), make(map[sessionKey]uint32)
	}
	key := sessionKey{p.names.text(r.namespace), p.names.text(r.project), p.names.text(x.session)}
	number, ok := n.numbers[key]
	if !ok {
		ranges := make(sessionRanges, len(f.parts))
		for i := range f.parts {
			ranges[i].from, ranges[i].to = f.parts[i].sessionRange(key)
		}
		n.ranges = append(n.ranges, ranges)
		number = uint32(len(n.ranges))
		n.numbers[key] = number
	}
	n.local[here] = number
	return number, n.ranges[number-1]
}

// sessionRange returns where the documents of a session lie in the order of the segment.
func (s *segment) sessionRange(key sessionKey) (from, to int) {
	namespace, ok := s.names.find(key.namespace)
	project, also := s.names.find(key.project)
	session, too := s.names.find(key.session)
	if !ok || !also || !too {
		return 0, 0
	}
	after := func(i, than int) bool {
		r, x := &s.columns.rows[s.sessions[i]], &s.columns.extras[s.sessions[i]]
		return cmp.Or(cmp.Compare(r.namespace, namespace), cmp.Compare(r.project, project), cmp.Compare(x.session, session)) > than
	}
	n := len(s.sessions)
	return sort.Search(n, func(i int) bool { return after(i, -1) }), sort.Search(n, func(i int) bool { return after(i, 0) })
}

// place returns the number of the session of a document and its live neighbours there.
func place(f *found, p *partFound, doc uint32) (session uint32, before, after retrieve.Doc) {
	number, ranges := sessionOf(f, p, doc)
	before, after = retrieve.None, retrieve.None
	for i := range f.parts {
		q := &f.parts[i]
		list := q.sessions[ranges[i].from:ranges[i].to]
		at, _ := slices.BinarySearchFunc(list, doc, func(d, _ uint32) int { return q.position(d, p.segment, doc) })
		for k := at - 1; k >= 0; k-- {
			if q.live.has(list[k]) {
				before = later(f, before, docIn(i, list[k]))
				break
			}
		}
		for ; at < len(list); at++ {
			if q.live.has(list[at]) && (q.segment != p.segment || list[at] != doc) {
				after = earlier(f, after, docIn(i, list[at]))
				break
			}
		}
	}
	return number, before, after
}

// position compares a document of one segment with one of another within their session: by
// sequence number, time and ID.
func (s *segment) position(a uint32, t *segment, b uint32) int {
	p, q, x, y := &s.columns.rows[a], &t.columns.rows[b], &s.columns.extras[a], &t.columns.extras[b]
	return cmp.Or(cmp.Compare(x.seq, y.seq), cmp.Compare(when(p, x), when(q, y)), p.id.Compare(q.id))
}

// later returns the later one of two documents of a session, earlier the other one; either may
// be none.
func later(f *found, a, b retrieve.Doc) retrieve.Doc {
	if a == retrieve.None || precedes(f, a, b) {
		return b
	}
	return a
}

func earlier(f *found, a, b retrieve.Doc) retrieve.Doc {
	if a == retrieve.None || precedes(f, b, a) {
		return b
	}
	return a
}

func precedes(f *found, a, b retrieve.Doc) bool {
	p, x := f.at(a)
	q, y := f.at(b)
	return p.position(x, q.segment, y) < 0
}
