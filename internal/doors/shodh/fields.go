package shodh

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

// memoryTypes returns MemoryType of the document, the default first.
func memoryTypes() []string {
	return []string{
		"Observation", "Decision", "Learning", "Error", "Discovery", "Pattern", "Context", "Task", "CodeEdit",
		"FileAccess", "Search", "Command", "Conversation",
	}
}

// typeOf returns the type of the document for a type as it is stored: the one that differs from it in case
// and separators only, else the default.
func typeOf(stored string) string {
	all := memoryTypes()
	if t, ok := verb.Choice(all, stored); ok {
		return t
	}
	return all[0]
}

// sourceType is one row of SourceType of the document: what it becomes in a record.
type sourceType struct {
	name  string
	kind  hippo.SourceKind
	trust hippo.Trust
}

// sourceTypes returns the table of the sources, the default first. A request means the first row of its
// name, and a record shows the first row of its kind. Trust is lower than that of the same kind elsewhere, because it is a
// program that says where a memory comes from.
func sourceTypes() []sourceType {
	return []sourceType{
		{"user", hippo.SourceUser, hippo.TrustNormal},
		{"system", hippo.SourceHook, hippo.TrustLow},
		{"api", hippo.SourceTool, hippo.TrustNone},
		{"file", hippo.SourceImport, hippo.TrustLow},
		{"web", hippo.SourceTool, hippo.TrustNone},
		{"ai_generated", hippo.SourceAgent, hippo.TrustNormal},
		{"inferred", hippo.SourceAgent, hippo.TrustLow},
		{"file", hippo.SourceSync, hippo.TrustLow},
	}
}

func sourceNames() (names []string) {
	for _, s := range sourceTypes() {
		if !slices.Contains(names, s.name) {
			names = append(names, s.name)
		}
	}
	return names
}

// Of the trust scores below these a memory has low trust, or none.
const (
	credibleLow  = 0.5
	credibleNone = 0.25
)

// credibilityOf returns the trust score that a level of trust shows.
func credibilityOf(t hippo.Trust) float64 {
	switch {
	case t >= hippo.TrustNormal:
		return 1
	case t == hippo.TrustLow:
		return credibleLow
	default:
		return 0
	}
}

// kept is a field of a memory that a request may set.
//
// A record has a place of its own for some of them. What a record alone does not show as it was given
// is kept in the metadata, under the name of the field; there it takes precedence. So every
// value comes back as it was given, and other programs, which keep all of these fields in the metadata, read
// the same file.
type kept struct {
	verb.Arg
	// show returns what a record shows without its metadata; nil if it shows nothing.
	show func(m *hippo.Memory) any
	// put puts a value into a new record; nil if a record has no place for it.
	put func(m *hippo.Memory, v any)
}

// keptFields returns the table of these fields, in the order in which they are put.
func keptFields() []kept {
	nothing := func(*hippo.Memory) any { return nil }
	return []kept{
		{
			Arg: verb.Arg{Name: "source_type", Values: sourceNames(), To: verb.New[string]},
			show: func(m *hippo.Memory) any {
				all := sourceTypes()
				return all[max(0, slices.IndexFunc(all, func(s sourceType) bool { return s.kind == m.Source.Kind }))].name
			},
			put: func(m *hippo.Memory, v any) {
				all := sourceTypes()
				s := all[slices.IndexFunc(all, func(s sourceType) bool { return s.name == v })]
				m.Source.Kind, m.Trust = s.kind, s.trust
			},
		},
		{
			Arg:  verb.Arg{Name: "credibility", Rules: verb.Between(0, 1), To: verb.New[float64]},
			show: func(m *hippo.Memory) any { return credibilityOf(m.Trust) },
			put: func(m *hippo.Memory, v any) { // it never raises the trust that belongs to the source
				switch score, _ := v.(float64); {
				case score < credibleNone:
					m.Trust = hippo.TrustNone
				case score < credibleLow:
					m.Trust = min(m.Trust, hippo.TrustLow)
				}
			},
		},
		{Arg: verb.Arg{Name: "emotion", To: verb.New[string]}, show: nothing},
		{Arg: verb.Arg{Name: "emotional_valence", Rules: verb.Between(-1, 1), To: verb.New[float64]}, show: nothing},
		{Arg: verb.Arg{Name: "emotional_arousal", Rules: verb.Between(0, 1), To: verb.New[float64]}, show: nothing},
		{
			Arg:  verb.Arg{Name: "episode_id", Field: "source.session", To: verb.New[string]},
			show: func(m *hippo.Memory) any { return orNil(m.Source.Session) },
			put:  func(m *hippo.Memory, v any) { m.Source.Session, _ = v.(string) },
		},
		{
			Arg:  verb.Arg{Name: "sequence_number", To: verb.New[int]},
			show: func(m *hippo.Memory) any { return orNil(m.Source.Seq) },
			put: func(m *hippo.Memory, v any) {
				if n, _ := v.(int); n > 0 && n <= maxSequence {
					m.Source.Seq = n
				}
			},
		},
		{
			Arg:  verb.Arg{Name: "user_id", Field: "source.author", To: verb.New[string]},
			show: func(m *hippo.Memory) any { return orNil(m.Source.Author) },
			put:  func(m *hippo.Memory, v any) { m.Source.Author, _ = v.(string) },
		},
	}
}

// maxSequence is the largest sequence number that goes into the place of a record for it.
const maxSequence = 1<<31 - 1

// orNil returns nil for the zero value of a field, which stands for none.
func orNil[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// metadata returns what the metadata of a record must hold for a value of the field; null for nothing.
func (f *kept) metadata(m *hippo.Memory, v any) json.RawMessage {
	if f.show(m) == v {
		return json.RawMessage("null")
	}
	raw, _ := json.Marshal(v) // texts and numbers of JSON always marshal
	return raw
}

// newMemoryParams are the parameters of remember.
func newMemoryParams() verb.Table {
	return append(verb.Table{
		{Name: "content", Is: verb.Required, To: verb.New[string]},
		{Name: "created_at", To: verb.New[moment]},
	}, changeParams()...)
}

// changeParams are the parameters of updateMemory: what can be changed in a memory.
func changeParams() verb.Table {
	out := verb.Table{
		typeParam(),
		{Name: "tags", Field: "Tags", To: verb.New[[]string]},
		qualityParam(),
		{Name: "metadata", To: verb.New[verb.Metadata]},
	}
	for _, f := range keptFields() {
		out = append(out, f.Arg)
	}
	return out
}

// qualityParam is the importance of a memory.
func qualityParam() verb.Arg {
	return verb.Arg{Name: "quality_score", Also: "importance", Field: "importance base_importance", Rules: verb.Between(0, 1), To: verb.New[float64]}
}

// shown is one field of a memory in an answer.
type shown struct {
	name string
	// value returns what the answer says; nil if the field is left out. importance is that of now.
	value func(m *hippo.Memory, importance float64) any
}

// shownFields returns the table of the fields of an answer beside [keptFields] and the metadata. Fields of the
// document that are not here have no value: embedding, because vectors are never sent, and last_accessed_at,
// because use is counted by active days. A field without a value is left out rather than null, which the
// document, read as OpenAPI 3.1, does not allow.
func shownFields() []shown {
	return []shown{
		{"id", func(m *hippo.Memory, _ float64) any { return m.ID }},
		{"content", func(m *hippo.Memory, _ float64) any { return m.Content }},
		{"content_hash", func(m *hippo.Memory, _ float64) any { return hex.EncodeToString(m.ContentHash[:]) }},
		{"type", func(m *hippo.Memory, _ float64) any { return typeOf(m.Type) }},
		{"memory_type", func(m *hippo.Memory, _ float64) any { return typeOf(m.Type) }},
		{"tags", func(m *hippo.Memory, _ float64) any { return append([]string{}, m.Tags...) }},
		{"created_at", func(m *hippo.Memory, _ float64) any { return m.CreatedAt.UTC().Format(time.RFC3339Nano) }},
		{"updated_at", func(m *hippo.Memory, _ float64) any {
			if m.UpdatedAt.IsZero() {
				return nil
			}
			return m.UpdatedAt.UTC().Format(time.RFC3339Nano)
		}},
		{"quality_score", func(_ *hippo.Memory, importance float64) any { return wire.Round(importance, 4) }},
		{"access_count", func(m *hippo.Memory, _ float64) any { return retrievals(m) }},
		{"surprise_score", func(m *hippo.Memory, _ float64) any { return orNil(m.Surprise.Score) }},
		{"flags", func(m *hippo.Memory, _ float64) any {
			if flags := wire.Flags(m); flags != nil {
				return flags
			}
			return nil
		}},
	}
}

// retrievals counts the accesses of a memory but for the one that recording it counts as.
func retrievals(m *hippo.Memory) int {
	n := -1
	for _, a := range m.Accesses {
		n += a.Count
	}
	return max(0, n)
}

// memoryJSON is Memory of the document, with the fields in the order of the tables.
type memoryJSON []member

type member struct {
	name  string
	value any
}

// MarshalJSON implements [json.Marshaler].
func (m memoryJSON) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i, x := range m {
		if i == 0 {
			b.WriteByte('{')
		} else {
			b.WriteByte(',')
		}
		if err := e.Encode(x.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(x.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// memoryOf returns Memory of the document. importance is that of now, in [0, 1].
func memoryOf(m *hippo.Memory, importance float64, now time.Time) memoryJSON {
	var out memoryJSON
	for _, f := range shownFields() {
		if v := f.value(m, importance); v != nil {
			out = append(out, member{f.name, v})
		}
	}
	if state := wire.StateOf(m, now); state != "" {
		out = append(out, member{"state", state})
	}
	metadata := maps.Clone(m.Metadata)
	if metadata == nil {
		metadata = make(map[string]json.RawMessage)
	}
	for _, f := range keptFields() {
		v := f.show(m)
		if raw, ok := metadata[f.Name]; ok && !isNull(raw) {
			if given, err := f.Value(verb.SHODH, f.Name, raw); err == nil { // else another program put it there: it stays where it is
				v = given
				delete(metadata, f.Name)
			}
		}
		if v != nil {
			out = append(out, member{f.Name, v})
		}
	}
	return append(out, member{"metadata", metadata})
}
