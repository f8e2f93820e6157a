package span

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Exporter sends spans, which it does not keep. What cannot be sent is dropped and logged by it.
type Exporter interface {
	Export(ctx context.Context, spans []*Span)
	Close()
}

// queue collects spans and sends several at a time. Who adds never waits: what has no room is dropped.
type queue struct {
	to      Exporter
	spans   chan *Span
	most    int // in one export
	delay   time.Duration
	timeout time.Duration
	stop    chan struct{}
	done    chan struct{}
	closing sync.Once
	// ctx ends when who closes the queue does not wait any longer.
	ctx    context.Context //nolint:containedctx // of the goroutine
	cancel context.CancelFunc
}

// NewTracer returns a tracer whose sampler and queue are those of the variables of OpenTelemetry. A variable that cannot be used is
// logged and has no effect.
func NewTracer(env func(string) string, to Exporter, now func() time.Time, log *slog.Logger) *Tracer {
	sample, err := samplerOf(env)
	if err != nil {
		log.Warn("a variable has no effect", "error", err)
	}
	number := func(name string, standard int) int {
		text := strings.TrimSpace(env(name))
		n, err := strconv.Atoi(text)
		if text != "" && (err != nil || n < 1) {
			log.Warn("a variable has no effect: it must be a number above 0", "variable", name)
		}
		if err != nil || n < 1 {
			return standard
		}
		return n
	}
	size := number("OTEL_BSP_MAX_QUEUE_SIZE", 2048)
	q := &queue{
		to: to, spans: make(chan *Span, size), most: min(number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512), size),
		delay:   time.Duration(number("OTEL_BSP_SCHEDULE_DELAY", 5000)) * time.Millisecond,
		timeout: time.Duration(number("OTEL_BSP_EXPORT_TIMEOUT", 30000)) * time.Millisecond,
		stop:    make(chan struct{}), done: make(chan struct{}),
	}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	go q.run()
	return &Tracer{sample: sample, queue: q, now: now}
}

// Close sends what is not sent yet, until ctx ends. What ends later is dropped.
func (t *Tracer) Close(ctx context.Context) error {
	q := t.queue
	q.closing.Do(func() { close(q.stop) })
	defer q.cancel()
	select {
	case <-q.done:
		return nil
	case <-ctx.Done():
		q.cancel()
		<-q.done
		return ctx.Err()
	}
}

func (q *queue) add(s *Span) {
	select {
	case q.spans <- s:
	default:
	}
}

func (q *queue) run() {
	defer close(q.done)
	defer q.to.Close()
	tick := time.NewTicker(q.delay)
	defer tick.Stop()
	batch := make([]*Span, 0, q.most)
	send := func() {
		if len(batch) > 0 && q.ctx.Err() == nil {
			ctx, cancel := context.WithTimeout(q.ctx, q.timeout)
			q.to.Export(ctx, batch)
			cancel()
		}
		batch = batch[:0]
	}
	for {
		select {
		case s := <-q.spans:
			if batch = append(batch, s); len(batch) == q.most {
				send()
				tick.Reset(q.delay)
			}
		case <-tick.C:
			send()
		case <-q.stop:
			for len(q.spans) > 0 {
				if batch = append(batch, <-q.spans); len(batch) == q.most {
					send()
				}
			}
			send()
			return
		}
	}
}
