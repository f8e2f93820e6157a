package merge

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// The parts of a memory. A write sets the whole value of a part, with two exceptions: votes add up, and each replica counts its own
// uses. A later program may write parts that this list lacks. This program keeps them and passes them on as whole values.
const (
	Origin     = "origin" // when and by whom the memory was recorded
	Text       = "text"
	Tags       = "tags"
	Importance = "importance"
	Pinned     = "pinned"
	Validity   = "validity"
	EventTime  = "event_time"
	Successor  = "successor"
	Forgotten  = "forgotten"
	Archived   = "archived"
	Project    = "project"
	Trust      = "trust"
	Vote       = "vote"
	Uses       = "uses"
	Purged     = "purged"
)

// The prefixes of the other part names: one for metadata keys, one for relations from the memory.
const (
	metaPrefix     = "meta:"
	relationPrefix = "relation:"
)

// Meta returns the name of the part that holds a metadata key.
func Meta(key string) string { return metaPrefix + key }

// IsMeta returns the metadata key that a part holds.
func IsMeta(part string) (key string, ok bool) { return strings.CutPrefix(part, metaPrefix) }

type (
	originValue struct {
		Created int64        `json:"created,omitempty"`
		Source  hippo.Source `json:"source"`
	}
	textValue struct {
		Content   string   `json:"content"`
		Situation []string `json:"situation,omitempty"`
		Type      string   `json:"type,omitempty"`
		Version   int      `json:"version"`
	}
	tagsValue struct {
		Tags    []string `json:"tags"`
		Version int      `json:"version"`
	}
	// importanceValue lists the feedback that its value already includes. Votes that its writer had not seen apply on top.
	importanceValue struct {
		Base     float64         `json:"base"`
		Value    float64         `json:"value"`
		Date     string          `json:"date,omitempty"`
		At       int64           `json:"at,omitempty"`
		Untied   *untiedValue    `json:"untied,omitempty"`
		Feedback []feedbackValue `json:"feedback,omitempty"`
	}
	untiedValue struct {
		Value float64 `json:"value"`
		Date  string  `json:"date"`
	}
	feedbackValue struct {
		Kind     hippo.FeedbackKind `json:"kind"`
		Date     string             `json:"date"`
		Weight   float64            `json:"weight"`
		Question hippo.Question     `json:"question,omitempty"`
	}
	periodValue struct {
		From  int64 `json:"from,omitempty"`
		Until int64 `json:"until,omitempty"`
	}
)

// raw encodes the value of a part.
func raw(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // values are numbers, strings and valid JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// read decodes the value of a part and reports whether this program can read it.
func read(h *entry.Held, part string, v any) bool {
	return h != nil && json.Unmarshal(h.Parts[part], v) == nil
}

// micros returns a time in microseconds since 1970, or 0 for the zero time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func timeOf(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

// successorOf encodes the ID of a successor. The zero ID gives "".
func successorOf(id hippo.ID) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

// values returns the values of a memory by part, without votes and uses and not encoded. A nil memory has none.
func values(m *hippo.Memory, cal hippo.Calendar) map[string]any {
	if m == nil {
		return nil
	}
	out := map[string]any{
		Origin:     originValue{micros(m.CreatedAt), m.Source},
		Text:       textValue{m.Content, m.Situation, m.Type, m.Version},
		Tags:       tagsValue{m.Tags, m.Version},
		Importance: importanceOf(m, cal),
		Pinned:     m.Pinned,
		Validity:   periodValue{micros(m.ValidFrom), micros(m.ValidUntil)},
		EventTime:  micros(m.EventTime),
		Successor:  successorOf(m.SupersededBy),
		Forgotten:  micros(m.ForgottenAt),
		Archived:   micros(m.ArchivedAt),
		Project:    m.Project,
		Trust:      m.Trust,
	}
	for k, v := range m.Metadata {
		if json.Valid(v) { // no store accepts invalid JSON
			out[Meta(k)] = []json.RawMessage{v}
		}
	}
	return out
}

func importanceOf(m *hippo.Memory, cal hippo.Calendar) importanceValue {
	v := importanceValue{Base: m.Importance.Base, Value: m.Importance.Value, Date: DateOf(cal, m.Importance.SetDay), At: micros(m.Importance.SetAt)}
	if u := m.Untied; u != nil {
		v.Untied = &untiedValue{u.Value, DateOf(cal, u.SetDay)}
	}
	for i := range m.Feedback {
		f := &m.Feedback[i]
		v.Feedback = append(v.Feedback, feedbackValue{f.Kind, DateOf(cal, f.Day), f.Weight, f.Question})
	}
	return v
}

// unset reports whether a new memory can leave a part at this value.
func unset(part string, value any) bool {
	switch part {
	case Tags:
		v, ok := value.(tagsValue)
		return ok && v.Tags == nil && v.Version == 1
	case Pinned, Validity, EventTime, Successor, Forgotten, Archived, Project:
		return reflect.ValueOf(value).IsZero()
	}
	return false
}

// Changed returns the parts that a change of a memory has set, with their values. For a new memory, before is nil, and parts with default
// values are left out, unless entries of another store that recorded the same memory have set them. Changed recognizes a vote by its
// effect on the memory; see [voteOf].
func (s *Subject) Changed(before, after *hippo.Memory, cal hippo.Calendar, cast Cast) map[string]json.RawMessage {
	old, out := values(before, cal), make(map[string]json.RawMessage)
	if before == nil {
		old = make(map[string]any)
		for _, name := range s.Parts() {
			old[name] = nil
		}
	}
	for name, value := range values(after, cal) {
		was, known := old[name]
		if !known && before == nil && unset(name, value) || known && reflect.DeepEqual(was, value) {
			continue
		}
		if v := raw(value); was == nil || !bytes.Equal(raw(was), v) {
			out[name] = v
		}
	}
	for name := range old {
		if key, ok := IsMeta(name); ok && after.Metadata[key] == nil {
			out[name] = json.RawMessage("[]")
		}
	}
	if before == nil {
		return out
	}
	if v := voteOf(s, before, after, cal, cast); v != nil {
		out[Vote] = v
		delete(out, Importance) // the vote implies it
	}
	sameVersion(before, after, out)
	if _, ok := out[Forgotten]; !ok && (out[Text] != nil || out[Vote] != nil) && after.Forgotten() != hidden(s, out) {
		out[Forgotten] = raw(micros(after.ForgottenAt)) // an edit or a vote here brings nothing back, and its withdrawal hides nothing
	}
	return out
}

// hidden reports whether a memory would be forgotten after a write of some parts that sets no time of forgetting.
func hidden(s *Subject, parts map[string]json.RawMessage) bool {
	next := &entry.Entry{Dot: entry.Dot{Seq: 1}, Time: clock.MaxTime, Subject: s.ID, Parts: maps.Clone(parts)}
	return !forgottenAt(NewSubject(s.ID, append(s.Held(), &entry.Held{Entry: next})...)).IsZero()
}

// sameVersion removes the text or the tags from out if only their version number differs.
func sameVersion(before, after *hippo.Memory, out map[string]json.RawMessage) {
	if before.Content == after.Content && before.Type == after.Type && slices.Equal(before.Situation, after.Situation) {
		delete(out, Text)
	}
	if slices.Equal(before.Tags, after.Tags) {
		delete(out, Tags)
	}
}

// RelationPart returns the name of the part that holds a relation.
func RelationPart(r *hippo.Relation) string {
	return relationPrefix + r.To.String() + ":" + strconv.FormatInt(micros(r.ValidFrom), 10) + ":" + r.Kind
}

// relationKey decodes the relation that a part name identifies. It leaves the values of the relation unset.
func relationKey(from hippo.ID, part string) (r hippo.Relation, ok bool) {
	rest, ok := strings.CutPrefix(part, relationPrefix)
	fields := strings.SplitN(rest, ":", 3)
	if !ok || len(fields) < 3 {
		return r, false
	}
	to, err := hippo.ParseID(fields[0])
	begin, bad := strconv.ParseInt(fields[1], 10, 64)
	r = hippo.Relation{From: from, To: to, Kind: fields[2], ValidFrom: timeOf(begin)}
	return r, err == nil && bad == nil && r.ValidKey() == nil
}

type relationValue struct {
	Weight     float64 `json:"weight"`
	Until      int64   `json:"until,omitempty"`
	Reinforced int64   `json:"reinforced,omitempty"`
}

// RelationValue returns the value of a relation. A Weight of 0 stands for a removed relation.
func RelationValue(r *hippo.Relation) json.RawMessage {
	if r.Weight == 0 {
		return json.RawMessage("null")
	}
	return raw(relationValue{r.Weight, micros(r.ValidUntil), micros(r.LastReinforced)})
}
