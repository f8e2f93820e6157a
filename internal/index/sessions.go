package index

import (
	"cmp"
	"slices"
	"sync"
)

// sessions knows the order of the documents of each session. It follows the
// columns when it is asked, and is made anew after a merge.
type sessions struct {
	mu     sync.Mutex
	in     *rows
	number map[sessionKey]uint32
	of     []uint32   // by document: its session plus 1; 0: none
	lists  [][]uint32 // by session: its documents, in order
}

// sessionKey is a session: names repeat from project to project.
type sessionKey struct{ namespace, project, session uint32 }

// follow takes over the documents that are new. s.mu is held.
func (s *sessions) follow(r *rows) {
	if s.in != r {
		s.in, s.number, s.of, s.lists = r, make(map[sessionKey]uint32), nil, nil
	}
	from := len(s.of)
	if from == len(r.hot) {
		return
	}
	changed := make(map[uint32]bool)
	for d := from; d < len(r.hot); d++ {
		c, h := &r.cold[d], &r.hot[d]
		if c.session == 0 {
			s.of = append(s.of, 0)
			continue
		}
		key := sessionKey{h.namespace, h.project, c.session}
		n, ok := s.number[key]
		if !ok {
			n = uint32(len(s.lists))
			s.number[key] = n
			s.lists = append(s.lists, nil)
		}
		s.of = append(s.of, n+1)
		s.lists[n] = append(s.lists[n], uint32(d))
		changed[n] = true
	}
	for n := range changed {
		slices.SortFunc(s.lists[n], r.inSession)
	}
}

// forget makes the next question start anew, and lets go of old columns.
func (s *sessions) forget() {
	s.mu.Lock()
	s.in, s.number, s.of, s.lists = nil, nil, nil, nil
	s.mu.Unlock()
}

// standing is what decides where a document stands.
type standing struct {
	key                 sessionKey
	seq, event, created int64
}

func (r *rows) standing(d uint32) standing {
	h, c := &r.hot[d], &r.cold[d]
	return standing{sessionKey{h.namespace, h.project, c.session}, c.seq, c.event, h.created}
}

// inSession orders the documents of a session: by position, then by time.
func (r *rows) inSession(a, b uint32) int {
	x, y := &r.cold[a], &r.cold[b]
	return cmp.Or(
		cmp.Compare(x.seq, y.seq),
		cmp.Compare(cmp.Or(x.event, r.hot[a].created), cmp.Or(y.event, r.hot[b].created)),
		r.hot[a].id.Compare(r.hot[b].id),
		cmp.Compare(a, b), // of two texts of one memory, one is dead
	)
}

// Place is where a document stands in its session.
type Place struct {
	// Session numbers the session, from 1; 0: the document has none.
	Session uint32
	// Before and After are the live documents beside it, or [None].
	Before, After uint32
}

// None is no document.
const None = gone

// Place returns where a document stands in its session. Cost: the logarithm of the
// length of the session, and at first a pass over all documents.
func (v *View) Place(doc uint32) Place {
	p := Place{Before: None, After: None}
	r := v.x.rows
	if r.cold[doc].session == 0 {
		return p
	}
	s := &v.x.sessions
	s.mu.Lock()
	defer s.mu.Unlock()
	s.follow(r)
	p.Session = s.of[doc]
	list := s.lists[p.Session-1]
	at, ok := slices.BinarySearchFunc(list, doc, r.inSession)
	if !ok {
		return p
	}
	for i := at - 1; i >= 0; i-- {
		if !r.dead.has(list[i]) {
			p.Before = list[i]
			break
		}
	}
	for i := at + 1; i < len(list); i++ {
		if !r.dead.has(list[i]) {
			p.After = list[i]
			break
		}
	}
	return p
}
