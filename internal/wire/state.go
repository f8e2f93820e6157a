package wire

import (
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/lang/when"
)

// StateNote says why a memory does not hold now: "ended 2026-01-31", "not before 2027-01-01", "superseded by 5be02c77". It is
// empty if it holds. Days are those of the zone of now.
func StateNote(m *hippo.Memory, now time.Time, ids hippo.ShortIDs) string {
	if m.StateAt(now) == hippo.Superseded {
		return "superseded by " + ids.Of(m.SupersededBy)
	}
	return stateNote(m.StateAt(now), m.ValidFrom, m.ValidUntil, now)
}

// RelationNote is [StateNote] of a relation.
func RelationNote(r *hippo.Relation, now time.Time) string {
	return stateNote(r.StateAt(now), r.ValidFrom, r.ValidUntil, now)
}

func stateNote(s hippo.State, from, until, now time.Time) string {
	switch s {
	case hippo.Ended:
		return "ended " + when.Date(until, now.Location())
	case hippo.NotYet:
		return "not before " + when.Date(from, now.Location())
	case hippo.Superseded, hippo.Holds:
	}
	return ""
}

// StateOf is the state of a memory as JSON: empty if it holds.
func StateOf(m *hippo.Memory, now time.Time) hippo.State {
	if s := m.StateAt(now); s != hippo.Holds {
		return s
	}
	return ""
}

// Marked returns a text of a memory with [StateNote] before it, if it does not hold: for forms that have no other place for it.
func Marked(text string, m *hippo.Memory, now time.Time, ids hippo.ShortIDs) string {
	if note := StateNote(m, now, ids); note != "" {
		return "(" + note + ") " + text
	}
	if m.Project == "" && m.UserPreference() {
		return "(" + PreferenceNote + ") " + text
	}
	return text
}

// PreferenceNote marks a memory that holds in every project.
const PreferenceNote = "preference of the user"
