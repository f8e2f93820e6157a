package embedding

import (
	"context"
	"sync"
	"time"
)

const (
	// restAfterSearch is how long no search may run before the background work goes on: who searched
	// once often searches again, and a batch that has begun takes a core for some hundred milliseconds.
	restAfterSearch = 100 * time.Millisecond
	// longestPause is how long searches that follow one another hold the background work up. After it
	// one batch is embedded, so that even a server that is never idle gets its vectors.
	longestPause = 5 * time.Second
	// longestFew is the same if only a few memories are missing, such as the one that was just recorded.
	longestFew = 300 * time.Millisecond
	// restAfterRecord and longestRecords are the same for records: what follows one another as fast as the disk writes
	// does not wait for the processors, and gets its vectors afterwards.
	restAfterRecord = 20 * time.Millisecond
	longestRecords  = time.Second
)

// searches counts the searches that run, or the records, so that the background work can let them pass. The zero
// value is ready.
type searches struct {
	mu    sync.Mutex
	n     int
	done  time.Time     // when the last one ended
	ended chan struct{} // closed when the next one ends; nil: nobody waits for it
}

func (s *searches) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
}

func (s *searches) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n--
	s.done = now()
	if s.ended != nil {
		close(s.ended)
		s.ended = nil
	}
}

// any reports whether there are some.
func (s *searches) any() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n > 0
}

// wait waits until there has been none for so long, or until one ends after a pause of longest. The error is that of
// ctx.
func (s *searches) wait(ctx context.Context, after, longest time.Duration) error {
	for start := now(); ; {
		rest, ended := s.rest(after)
		if rest <= 0 && ended == nil {
			return ctx.Err()
		}
		var timer <-chan time.Time
		if rest > 0 {
			timer = time.After(rest)
		}
		select {
		case <-timer:
		case <-ended:
		case <-ctx.Done():
			return ctx.Err()
		}
		if now().Sub(start) >= longest {
			return ctx.Err()
		}
	}
}

// rest returns how long to wait until the last search ended that long ago, and, while some run, what is closed when
// one of them ends.
func (s *searches) rest(after time.Duration) (time.Duration, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n == 0 {
		return after - now().Sub(s.done), nil
	}
	if s.ended == nil {
		s.ended = make(chan struct{})
	}
	return 0, s.ended
}
