package index

import (
	"context"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/ondemand"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

const (
	// A snapshot is kept when the store has this share more revisions than the last one, or the index this share more vectors,
	// and at least leastGrown more; or, if there are any more, after longestKept.
	grownShare  = 5
	leastGrown  = 200
	longestKept = time.Hour
	// sendPause is the least time between two snapshots, or attempts to keep one.
	sendPause = time.Minute
)

// sender keeps snapshots of the file for others.
type sender struct {
	send     func() // in the background
	ctx      context.Context
	stop     context.CancelFunc
	settling sync.WaitGroup // of a snapshot that was fetched
	work     ondemand.Worker

	mu    sync.Mutex // guards what follows
	last  extentOf   // of the snapshots that others find
	tried time.Time  // when it was last tried to keep one, or the index was opened
	next  time.Time  // when it may be tried next
}

func newSender(send func()) *sender {
	s := &sender{send: send, tried: now()}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

func now() time.Time { return time.Now() } //nolint:forbidigo // a duration, not the user's time

// due reports whether a snapshot of the current state is to be kept now.
func (s *sender) due(at *snapshot, instant embed.Embedder) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := now()
	return at.store != "" && !t.Before(s.next) && at.extent(instant).grown(s.last, t.Sub(s.tried))
}

// begin notes that a snapshot is about to be kept, and returns what others find until then.
func (s *sender) begin() extentOf {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried, s.next = now(), now().Add(sendPause)
	return s.last
}

// hurry ends the pause.
func (s *sender) hurry() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = time.Time{}
}

// keeps notes what others find.
func (s *sender) keeps(e extentOf) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = e
}

// extentOf is how much an index has: the revisions, and the vectors that came by [Vectors.Set] or from the store.
type extentOf struct {
	revision hippo.Revision
	vectors  int
}

// extent returns what a snapshot has. The vectors of the instant model come with the memories.
func (s *snapshot) extent(instant embed.Embedder) (e extentOf) {
	e.revision = s.revision
	for k, m := range s.models {
		if instant != nil && m == instant.Model() {
			continue
		}
		for _, p := range s.parts {
			e.vectors += p.vectors[k].table.Len()
		}
	}
	return e
}

// grown reports whether an index has so much more than the last snapshot that another one is worth keeping.
func (e extentOf) grown(last extentOf, since time.Duration) bool {
	more := func(now, before int) bool { return now-before >= max(leastGrown, before/grownShare) }
	return more(int(e.revision), int(last.revision)) || more(e.vectors, last.vectors) ||
		since >= longestKept && (e.revision > last.revision || e.vectors > last.vectors)
}
