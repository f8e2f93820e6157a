package rank

import (
	"math"

	"github.com/hippo-memory/hippo"
)

// Decay evaluates what depends on active days. It is immutable; making one costs some 20 us.
type Decay struct {
	w       Usage
	recency []float64
	decay   []float64
}

// tableDays is how far back the tables of a Decay reach; what is older is computed.
const tableDays = 256

// NewDecay returns the Decay of w.
func NewDecay(w *Usage) *Decay {
	d := &Decay{w: *w, recency: make([]float64, tableDays), decay: make([]float64, tableDays)}
	for i := range tableDays {
		d.recency[i] = math.Exp(-w.RecencyRate * float64(i))
		d.decay[i] = math.Pow(w.ImportanceDecay, float64(i))
	}
	return d
}

// At returns the Clock that stands at day.
func (d *Decay) At(day hippo.Day) Clock { return Clock{Decay: d, day: day} }

// Clock is a Decay at one active day.
type Clock struct {
	*Decay
	day hippo.Day
}

// Recency is exp(-rate * active days since the last access), in (0, 1]; 0 for a memory that
// was never accessed (last 0). An access in the future counts as today.
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

// Frequency is the mean number of accesses per active day over the last [FrequencyWindow]
// days, given their sum, as a share of the full one, in [0, 1].
func (c Clock) Frequency(accesses int) float64 {
	return math.Min(1, float64(accesses)/float64(FrequencyWindow)/c.w.FrequencyFull)
}

// Importance is [Usage.Importance] on the day of the clock.
func (c Clock) Importance(value float64, setDay hippo.Day, pinned bool) float64 {
	if n := int(c.day - setDay); !pinned && n > 0 && n < tableDays {
		return value * c.decay[n]
	}
	return c.w.Importance(value, setDay, c.day, pinned)
}

// Importance is value decayed from setDay to day, in [0, 1]; a pinned one does not decay.
func (w *Usage) Importance(value float64, setDay, day hippo.Day, pinned bool) float64 {
	if n := int(day - setDay); !pinned && n > 0 {
		return value * math.Pow(w.ImportanceDecay, float64(n))
	}
	return value
}

// Upvoted returns the importance after an upvote, given the decayed one; at most 1.
func (w *Usage) Upvoted(decayed float64) float64 { return math.Min(1, decayed*w.Upvote) }

// Downvoted returns the importance after a downvote, given the decayed one.
func (w *Usage) Downvoted(decayed float64) float64 { return decayed * w.Downvote }
