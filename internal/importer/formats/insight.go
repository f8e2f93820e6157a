package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
)

// KeptPrefix marks the keys of [hippo.Memory.Metadata] that hold unknown top-level keys of
// an insight file: the file's "colour" is Metadata["$colour"] in memory and "colour" again
// in the file.
const KeptPrefix = "$"

// LegacyKeys returns the keys that the first Hippo program wrote, in its order.
// It needs all of them, and drops every other key when it rewrites a file.
func LegacyKeys() []string {
	return []string{
		"uuid", "content", "situation", "base_importance", "importance",
		"created_at", "importance_modified_at", "daily_access_counts",
	}
}

// ownKeys returns the keys that this program adds, in the order of writing.
func ownKeys() []string {
	return []string{
		"tags", "type", "pinned", "updated_at", "event_time", "valid_from", "valid_until", "superseded_by",
		"forgotten_at", "archived_at", "version", "surprise", "source", "trust", "project", "namespace", "importance_set_day", "feedback",
		"untied_importance",
		"metadata",
	}
}

func knownKey(key string) bool {
	return slices.Contains(LegacyKeys(), key) || slices.Contains(ownKeys(), key)
}

// EncodeInsight returns m as the content of its file <uuid>.json: one JSON
// object, indented by two spaces (on one line if it is nested more than 32 levels deep), without
// a line break at the end. The first 8
// keys are those of [LegacyKeys], always there; the others follow when they say
// more than their absence does. Equal memories have equal encodings, but for
// the order of keys inside metadata values, which is kept.
//
// ContentHash and Revision are not written. Times are RFC 3339 in UTC,
// daily_access_counts a list of [day, count], trust one of none, low, normal and
// high, updated_at null if it is unset though created_at is not. The error is [hippo.ErrInvalid]:
// a number that JSON cannot hold, a year outside 0 to 9999, metadata that is
// not JSON, text that is not UTF-8. Cost: O(size).
func EncodeInsight(m *hippo.Memory) ([]byte, error) {
	w := &objectWriter{}
	writeLegacy(w, m)
	writeOwn(w, m)
	writeMetadata(w, m)
	return w.close()
}

// objectWriter writes one JSON object with its keys in the order of the calls. The first
// error is kept.
type objectWriter struct {
	buf bytes.Buffer
	err error
}

func writeLegacy(w *objectWriter, m *hippo.Memory) {
	w.put("uuid", m.ID)
	w.text("content", m.Content)
	w.texts("situation", m.Situation)
	w.number("base_importance", m.Importance.Base)
	w.number("importance", m.Importance.Value)
	w.time("created_at", m.CreatedAt)
	w.time("importance_modified_at", m.Importance.SetAt)
	days := make([][2]int, len(m.Accesses))
	for i, a := range m.Accesses {
		days[i] = [2]int{int(a.Day), a.Count}
	}
	w.put("daily_access_counts", days)
}

func writeOwn(w *objectWriter, m *hippo.Memory) {
	if len(m.Tags) > 0 {
		w.texts("tags", m.Tags)
	}
	w.textIfSet("type", m.Type)
	if m.Pinned {
		w.put("pinned", true)
	}
	// Without updated_at a reader would take the kept key for it.
	_, substitute := m.Metadata[KeptPrefix+"content_last_modified_at"]
	if substitute || !m.UpdatedAt.Equal(m.CreatedAt) {
		w.timeOrNull("updated_at", m.UpdatedAt)
	}
	w.timeIfSet("event_time", m.EventTime)
	w.timeIfSet("valid_from", m.ValidFrom)
	w.timeIfSet("valid_until", m.ValidUntil)
	if !m.SupersededBy.IsZero() {
		w.put("superseded_by", m.SupersededBy)
	}
	w.timeIfSet("forgotten_at", m.ForgottenAt)
	w.timeIfSet("archived_at", m.ArchivedAt)
	if m.Version != 1 {
		w.put("version", m.Version)
	}
	if m.Surprise != (hippo.Surprise{}) {
		w.put("surprise", m.Surprise)
	}
	if s := m.Source; s != (hippo.Source{}) {
		w.texts1("source", s, string(s.Kind), s.Author, s.Client, s.Session, s.URI)
	}
	if m.Trust != hippo.TrustNormal {
		w.put("trust", trustName(m.Trust))
	}
	w.textIfSet("project", m.Project)
	w.textIfSet("namespace", m.Namespace)
	if m.Importance.SetDay != 0 || len(m.Accesses) > 0 {
		w.put("importance_set_day", m.Importance.SetDay)
	}
	if len(m.Feedback) > 0 {
		w.put("feedback", m.Feedback)
	}
	if m.Untied != nil {
		w.put("untied_importance", m.Untied)
	}
}

// writeMetadata writes the kept keys at the top level and the others as one object.
func writeMetadata(w *objectWriter, m *hippo.Memory) {
	keys := slices.Sorted(maps.Keys(m.Metadata))
	inner := &objectWriter{}
	var kept []string
	for _, k := range keys {
		if name, ok := strings.CutPrefix(k, KeptPrefix); ok && !knownKey(name) {
			kept = append(kept, name)
			continue
		}
		inner.raw("metadata", k, m.Metadata[k])
	}
	if len(kept) < len(keys) {
		b, err := inner.plain()
		w.fail(err)
		w.raw("metadata", "metadata", b)
	}
	for _, name := range kept {
		w.raw(name, name, m.Metadata[KeptPrefix+name])
	}
}

func (w *objectWriter) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// raw writes a value that is JSON already; an absent one is null.
func (w *objectWriter) raw(field, key string, value json.RawMessage) {
	if value == nil {
		value = json.RawMessage("null")
	}
	if !json.Valid(value) || !utf8.Valid(value) || !utf8.ValidString(key) {
		w.fail(hippo.Fieldf(field, "key %q must hold valid JSON in UTF-8", key))
		return
	}
	name, err := marshal(key)
	w.fail(err)
	if w.buf.Len() > 0 {
		w.buf.WriteByte(',')
	}
	w.buf.Write(name)
	w.buf.WriteByte(':')
	w.buf.Write(value)
}

func (w *objectWriter) put(key string, value any) {
	b, err := marshal(value)
	if err != nil {
		w.fail(hippo.Fieldf(key, "%v", err))
		return
	}
	w.raw(key, key, b)
}

func (w *objectWriter) text(key, s string) { w.texts1(key, s, s) }

func (w *objectWriter) texts(key string, list []string) {
	if list == nil {
		list = []string{}
	}
	w.texts1(key, list, list...)
}

// texts1 writes value, whose texts must be UTF-8: JSON would replace the rest.
func (w *objectWriter) texts1(key string, value any, all ...string) {
	for _, s := range all {
		if !utf8.ValidString(s) {
			w.fail(hippo.Fieldf(key, "must be valid UTF-8"))
			return
		}
	}
	w.put(key, value)
}

func (w *objectWriter) textIfSet(key, s string) {
	if s != "" {
		w.text(key, s)
	}
}

// number writes a float as the first Hippo program does, with a decimal point.
func (w *objectWriter) number(key string, f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		w.fail(hippo.Fieldf(key, "must be a number, got %v", f))
		return
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	w.raw(key, key, json.RawMessage(s))
}

// time writes RFC 3339 in UTC with 0, 3, 6 or 9 digits after the second.
func (w *objectWriter) time(key string, t time.Time) {
	t = t.UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		w.fail(hippo.Fieldf(key, "must be in the years 0 to 9999, got %d", y))
		return
	}
	w.put(key, t.Format(timeLayout(t.Nanosecond())))
}

func timeLayout(nanos int) string {
	switch {
	case nanos == 0:
		return "2006-01-02T15:04:05Z"
	case nanos%1_000_000 == 0:
		return "2006-01-02T15:04:05.000Z"
	case nanos%1_000 == 0:
		return "2006-01-02T15:04:05.000000Z"
	default:
		return "2006-01-02T15:04:05.000000000Z"
	}
}

func (w *objectWriter) timeOrNull(key string, t time.Time) {
	if t.IsZero() {
		w.put(key, nil)
		return
	}
	w.time(key, t)
}

func (w *objectWriter) timeIfSet(key string, t time.Time) {
	if !t.IsZero() {
		w.time(key, t)
	}
}

func (w *objectWriter) plain() (json.RawMessage, error) {
	if w.err != nil {
		return nil, w.err
	}
	return slices.Concat([]byte("{"), w.buf.Bytes(), []byte("}")), nil
}

func (w *objectWriter) close() ([]byte, error) {
	b, err := w.plain()
	if err != nil || depth(b) > maxIndented {
		return b, err
	}
	var out bytes.Buffer
	out.Grow(2 * len(b))
	if err := json.Indent(&out, b, "", "  "); err != nil {
		return nil, fmt.Errorf("%w: %w", hippo.ErrInvalid, err)
	}
	return out.Bytes(), nil
}

// maxIndented is the depth of nesting up to which an object is indented: the spaces grow with
// its square.
const maxIndented = 32

// depth returns how deeply the brackets of valid JSON are nested.
func depth(b []byte) (deepest int) {
	var n nesting
	for _, c := range b {
		n.add(c)
		deepest = max(deepest, n.depth)
	}
	return deepest
}

// marshal is [json.Marshal] without the escapes meant for HTML.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// trustName returns the name of a level, or its number if it has none.
func trustName(t hippo.Trust) any {
	if names := hippo.TrustNames(); t >= 0 && int(t) < len(names) {
		return names[t]
	}
	return int(t)
}
