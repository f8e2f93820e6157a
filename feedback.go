package hippo

import (
	"math"
	"slices"
	"time"
)

// Usage is how a memory was used.
type Usage struct {
	// Accesses is the use by active day, ascending, the newest [MaxAccessDays].
	Accesses []Access
	// Feedback is what votes and openings said of the memory as an answer to a question, the newest
	// last, at most [MaxFeedback].
	Feedback []Feedback
	// Untied is the importance without the votes that are tied to a question; nil: there are none,
	// so that it is that of the memory.
	Untied *Untied
	// ArchivedAt is set while the memory is archived: see [Filter.Archived].
	ArchivedAt time.Time
}

// Archived reports whether the memory is archived.
func (u *Usage) Archived() bool { return !u.ArchivedAt.IsZero() }

// Untied is an importance: Value as of SetDay, in [0, 1].
type Untied struct {
	Value  float64 `json:"value"`
	SetDay Day     `json:"set_day"`
}

// Limits on [Usage.Feedback].
const (
	MaxFeedback = 16  // elements
	MaxQuestion = 512 // bytes of a [Question]
)

// Feedback says how well a memory answers a question, or questions very near each other: one vote
// or opening, or several of one kind.
type Feedback struct {
	Kind FeedbackKind `json:"kind"`
	// Day is the active day of the newest of them.
	Day Day `json:"day"`
	// Weight is how many they are as of Day, decayed by active day; above 0.
	Weight float64 `json:"weight"`
	// Question is what was asked; empty if that is unknown.
	Question Question `json:"question,omitempty"`
	// Former is what the newest of them changed; nil unless it is the newest vote on the memory.
	Former *Former `json:"former,omitempty"`
}

// FeedbackKind is the kind of a [Feedback].
type FeedbackKind string

// The kinds of feedback.
const (
	FeedbackUp     FeedbackKind = "up"
	FeedbackDown   FeedbackKind = "down"
	FeedbackOpened FeedbackKind = "opened"
)

// FeedbackKinds returns every kind, in the order of their declaration.
func FeedbackKinds() []FeedbackKind { return []FeedbackKind{FeedbackUp, FeedbackDown, FeedbackOpened} }

// Question is what was asked, as a sketch of its vector that cannot be read back: four bytes that
// name the model, and one signed byte for each component. Its text is not kept.
type Question []byte

// Former is what a vote replaced, so that it can be taken back.
type Former struct {
	// At is when the vote was cast.
	At time.Time `json:"at"`
	// Importance, SetDay and SetAt are the fields of [Importance] before.
	Importance float64   `json:"importance"`
	SetDay     Day       `json:"set_day"`
	SetAt      time.Time `json:"set_at,omitzero"`
	// Untied is [Usage.Untied] before.
	Untied *Untied `json:"untied,omitempty"`
	// Day and Weight are those of the feedback before; Weight 0: there was none.
	Day    Day     `json:"day,omitempty"`
	Weight float64 `json:"weight,omitempty"`
}

func (u *Untied) clone() *Untied {
	if u == nil {
		return nil
	}
	c := *u
	return &c
}

// valid reports the first rule that a use breaks.
func (u *Usage) valid() error {
	if u.Untied != nil {
		if err := ValidUnit("untied_importance.value", u.Untied.Value); err != nil {
			return err
		}
	}
	return validFeedback(u.Feedback)
}

// validFeedback reports the first rule that a list of feedback breaks.
func validFeedback(list []Feedback) error {
	if len(list) > MaxFeedback {
		return Fieldf("feedback", "must have at most %d elements, got %d", MaxFeedback, len(list))
	}
	for i := range list {
		f := &list[i]
		if err := OneOf("feedback.kind", f.Kind, FeedbackKinds()...); err != nil {
			return err
		}
		switch {
		case math.IsNaN(f.Weight) || math.IsInf(f.Weight, 0) || f.Weight <= 0:
			return Fieldf("feedback.weight", "must be a number above 0, got %v", f.Weight)
		case len(f.Question) > MaxQuestion:
			return Fieldf("feedback.question", "must be at most %d bytes, got %d", MaxQuestion, len(f.Question))
		case f.Former != nil && ValidUnit("feedback.former.importance", f.Former.Importance) != nil:
			return ValidUnit("feedback.former.importance", f.Former.Importance)
		}
	}
	return nil
}

// cloneFeedback returns a deep copy.
func cloneFeedback(list []Feedback) []Feedback {
	out := slices.Clone(list)
	for i := range out {
		out[i].Question = slices.Clone(out[i].Question)
		if f := out[i].Former; f != nil {
			c := *f
			c.Untied = f.Untied.clone()
			out[i].Former = &c
		}
	}
	return out
}
