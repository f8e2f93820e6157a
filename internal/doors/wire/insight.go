package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// Insight is a memory as JSON: [Compact] or [Full].
type Insight json.Marshaler

// compact is the fields of a memory that a model needs.
type compact struct {
	UUID       hippo.ID `json:"uuid"`
	Content    string   `json:"content"`
	Situation  []string `json:"situation"`
	Importance float64  `json:"importance"`
	CreatedAt  string   `json:"created_at"`
	Tags       []string `json:"tags,omitempty"`
	Type       string   `json:"type,omitempty"`
	Pinned     bool     `json:"pinned,omitempty"`
	holds
	Archived bool `json:"archived,omitempty"`
	// State is absent for one that holds.
	State hippo.State `json:"state,omitempty"`
	// SupersededBy is absent for one that was not superseded.
	SupersededBy *hippo.ID `json:"superseded_by,omitempty"`
}

// holds is when a fact holds.
type holds struct {
	EventTime  string `json:"event_time,omitempty"`
	ValidFrom  string `json:"valid_from,omitempty"`
	ValidUntil string `json:"valid_until,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (c *compact) MarshalJSON() ([]byte, error) {
	type plain compact
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode((*plain)(c))
	return b.Bytes(), err
}

// Compact returns the fields of a memory that a model needs, with its content or the beginning of it, and
// keys as in [Full]: times to the second, and as importance that of now, with four decimals.
func Compact(m *hippo.Memory, content string, importance float64, now time.Time) Insight {
	out := &compact{
		UUID: m.ID, Content: content, Situation: m.Situation, Importance: Round(importance, 4),
		CreatedAt: m.CreatedAt.Format(time.RFC3339), Tags: m.Tags, Type: m.Type, Pinned: m.Pinned,
		holds:    holds{timeText(m.EventTime), timeText(m.ValidFrom), timeText(m.ValidUntil)},
		Archived: m.Archived(), State: StateOf(m, now),
	}
	if out.Situation == nil {
		out.Situation = []string{}
	}
	if !m.SupersededBy.IsZero() {
		out.SupersededBy = &m.SupersededBy
	}
	return out
}

// timeText is empty for an unset time.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

// Stored returns a memory as its file holds it, see [formats.EncodeInsight], and last its [StateOf] and its [Flags], if it
// has any. The error is that of EncodeInsight.
func Stored(m *hippo.Memory, now time.Time) (json.RawMessage, error) {
	b, err := formats.EncodeInsight(m)
	if state := StateOf(m, now); state != "" && err == nil {
		b, err = withKey(b, m, "state", state)
	}
	if flags := Flags(m); flags != nil && err == nil {
		b, err = withKey(b, m, "flags", flags)
	}
	return b, err
}

// withKey returns the JSON of a memory with a further key, unless its metadata has that.
func withKey(b []byte, m *hippo.Memory, key string, value any) ([]byte, error) {
	if _, taken := m.Metadata[key]; taken {
		return b, nil
	}
	text, err := json.Marshal(value)
	b = bytes.TrimRight(bytes.TrimSuffix(bytes.TrimRight(b, "\n"), []byte("}")), "\n")
	return append(append(append(b, `, "`+key+`": `...), text...), '}'), err
}

// Full returns a memory as its file holds it, see [formats.EncodeInsight], and last as
// current_importance the importance of now, with nine decimals, and its [StateOf], if it has any. The error is that of
// EncodeInsight.
func Full(m *hippo.Memory, importance float64, now time.Time) (Insight, error) {
	b, err := formats.EncodeInsight(m)
	if err != nil {
		return nil, err
	}
	b = append(bytes.TrimSuffix(b, []byte("\n}")), `, "current_importance": `...)
	b = strconv.AppendFloat(b, Round(importance, 9), 'f', -1, 64)
	b = append(b, '}')
	if state := StateOf(m, now); state != "" {
		b, err = withKey(b, m, "state", state)
	}
	return json.RawMessage(b), err
}
