// Package span makes the spans of traces: a tree of what a request did, whose root may be a span of the client. It is the part of
// OpenTelemetry that this program needs; its SDK would add a megabyte to the program. Sources: OpenTelemetry Specification 1.50, W3C
// Trace Context 1.
package span

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Kind is what a span is to the span around it, by the numbers of OTLP.
type Kind int

// The kinds of this program.
const (
	Internal Kind = 1
	Server   Kind = 2
)

// Attribute is a text or a whole number by name.
type Attribute struct {
	Key    string
	Text   string
	Number int
	// IsNumber says which of the two it is.
	IsNumber bool
}

// Text returns an attribute that is a text.
func Text(key, value string) Attribute { return Attribute{Key: key, Text: value} }

// Number returns an attribute that is a number.
func Number(key string, value int) Attribute {
	return Attribute{Key: key, Number: value, IsNumber: true}
}

// Place is the place of a span in a trace.
type Place struct {
	Trace   [16]byte
	ID      [8]byte
	Sampled bool
}

func (p *Place) valid() bool { return p.Trace != [16]byte{} && p.ID != [8]byte{} }

// Span is one step of a trace. One goroutine changes it.
type Span struct {
	Place
	Name       string
	Kind       Kind
	Parent     [8]byte // zero: it is a root
	Began      time.Time
	Ended      time.Time
	Attributes []Attribute
	Failed     bool

	tracer *Tracer
	end    sync.Once
}

// Set adds attributes.
func (s *Span) Set(a ...Attribute) {
	if s.Sampled {
		s.Attributes = append(s.Attributes, a...)
	}
}

// End ends the span, which goes to the collector if it is sampled.
func (s *Span) End() {
	s.end.Do(func() {
		s.Ended = s.tracer.now()
		if s.Sampled {
			s.tracer.queue.add(s)
		}
	})
}

// Tracer makes spans. It is safe for concurrent use.
type Tracer struct {
	sample sampler
	queue  *queue
	now    func() time.Time
}

type (
	spanKey   struct{}
	remoteKey struct{}
)

// Of returns the span of a context; nil if there is none.
func Of(ctx context.Context) *Span {
	s, _ := ctx.Value(spanKey{}).(*Span)
	return s
}

// Start begins a span below that of the context, and returns the context of what runs in it.
func (t *Tracer) Start(ctx context.Context, name string, kind Kind) (context.Context, *Span) {
	s := &Span{Name: name, Kind: kind, Began: t.now(), tracer: t}
	var parent *Place
	if remote, ok := ctx.Value(remoteKey{}).(*Place); ok {
		parent, ctx = remote, context.WithValue(ctx, remoteKey{}, nil) // the next one is below this one
	} else if local := Of(ctx); local != nil {
		parent = &local.Place
	}
	if parent != nil {
		s.Trace, s.Parent = parent.Trace, parent.ID
	} else {
		binary.NativeEndian.PutUint64(s.Trace[:8], rand.Uint64())
		binary.NativeEndian.PutUint64(s.Trace[8:], rand.Uint64()|1)
	}
	binary.NativeEndian.PutUint64(s.ID[:], rand.Uint64()|1) // never zero
	s.Sampled = t.sample(parent, s.Trace)
	return context.WithValue(ctx, spanKey{}, s), s
}

// parentHeader is the header in which a client names its span.
const parentHeader = "Traceparent"

// From returns a context whose next span is below that which a header names, if it does.
func From(ctx context.Context, h http.Header) context.Context {
	if p, ok := parse(h.Get(parentHeader)); ok {
		return context.WithValue(ctx, remoteKey{}, p)
	}
	return ctx
}

// Into names a span in a header.
func (s *Span) Into(h http.Header) {
	flags := "00"
	if s.Sampled {
		flags = "01"
	}
	h.Set(parentHeader, "00-"+hex.EncodeToString(s.Trace[:])+"-"+hex.EncodeToString(s.ID[:])+"-"+flags)
}

// parse reads the header of a client. Versions above 0 may have more parts, which are ignored.
func parse(header string) (*Place, bool) {
	const length = len("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	if len(header) < length || header[:2] == "ff" || header[:2] == "00" && len(header) != length || len(header) > length && header[length] != '-' ||
		header[:length] != strings.ToLower(header[:length]) {
		return nil, false
	}
	parts := strings.Split(header[:length], "-")
	if len(parts) != 4 || len(parts[0]) != 2 || len(parts[1]) != 32 || len(parts[2]) != 16 {
		return nil, false
	}
	var p Place
	var version, flags [1]byte
	for i, to := range [][]byte{version[:], p.Trace[:], p.ID[:], flags[:]} {
		if _, err := hex.Decode(to, []byte(parts[i])); err != nil {
			return nil, false
		}
	}
	p.Sampled = flags[0]&1 != 0
	return &p, p.valid()
}
