package rank

import (
	"math"

	"github.com/hippo-memory/hippo"
)

// Calendar evaluates what depends on active days. It is immutable; making one
// costs some 20 us.
type Calendar struct {
	w       Weights
	recency []float64
	decay   []float64
}

// tableDays is how far back the tables of a Calendar reach; what is older is computed.
const tableDays = 256

// NewCalendar returns the Calendar of w.
func NewCalendar(w Weights) *Calendar {
	c := &Calendar{w: w, recency: make([]float64, tableDays), decay: make([]float64, tableDays)}
	for i := range tableDays {
		c.recency[i] = math.Exp(-w.RecencyRate * float64(i))
		c.decay[i] = math.Pow(w.ImportanceDecay, float64(i))
	}
	return c
}

// At returns the Clock that stands at day.
func (c *Calendar) At(day hippo.Day) Clock { return Clock{Calendar: c, day: day} }

// Clock is a Calendar at one active day.
type Clock struct {
	*Calendar
	day hippo.Day
}

// NewClock returns the Clock of w at day, for a few evaluations; for many,
// keep the Calendar.
func NewClock(w Weights, day hippo.Day) Clock { return NewCalendar(w).At(day) }

// Recency is exp(-rate * active days since the last access), in (0, 1]; 0 for a
// memory that was never accessed (last 0). An access in the future counts as today.
func (c Clock) Recency(last hippo.Day) float64 {
	if last <= 0 {
		return 0
	}
	n := max(0, int(c.day-last))
	if n < tableDays {
		return c.recency[n]
	}
	return math.Exp(-c.w.RecencyRate * float64(n))
}

// Frequency is the mean number of accesses per active day over the window that
// ends today, as a share of the full one, in [0, 1]. accesses need not be sorted.
func (c Clock) Frequency(accesses []hippo.Access) float64 {
	from, n := c.day-hippo.Day(c.w.FrequencyWindow)+1, 0
	for _, a := range accesses {
		if a.Day >= from {
			n += a.Count
		}
	}
	return math.Min(1, float64(n)/float64(c.w.FrequencyWindow)/c.w.FrequencyFull)
}

// Importance is value decayed since setDay, in [0, 1]; a pinned one does not decay.
func (c Clock) Importance(value float64, setDay hippo.Day, pinned bool) float64 {
	n := int(c.day - setDay)
	switch {
	case pinned || n <= 0:
		return value
	case n < tableDays:
		return value * c.decay[n]
	default:
		return value * math.Pow(c.w.ImportanceDecay, float64(n))
	}
}

// UpvoteOf returns the importance after an upvote, given the decayed one; at most 1.
func (w Weights) UpvoteOf(decayed float64) float64 { return math.Min(1, decayed*w.Upvote) }

// DownvoteOf returns the importance after a downvote, given the decayed one.
func (w Weights) DownvoteOf(decayed float64) float64 { return decayed * w.Downvote }
