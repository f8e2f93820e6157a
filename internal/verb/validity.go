package verb

import (
	"strings"
	"time"
)

// NoBound stands for a time that is no end of a validity.
const NoBound = "none"

// Validity is the time in which a fact holds: from the first time on, until before the second one.
type Validity struct{ From, Until Time }

// Args are the arguments that fill a Validity.
func (v *Validity) Args() []Arg {
	return []Arg{
		{Name: "valid_from", Field: "valid_from", About: "the fact holds from this time on", To: &v.From},
		{Name: "valid_until", Field: "valid_until", About: "the fact no longer holds at this time; 3d: in three days", Is: Listed, To: &v.Until},
	}
}

// Into returns both times with where they go.
func (v *Validity) Into(from, until *time.Time) []Reading {
	return []Reading{v.From.Into(from), v.Until.AheadInto(until)}
}

// Ends returns the ends that a change gives, as of a time in the zone of their days: nil for one that stays, and the zero time for [NoBound]. The error
// is a [*hippo.FieldError].
func (v *Validity) Ends(now time.Time) (from, until *time.Time, err error) {
	for _, end := range []struct {
		given Time
		to    **time.Time
		ahead bool
	}{{v.From, &from, false}, {v.Until, &until, true}} {
		if strings.TrimSpace(end.given.Text) == "" {
			continue
		}
		*end.to = new(time.Time)
		if end.given.Text == NoBound {
			continue
		}
		if err := Read(now, Reading{Time: end.given, To: *end.to, Ahead: end.ahead}); err != nil {
			return nil, nil, err
		}
	}
	return from, until, nil
}
