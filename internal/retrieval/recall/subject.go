package recall

import (
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

// everything is a text that asks for all.
const everything = "*"

// subjectOf returns a query with the time that it asks for in its filter, and without a text if that names no subject but a time, or
// if a filter has said what is asked for: "what happened last week?" is a list of that week, and "what should I know?" with a type
// is one of what has the type. named is the time that the text names; beside a subject it is no filter. Texts are read for ranker hippo
// alone. The error is that of [Narrow].
func subjectOf(asked *hippo.Query, now time.Time) (q hippo.Query, named when.Span, err error) {
	q = *asked
	if err := Narrow(&q.Filter, q.When, now); err != nil || q.Ranker != hippo.RankerHippo || q.Text == "" {
		return q, named, err
	}
	q.Text = questionOf(q.Text)
	f, rest := &q.Filter, q.Text
	if f.EventAfter.IsZero() && f.EventBefore.IsZero() {
		if found, ok := when.Find(q.Text, now); ok {
			named, rest = found.Span, found.Rest
		}
	}
	if strings.TrimSpace(q.Text) == everything || (selects(f) || !named.IsZero()) && cue.NamesNothing(rest) {
		q.Text = ""
		if !named.IsZero() {
			f.EventAfter, f.EventBefore = named.From, named.Until
		}
	}
	return q, named, nil
}

// selects reports whether a filter says what is asked for: by a time, a type, a tag, an origin, or by what is pinned.
func selects(f *hippo.Filter) bool {
	times := [...]time.Time{f.EventAfter, f.EventBefore, f.CreatedAfter, f.CreatedBefore}
	return len(f.Types)+len(f.Tags) > 0 || f.Origin != (hippo.Origin{}) || f.Pinned || times != [len(times)]time.Time{}
}

// Narrow narrows a filter to a time in words, relative to now; empty leaves it. The error is that of
// [when.Parse].
func Narrow(f *hippo.Filter, asked string, now time.Time) error {
	if asked == "" {
		return nil
	}
	span, err := when.Parse(asked, now)
	if err != nil {
		return err
	}
	if span.From.After(f.EventAfter) {
		f.EventAfter = span.From
	}
	if until := span.Until; !until.IsZero() && (f.EventBefore.IsZero() || until.Before(f.EventBefore)) {
		f.EventBefore = until
	}
	return nil
}
