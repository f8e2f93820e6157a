package mcpserver

import (
	linked "container/list"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// eventCost is what an event or a stream counts beside its bytes.
const eventCost = 256

// eventStore keeps what was sent over the streams of sessions, for clients that lost their connection. It has a
// bound: the streams that were opened first are dropped. It differs from the store of the SDK, which drops the bytes
// of old events and keeps an entry for every request of a session. It is safe for concurrent use.
type eventStore struct {
	limit  int
	closed func(session string)

	mu       sync.Mutex
	sessions map[string]map[string]*eventStream
	order    *linked.List // of the *eventStream that can be dropped, in the order in which they were opened
	size     int          // of all of them
}

// eventStream is the events of one stream.
type eventStream struct {
	session, id string
	first       int // index of the first event that is kept
	events      [][]byte
	size        int
	element     *linked.Element // in order; nil for the stream of a session that belongs to no request
}

// newEventStore returns a store of at most limit bytes. It calls closed for each session that ends.
func newEventStore(limit int, closed func(session string)) *eventStore {
	return &eventStore{limit: limit, closed: closed, sessions: make(map[string]map[string]*eventStream), order: linked.New()}
}

var _ mcp.EventStore = (*eventStore)(nil)

// Open implements [mcp.EventStore].
func (s *eventStore) Open(_ context.Context, session, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	streams := s.sessions[session]
	if streams == nil {
		streams = make(map[string]*eventStream)
		s.sessions[session] = streams
	}
	if streams[id] != nil {
		return nil
	}
	x := &eventStream{session: session, id: id}
	streams[id] = x
	if id != "" {
		x.element = s.order.PushBack(x)
		s.grow(x, eventCost)
	}
	return nil
}

// Append implements [mcp.EventStore]. Events of a stream that was dropped are dropped as well.
func (s *eventStore) Append(_ context.Context, session, id string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.sessions[session][id]
	if x == nil {
		return nil
	}
	x.events = append(x.events, data)
	s.grow(x, eventCost+len(data))
	return nil
}

// grow counts bytes of a stream, and drops what is too much then. The stream of a session itself stays, because a
// client can always open it, but has no more than a hundredth of the limit.
func (s *eventStore) grow(x *eventStream, n int) {
	x.size += n
	if x.element == nil {
		for x.size > s.limit/100 {
			x.size -= eventCost + len(x.events[0])
			x.events[0] = nil
			x.events, x.first = x.events[1:], x.first+1
		}
		return
	}
	s.size += n
	for s.size > s.limit {
		s.drop(s.order.Front().Value.(*eventStream)) //nolint:errcheck // nothing else is in it
	}
}

// drop forgets a stream.
func (s *eventStore) drop(x *eventStream) {
	delete(s.sessions[x.session], x.id)
	if x.element != nil {
		s.order.Remove(x.element)
		s.size -= x.size
	}
}

// After implements [mcp.EventStore].
func (s *eventStore) After(_ context.Context, session, id string, index int) iter.Seq2[[]byte, error] {
	events, err := s.after(session, id, index)
	return func(yield func([]byte, error) bool) {
		if err != nil {
			yield(nil, err)
			return
		}
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (s *eventStore) after(session, id string, index int) ([][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.sessions[session][id]
	if x == nil || index+1 < x.first {
		return nil, fmt.Errorf("events after %d of stream %.60q: %w", index, id, mcp.ErrEventsPurged)
	}
	return slices.Clone(x.events[min(index+1-x.first, len(x.events)):]), nil
}

// SessionClosed implements [mcp.EventStore].
func (s *eventStore) SessionClosed(_ context.Context, session string) error {
	s.mu.Lock()
	for _, x := range s.sessions[session] {
		s.drop(x)
	}
	delete(s.sessions, session)
	s.mu.Unlock()
	s.closed(session)
	return nil
}
