package rank

import (
	"time"

	"github.com/hippo-memory/hippo"
)

// Vote applies a vote to a memory. It reads the kind (up or down), the question and the day of f; at is the time of the vote. It returns the
// importance on that day before and after the vote.
func (w *Weights) Vote(x *hippo.Memory, f hippo.Feedback, at time.Time) (before, after float64) {
	now := w.Usage.Importance(x.Importance.Value, x.Importance.SetDay, f.Day, x.Pinned)
	f.Former = &hippo.Former{
		At: at, Importance: x.Importance.Value, SetDay: x.Importance.SetDay, SetAt: x.Importance.SetAt, Untied: x.Untied,
	}
	change := w.Usage.Upvoted
	if f.Kind == hippo.FeedbackDown {
		change = w.Usage.Downvoted
	}
	switch {
	case f.Question != nil && x.Untied == nil:
		x.Untied = &hippo.Untied{Value: x.Importance.Value, SetDay: x.Importance.SetDay}
	case f.Question == nil && x.Untied != nil:
		u := w.Usage.Importance(x.Untied.Value, x.Untied.SetDay, f.Day, x.Pinned)
		x.Untied = &hippo.Untied{Value: change(u), SetDay: f.Day}
	}
	x.Importance.Value, x.Importance.SetDay, x.Importance.SetAt = change(now), f.Day, at
	x.Feedback = w.Learning.Add(x.Feedback, f)
	return now, x.Importance.Value
}
