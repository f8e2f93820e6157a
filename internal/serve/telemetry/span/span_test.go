package span_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/serve/telemetry/span"
)

// sink keeps the sizes of exports, and the names of spans.
type sink struct {
	mu     sync.Mutex
	sizes  []int
	names  []string
	closed bool
	wait   bool // until the context of an export ends
}

func (s *sink) Export(ctx context.Context, spans []*span.Span) {
	if s.wait {
		<-ctx.Done()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes = append(s.sizes, len(spans))
	for _, x := range spans {
		s.names = append(s.names, x.Name)
	}
}

func (s *sink) Close() { s.closed = true }

func newTracer(env map[string]string, to span.Exporter, log *slog.Logger) *span.Tracer {
	return span.NewTracer(func(name string) string { return env[name] }, to, time.Now, log)
}

// Full batches are sent at once, the rest when the tracer is closed.
func TestTracer_sends_in_batches(t *testing.T) {
	t.Parallel()
	to := &sink{}
	tracer := newTracer(map[string]string{"OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "3", "OTEL_BSP_SCHEDULE_DELAY": "60000"}, to, slog.New(slog.DiscardHandler))
	for i := range 7 {
		_, s := tracer.Start(t.Context(), fmt.Sprint(i), span.Internal)
		s.End()
		s.End() // counts once
	}
	if err := tracer.Close(t.Context()); err != nil || tracer.Close(t.Context()) != nil {
		t.Error(err)
	}
	if fmt.Sprint(to.sizes) != "[3 3 1]" || strings.Join(to.names, "") != "0123456" || !to.closed {
		t.Errorf("sent %v %v, closed: %v", to.sizes, to.names, to.closed)
	}
}

// A collector that does not answer holds up nobody: spans without room are dropped, and closing ends with its context.
func TestTracer_never_waits(t *testing.T) {
	t.Parallel()
	to := &sink{wait: true}
	tracer := newTracer(map[string]string{"OTEL_BSP_MAX_QUEUE_SIZE": "2", "OTEL_BSP_SCHEDULE_DELAY": "1"}, to, slog.New(slog.DiscardHandler))
	for range 100 {
		_, s := tracer.Start(t.Context(), "x", span.Internal)
		s.End()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := tracer.Close(ctx); err == nil || len(to.names) > 5 {
		t.Errorf("%v, %d sent", err, len(to.names))
	}
}

func TestTracer_Samplers(t *testing.T) {
	t.Parallel()
	const low, high = "00-0af7651916cd43dd0000000000000001-b7ad6b7169203331-0", "00-0af7651916cd43ddffffffffffffffff-b7ad6b7169203331-0"
	for _, c := range []struct {
		name, ratio, header string
		want, warned        bool
	}{
		{"", "", "", true, false},
		{"", "", low + "0", false, false},
		{"always_on", "", low + "0", true, false},
		{"always_off", "", low + "1", false, false},
		{"parentbased_always_off", "", "", false, false},
		{"parentbased_always_off", "", low + "1", true, false},
		{"traceidratio", "0.5", low + "0", true, false},
		{"traceidratio", "0.5", high + "1", false, false},
		{"traceidratio", "", high + "0", true, false},
		{"traceidratio", "0", low + "1", false, false},
		{"parentbased_traceidratio", "0", "", false, false},
		{"parentbased_traceidratio", "0", high + "1", true, false},
		{"traceidratio", "7", high + "0", true, true},
		{"jaeger", "", "", true, true},
		{"jaeger", "", low + "0", false, true},
	} {
		var log strings.Builder
		to := &sink{}
		tracer := newTracer(map[string]string{"OTEL_TRACES_SAMPLER": c.name, "OTEL_TRACES_SAMPLER_ARG": c.ratio}, to, slog.New(slog.NewTextHandler(&log, nil)))
		_, s := tracer.Start(span.From(t.Context(), http.Header{"Traceparent": {c.header}}), "x", span.Server)
		s.End()
		if err := tracer.Close(t.Context()); err != nil || (len(to.names) == 1) != c.want || (log.Len() > 0) != c.warned {
			t.Errorf("%s %s below %q: sent %v, log %q, %v", c.name, c.ratio, c.header, to.names, log.String(), err)
		}
	}
}

// What a client names is the parent if it is well formed, and the place of a span survives a header.
func TestFrom(t *testing.T) {
	t.Parallel()
	const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	tracer := newTracer(nil, &sink{}, slog.New(slog.DiscardHandler))
	defer tracer.Close(t.Context()) //nolint:errcheck // nothing is sent
	for header, want := range map[string]bool{
		good: true, "01" + good[2:] + "-more": true,
		"": false, good + "-more": false, "ff" + good[2:]: false, "01" + good[2:] + "x": false, strings.ToUpper(good): false, strings.ReplaceAll(good, "a", "x"): false,
		"00-00000000000000000000000000000000-b7ad6b7169203331-01": false, "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01": false,
		"00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01": false,
	} {
		ctx, s := tracer.Start(span.From(t.Context(), http.Header{"Traceparent": {header}}), "x", span.Server)
		if below := s.Parent != [8]byte{}; below != want {
			t.Errorf("%q: %v", header, below)
		}
		_, inner := tracer.Start(ctx, "y", span.Internal)
		h := make(http.Header)
		s.Into(h)
		_, other := tracer.Start(span.From(t.Context(), h), "z", span.Internal)
		if inner.Parent != s.ID || inner.Trace != s.Trace || other.Parent != s.ID || other.Trace != s.Trace {
			t.Errorf("%q: %v has %v and %v inside", header, s.Place, inner.Parent, other.Parent)
		}
	}
}
