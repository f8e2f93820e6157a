package hippo

import (
	"math"
	"strings"
	"time"
)

// MaxKind is the largest length of [Relation.Kind], in bytes.
const MaxKind = 64

// CoRecalled is the kind of the relations that are learned: memories that were used
// together as answers to a question, or that ranker surprise returned together. It has no direction, so From is the smaller ID.
const CoRecalled = "co_recalled"

const (
	// Contradicts is the kind of a relation by which somebody declares that two memories contradict each other.
	Contradicts = "contradicts"
	// CompatibleWith is the kind of a relation by which somebody declares that two memories both stay: an audit neither calls
	// them contradictory nor duplicates.
	CompatibleWith = "compatible_with"
)

// SingleKinds returns the kinds of relations of which a memory has at most one at a time: to declare another one ends the
// older.
func SingleKinds() []string {
	return []string{
		"lives_in", "works_at", "works_for", "reports_to", "married_to", "located_in", "owned_by", "assigned_to", "led_by", "has_status", "has_version",
	}
}

// Relation relates one memory to another. Two memories have at most one relation of a kind in each direction at a time, and may
// have several that hold one after the other, its periods.
//
// Times are UTC; the zero time means unset.
type Relation struct {
	From, To ID
	// Kind is an open vocabulary ("explains", "contradicts", ...), 1 to [MaxKind]
	// bytes; [CoRecalled] is the learned one.
	Kind string
	// Weight is how much it counts, above 0 and at most 1.
	Weight float64
	// ValidFrom and ValidUntil bound when it holds, as those of a [Memory].
	ValidFrom  time.Time
	ValidUntil time.Time
	// LastReinforced is when it was declared or learned last.
	LastReinforced time.Time
}

// CoRecall returns the key of the learned relation of two memories.
func CoRecall(a, b ID) Relation {
	if a.Compare(b) > 0 {
		a, b = b, a
	}
	return Relation{From: a, To: b, Kind: CoRecalled}
}

// Validate reports the first rule that r breaks, as a [*FieldError].
func (r *Relation) Validate() error {
	if err := r.ValidKey(); err != nil {
		return err
	}
	if math.IsNaN(r.Weight) || r.Weight <= 0 || r.Weight > 1 {
		return Fieldf("weight", "must be above 0 and at most 1, got %v", r.Weight)
	}
	if !r.ValidFrom.IsZero() && !r.ValidUntil.IsZero() && !r.ValidFrom.Before(r.ValidUntil) {
		return Fieldf("valid_until", "must be after the time from which it holds")
	}
	return nil
}

// ValidKey is [Relation.Validate] for what names a relation and its periods: From, To and Kind.
func (r *Relation) ValidKey() error {
	switch {
	case r.From.IsZero():
		return Fieldf("from", "must be given")
	case r.To.IsZero():
		return Fieldf("to", "must be given")
	case r.From == r.To:
		return Fieldf("to", "must be another memory than from, got %s twice", r.To)
	case r.Kind == "" || isBlank(r.Kind):
		return Required("kind")
	case r.Kind == CoRecalled && r.From.Compare(r.To) > 0:
		return Fieldf("from", "must be the smaller id in a relation of kind %s", CoRecalled)
	}
	return validText("kind", r.Kind, MaxKind, false)
}

// ValidAt reports whether the relation holds at t.
func (r *Relation) ValidAt(t time.Time) bool { return r.StateAt(t) == Holds }

// StateAt returns the state of the relation at t, which is never [Superseded].
func (r *Relation) StateAt(t time.Time) State { return stateOf(r.ValidFrom, r.ValidUntil, t) }

// SameEnds reports whether two relations have the same From, To and Kind: they are periods of one, if they differ.
func (r *Relation) SameEnds(other *Relation) bool {
	return r.From == other.From && r.To == other.To && r.Kind == other.Kind
}

// Overlaps reports whether there is a time at which both relations hold.
func (r *Relation) Overlaps(other *Relation) bool {
	before := func(a, b *Relation) bool {
		return !a.ValidUntil.IsZero() && !b.ValidFrom.IsZero() && !b.ValidFrom.Before(a.ValidUntil)
	}
	return !before(r, other) && !before(other, r)
}

// Other returns the end that is not id.
func (r *Relation) Other(id ID) ID {
	if r.From == id {
		return r.To
	}
	return r.From
}

// Compare orders relations by From, To, Kind and ValidFrom, which are unique.
func (r *Relation) Compare(other *Relation) int {
	if c := r.From.Compare(other.From); c != 0 {
		return c
	}
	if c := r.To.Compare(other.To); c != 0 {
		return c
	}
	if c := strings.Compare(r.Kind, other.Kind); c != 0 {
		return c
	}
	return r.ValidFrom.Compare(other.ValidFrom)
}
