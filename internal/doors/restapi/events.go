package restapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/hippo-memory/hippo"
	former "github.com/hippo-memory/hippo/internal/engine/history"
	"github.com/hippo-memory/hippo/internal/verb"
)

const (
	// pollTime is how often a stream asks the store for changes: another process may have made them. It
	// costs tens of microseconds.
	pollTime = 500 * time.Millisecond
	// beatTime is how often a stream without events shows that it is alive: proxies end idle connections
	// after 30 seconds or more.
	beatTime = 15 * time.Second
	// streamTime is when a stream ends, so that its client proves again that its token is valid.
	streamTime = 15 * time.Minute
	// maxStreams is how many streams are open at most.
	maxStreams = 256
)

type eventsInput struct{ position string }

func (in *eventsInput) Args() []verb.Arg {
	return []verb.Arg{{Name: "Last-Event-ID", To: &in.position, About: "the id of the last event that the client has seen; it goes on after that"}}
}

// changed is the data of an event change.
type changed struct {
	UUID      hippo.ID  `json:"uuid"`
	Version   int       `json:"version"`
	UpdatedAt time.Time `json:"updated_at"`
	Forgotten bool      `json:"forgotten"`
	Project   string    `json:"project,omitempty"`
}

func (in *eventsInput) call(ctx context.Context, r *request) (reply, error) {
	defer r.server.streams.Add(-1)
	if r.server.streams.Add(1) > maxStreams {
		return reply{}, fmt.Errorf("%w: %d streams of events are open", hippo.ErrUnavailable, maxStreams)
	}
	feed, resumed, err := former.NewFeed(ctx, r.Memories, in.position)
	if err != nil {
		return reply{}, err
	}
	h := r.writer.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	s := &eventStream{
		partWriter: partWriter{Writer: r.writer, control: http.NewResponseController(r.writer), now: r.server.Now}, feed: feed,
	}
	first := "ready"
	if in.position != "" && !resumed {
		first = "reset"
	}
	s.send(first, feed.Position(), struct{}{})
	if err := s.run(ctx); err != nil && ctx.Err() == nil {
		r.server.Log.Warn("event stream ended early", "code", hippo.CodeOf(err))
	}
	return reply{count: s.sent}, nil
}

// eventStream sends events to one client.
type eventStream struct {
	partWriter
	feed *former.Feed
	sent int
	err  error // of the client
}

// run sends events until the time of a stream is over or ctx ends, or the client is gone.
func (s *eventStream) run(ctx context.Context) error {
	poll, beat, end := time.NewTicker(pollTime), time.NewTicker(beatTime), time.NewTimer(streamTime)
	defer poll.Stop()
	defer beat.Stop()
	defer end.Stop()
	for s.err == nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-end.C:
			return nil
		case <-beat.C:
			s.write(": heartbeat\n\n")
		case <-poll.C:
			if err := s.changes(ctx); err != nil {
				return err
			}
		}
	}
	return s.err
}

// changes sends what changed since.
func (s *eventStream) changes(ctx context.Context) error {
	reset, err := s.feed.Next(ctx, func(e former.Event) error {
		m := e.Memory
		s.sent++
		s.send("change", e.Position, changed{UUID: m.ID, Version: m.Version, UpdatedAt: m.UpdatedAt, Forgotten: m.Forgotten(), Project: m.Project})
		return s.err
	})
	if reset {
		s.send("reset", s.feed.Position(), struct{}{})
	}
	return errors.Join(err, s.err)
}

// send writes one event.
func (s *eventStream) send(event, id string, data any) {
	b, err := json.Marshal(data)
	if err != nil {
		s.err = errors.Join(s.err, err)
		return
	}
	s.write(fmt.Sprintf("event: %s\nid: %s\ndata: %s\n\n", event, id, b))
}

func (s *eventStream) write(text string) {
	if s.err != nil {
		return
	}
	if _, s.err = s.Write([]byte(text)); s.err == nil {
		s.err = s.control.Flush()
	}
}
