package wire

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
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

// Periods returns the words for when a relation holds, for a reader of now: "from 2026-01-31" or "not before 2027-01-01", and
// "until 2026-03-01" or "ended 2026-01-31"; none if it holds always.
func Periods(r *hippo.Relation, now time.Time) (words []string) {
	state, from, until := r.StateAt(now), "from ", "until "
	switch state {
	case hippo.Ended:
		until = "ended "
	case hippo.NotYet:
		from = "not before "
	case hippo.Superseded, hippo.Holds:
	}
	if !r.ValidFrom.IsZero() {
		words = append(words, from+when.Date(r.ValidFrom, now.Location()))
	}
	if !r.ValidUntil.IsZero() {
		words = append(words, until+when.Date(r.ValidUntil, now.Location()))
	}
	return words
}

// RelationOf returns a relation as JSON: [formats.EncodeRelation] with its state, if it does not hold.
func RelationOf(r *hippo.Relation, now time.Time) (json.RawMessage, error) {
	b, err := formats.EncodeRelation(r)
	if err != nil {
		return nil, err
	}
	text := strings.TrimSpace(string(b))
	if s := RelationState(r, now); s != "" {
		text = strings.TrimSuffix(text, "}") + `,"state":"` + string(s) + `"}`
	}
	return json.RawMessage(text), nil
}

// RelationsOf is [RelationOf] of several.
func RelationsOf(list []hippo.Relation, now time.Time) ([]json.RawMessage, error) {
	out := make([]json.RawMessage, len(list))
	for i := range list {
		var err error
		if out[i], err = RelationOf(&list[i], now); err != nil {
			return nil, err
		}
	}
	return out, nil
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

// StateWord is a state in words: "ended", "not yet", "superseded"; empty for [hippo.Holds].
func StateWord(s hippo.State) string {
	if s == hippo.Holds {
		return ""
	}
	return strings.ReplaceAll(string(s), "_", " ")
}

// RelationState is [StateOf] of a relation.
func RelationState(r *hippo.Relation, now time.Time) hippo.State {
	if s := r.StateAt(now); s != hippo.Holds {
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
