package wire

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

// Changed is a field in which two versions of a memory differ, as texts; empty: it has no value there.
type Changed struct{ Name, Before, After string }

// Label is the name of the field for people.
func (c *Changed) Label() string {
	switch c.Name {
	case "base_importance":
		return "importance as set"
	case "event_time":
		return "time of the event"
	case "forgotten_at", "archived_at":
		return strings.TrimSuffix(c.Name, "_at")
	}
	return strings.ReplaceAll(c.Name, "_", " ")
}

// ChangedBetween returns the fields in which two versions of a memory differ, but for the content, by their keys in files. Nil is one that
// is not there. zone is that of the times.
func ChangedBetween(from, to *hippo.Memory, zone *time.Location) (out []Changed) {
	before, after := fieldTexts(from, zone), fieldTexts(to, zone)
	for i := range before {
		if before[i][1] != after[i][1] {
			out = append(out, Changed{before[i][0], before[i][1], after[i][1]})
		}
	}
	return out
}

// fieldTexts returns the names and values of the fields that operations change.
func fieldTexts(m *hippo.Memory, zone *time.Location) [][2]string {
	if m == nil {
		m = &hippo.Memory{}
	}
	at := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return when.Clock(t, zone)
	}
	superseded := ""
	if !m.SupersededBy.IsZero() {
		superseded = m.SupersededBy.Short()
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
	return [][2]string{
		{"situation", strings.Join(m.Situation, "; ")},
		{"tags", strings.Join(m.Tags, ", ")},
		{"type", m.Type},
		{"project", m.Project},
		{"base_importance", number(m.Importance.Base)},
		{"importance", number(m.Importance.Value)},
		{"pinned", strconv.FormatBool(m.Pinned)},
		{"event_time", at(m.EventTime)},
		{"valid_from", at(m.ValidFrom)},
		{"valid_until", at(m.ValidUntil)},
		{"superseded_by", superseded},
		{"forgotten_at", at(m.ForgottenAt)},
		{"archived_at", at(m.ArchivedAt)},
		{"metadata", metadataText(m)},
	}
}

// metadataText is the metadata as JSON, sorted by key; empty for none.
func metadataText(m *hippo.Memory) string {
	if len(m.Metadata) == 0 {
		return ""
	}
	b, err := json.Marshal(m.Metadata)
	if err != nil {
		return ""
	}
	return string(b)
}
