package memorymcp

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"time"

	"github.com/hippo-memory/hippo"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

// The types of memories.
const (
	episodic   = "episodic"
	semantic   = "semantic"
	procedural = "procedural"
)

// row is a memory as this system shows it.
type row struct {
	ID         string                     `json:"id"`
	Content    string                     `json:"content"`
	MemoryType string                     `json:"memory_type"`
	Metadata   map[string]json.RawMessage `json:"metadata,omitempty"`
	owner
	times
	Importance   float64 `json:"importance_score"`
	Reason       string  `json:"invalidation_reason,omitempty"`
	SupersededBy string  `json:"superseded_by,omitempty"`
	ContentHash  string  `json:"content_hash"`
	Accesses     int     `json:"access_count"`
	// Flags say why the text could be taken for instructions.
	Flags []string `json:"flags,omitempty"`
}

// owner is whose a memory is.
type owner struct {
	User      string `json:"user_id,omitempty"`
	Agent     string `json:"agent_id,omitempty"`
	Run       string `json:"run_id,omitempty"`
	Namespace string `json:"namespace,omitempty"`
}

// times are those of a memory; an unset bound of the validity is no bound.
type times struct {
	Event      string `json:"event_time"`
	Ingestion  string `json:"ingestion_time"`
	ValidFrom  string `json:"valid_from,omitempty"`
	ValidUntil string `json:"valid_until,omitempty"`
	// State is absent for a memory that holds.
	State hippo.State `json:"state,omitempty"`
}

func rowOf(m *hippo.Memory, now time.Time) row {
	r := row{
		ID: keyOf(m.ID), Content: m.Content, MemoryType: typeOf(m), Metadata: shownMetadata(m),
		owner: owner{m.Source.Author, m.Source.Client, m.Source.Session, m.Project},
		times: times{iso(m.When()), iso(m.CreatedAt), iso(m.ValidFrom), iso(m.ValidUntil), wire.StateOf(m, now)},
		// A reader sees the score that was given, and what votes made of it.
		Importance: scoreOf(m.Importance.Value), Reason: ownOf(m).Reason, ContentHash: d.HashOf(m), Flags: wire.Flags(m),
	}
	if !m.SupersededBy.IsZero() {
		r.SupersededBy = keyOf(m.SupersededBy)
	}
	for _, a := range m.Accesses {
		r.Accesses += a.Count
	}
	return r
}

func rowsOf(ms []*hippo.Memory, now time.Time) []row {
	out := make([]row, len(ms))
	for i, m := range ms {
		out[i] = rowOf(m, now)
	}
	return out
}

// typeOf returns the type of a memory; one without a type is semantic.
func typeOf(m *hippo.Memory) string {
	if m.Type == "" {
		return semantic
	}
	return m.Type
}

// iso formats a time; empty if it is unset.
func iso(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// maxScore is the largest importance_score.
const maxScore = 10

// importanceOf returns the importance, in [0, 1), of an importance_score, of which 1 is the usual one.
func importanceOf(score float64) float64 { return score / (1 + score) }

// scoreOf is the inverse of [importanceOf], at most [maxScore].
func scoreOf(importance float64) float64 {
	if importance >= importanceOf(maxScore) {
		return maxScore
	}
	return wire.Round(importance/(1-importance), 4)
}

// reserved is the key of the metadata under which tools of other systems keep what is theirs.
const reserved = "_hippo"

// own is what these tools keep there.
type own struct {
	// Reason is why a memory was invalidated.
	Reason string `json:"invalidation_reason,omitempty"`
}

func ownOf(m *hippo.Memory) (o own) {
	_ = json.Unmarshal(m.Metadata[reserved], &o) // of another shape: it has no reason
	return o
}

// withReason returns the reserved value of a memory with a reason.
func withReason(m *hippo.Memory, reason string) (json.RawMessage, error) {
	fields := make(map[string]json.RawMessage)
	_ = json.Unmarshal(m.Metadata[reserved], &fields) // of another shape: it is replaced
	text, err := json.Marshal(reason)
	if err != nil {
		return nil, err
	}
	if fields == nil {
		fields = make(map[string]json.RawMessage)
	}
	fields["invalidation_reason"] = text
	return json.Marshal(fields)
}

// shownMetadata returns the metadata without what is reserved.
func shownMetadata(m *hippo.Memory) map[string]json.RawMessage {
	if _, ok := m.Metadata[reserved]; !ok {
		return m.Metadata
	}
	out := maps.Clone(m.Metadata)
	delete(out, reserved)
	return out
}

// metadataOf returns the argument metadata.
func metadataOf(c *d.Call) (map[string]json.RawMessage, error) {
	metadata := c.Object("metadata")
	if _, ok := metadata[reserved]; ok {
		return nil, hippo.Fieldf("metadata."+reserved, "is reserved: leave it out")
	}
	return metadata, nil
}

// holds reports whether JSON has all that other JSON has: of objects the keys of want, of anything else the same value.
func holds(got, want json.RawMessage) bool {
	var wanted map[string]json.RawMessage
	if bytes.HasPrefix(bytes.TrimSpace(want), []byte("{")) && json.Unmarshal(want, &wanted) == nil {
		var fields map[string]json.RawMessage
		if json.Unmarshal(got, &fields) != nil || fields == nil {
			return false
		}
		return holdsAll(fields, wanted)
	}
	var a, b any
	return json.Unmarshal(got, &a) == nil && json.Unmarshal(want, &b) == nil && reflect.DeepEqual(a, b)
}

func holdsAll(fields, wanted map[string]json.RawMessage) bool {
	for key, value := range wanted {
		if field, ok := fields[key]; !ok || !holds(field, value) {
			return false
		}
	}
	return true
}
