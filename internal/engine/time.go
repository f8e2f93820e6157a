package engine

import (
	"math"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/when"
)

// told is the time that a query tells of.
type told struct {
	// filter: it keeps memories of that time; else, if boost, they come first.
	filter, boost bool
	span          when.Span
	// from and until are the span in microseconds since 1970; scale is the distance
	// from it at which a memory is told to be of another time.
	from, until int64
	scale       float64
}

// checkWhen reports what is wrong with the time that a query asks for.
func (e *Engine) checkWhen(q *hippo.Query) error {
	if q.When == "" {
		return nil
	}
	_, err := when.Parse(q.When, e.now().In(e.store.Zone()))
	return err
}

// told reads the time that a query asks for, or else one that its text names. The
// text counts for ranker hippo only, and not beside another time that is asked for.
func (e *Engine) told(q hippo.Query) (told, error) {
	now := e.now().In(e.store.Zone())
	if q.When != "" {
		span, err := when.Parse(q.When, now)
		return told{filter: true, span: span}, err
	}
	if q.Ranker != hippo.RankerHippo || q.Text == "" || !q.Filter.EventAfter.IsZero() || !q.Filter.EventBefore.IsZero() {
		return told{}, nil
	}
	found, ok := when.Find(q.Text, now)
	if !ok {
		return told{}, nil
	}
	return boost(found.Span, now), nil
}

// boost returns what a span in the text of a query means. What is outside of it
// loses by its distance as a share of the span's length, which is taken to be an
// hour at least. A span without an end is as long as its end is from now.
func boost(s when.Span, now time.Time) told {
	t := told{boost: true, span: s, from: math.MinInt64, until: math.MaxInt64}
	a, b := s.From, s.Until
	if a.IsZero() {
		a = now
	} else {
		t.from = a.UnixMicro()
	}
	if b.IsZero() {
		b = now
	} else {
		t.until = b.UnixMicro()
	}
	t.scale = math.Max(math.Abs(float64(b.UnixMicro()-a.UnixMicro())), float64(time.Hour.Microseconds()))
	return t
}

// narrow makes a filter keep what is of the time that is asked for.
func (t *told) narrow(f *hippo.Filter) {
	if !t.filter {
		return
	}
	if t.span.From.After(f.EventAfter) {
		f.EventAfter = t.span.From
	}
	if until := t.span.Until; !until.IsZero() && (f.EventBefore.IsZero() || until.Before(f.EventBefore)) {
		f.EventBefore = until
	}
}

// signal says how well the time of a document fits, in [0, 1]: 1 within the span,
// exp(-distance / scale) outside of it. It is 1 if no time is told.
func (t *told) signal(v *index.View, doc uint32) float64 {
	if !t.boost {
		return 1
	}
	switch at := v.When(doc); {
	case at < t.from:
		return math.Exp((float64(at) - float64(t.from)) / t.scale)
	case at >= t.until:
		return math.Exp((float64(t.until) - float64(at)) / t.scale)
	default:
		return 1
	}
}
