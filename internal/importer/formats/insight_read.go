package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
)

// maxCount bounds days, counts, versions and sequence numbers in files, so
// that they fit an int on every machine.
const maxCount = math.MaxInt32

// DecodeInsight reads one insight as any version of Hippo wrote it:
//
//   - by [EncodeInsight];
//   - by the Rust program: the 8 keys of [LegacyKeys]; early ones have
//     current_importance for importance and no daily_access_counts;
//   - by the Python program: no base_importance; importance_last_modified_at
//     for importance_modified_at, content_last_modified_at for updated_at;
//   - by the first designs: context, a text or a list, for situation;
//     score_at_last_change or votes_at_last_change for importance, with
//     score_last_modified_at or votes_last_modified_at;
//     last_accessed_active_day for daily_access_counts.
//
// A key is only read as a substitute where the key it stands for is missing.
// All other keys are kept, see [KeptPrefix]. Absent keys mean: importance set
// on the last access day, one access on day 1, version 1, normal trust, updated
// when created.
//
// Times may lack a zone, which means UTC. Importances above 1 are 1. Blank
// elements of situation and tags are dropped; access days are put in order and
// only the newest [hippo.MaxAccessDays] stay. A byte order mark is passed over. Control
// characters that a memory must not have become U+FFFD.
// The limits of [hippo.Memory.Validate] are not checked.
//
// Errors: [hippo.ErrCorrupt] for bytes that are no JSON in UTF-8 (cut off, NaN,
// conflict marks); a [*hippo.FieldError] for a value of the wrong kind, a missing one, and a
// repeated key. Cost: O(size).
func DecodeInsight(b []byte) (*hippo.Memory, error) {
	o, err := readObject(b)
	if err != nil {
		return nil, err
	}
	m := &hippo.Memory{}
	o.id("uuid", &m.ID)
	o.require("content")
	o.text("content", &m.Content)
	m.Situation = readLines(o, "situation", "context")
	readImportance(o, m)
	readTimes(o, m)
	readAccesses(o, m)
	readOwn(o, m)
	keepUnknown(o, m)
	if o.err != nil {
		return nil, o.err
	}
	clean(m)
	m.ContentHash = hippo.HashContent(m.Content)
	return m, nil
}

// OnlyLegacyKeys reports whether b is an insight file without any key beyond
// [LegacyKeys], as the first Hippo program leaves it.
func OnlyLegacyKeys(b []byte) bool {
	o, err := readObject(b)
	if err != nil {
		return false
	}
	old := LegacyKeys()
	return !slices.ContainsFunc(o.keys, func(k string) bool { return !slices.Contains(old, k) })
}

// object is a JSON object being read. The first error is kept.
type object struct {
	keys   []string
	values map[string]json.RawMessage
	used   map[string]bool
	err    error
}

func readObject(b []byte) (*object, error) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if !utf8.Valid(b) {
		return nil, fmt.Errorf("%w: not UTF-8", hippo.ErrCorrupt)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	start, err := d.Token()
	if err != nil {
		return nil, broken(err)
	}
	if start != json.Delim('{') {
		return nil, fmt.Errorf("%w: an insight must be a JSON object", hippo.ErrInvalid)
	}
	o := &object{values: make(map[string]json.RawMessage), used: make(map[string]bool)}
	for d.More() {
		if err := o.readKey(d); err != nil {
			return nil, err
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, broken(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: more after the end of the JSON object", hippo.ErrCorrupt)
	}
	return o, nil
}

func (o *object) readKey(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil {
		return broken(err)
	}
	key, ok := token.(string)
	if !ok {
		return fmt.Errorf("%w: a key must be a string", hippo.ErrCorrupt)
	}
	if _, twice := o.values[key]; twice {
		return hippo.Fieldf(key, "must be given once")
	}
	var value json.RawMessage
	if err := d.Decode(&value); err != nil {
		return broken(err)
	}
	o.keys = append(o.keys, key)
	o.values[key] = value
	return nil
}

func broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: JSON is cut off", hippo.ErrCorrupt)
	}
	return fmt.Errorf("%w: broken JSON: %w", hippo.ErrCorrupt, err)
}

func (o *object) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}

// first returns the first of these keys that is present and not null, and marks it as read.
func (o *object) first(keys ...string) (string, json.RawMessage) {
	for _, k := range keys {
		if v, ok := o.values[k]; ok && string(v) != "null" {
			o.used[k] = true
			return k, v
		}
	}
	return "", nil
}

// require sets an error if none of the keys is present.
func (o *object) require(keys ...string) {
	if k, _ := o.first(keys...); k == "" {
		o.fail(hippo.Fieldf(keys[0], "must be given"))
	}
}

// read decodes the first of keys into v, or leaves v alone. It reports whether
// there was one.
func (o *object) read(v any, want string, keys ...string) bool {
	k, raw := o.first(keys...)
	if k == "" {
		return false
	}
	if err := json.Unmarshal(raw, v); err != nil {
		o.fail(hippo.Fieldf(k, "must be %s", want))
		return false
	}
	return true
}

func (o *object) text(key string, s *string) { o.read(s, "a text", key) }

func (o *object) id(key string, id *hippo.ID) {
	o.require(key)
	o.optionalID(key, id)
	if id.IsZero() {
		o.fail(hippo.Fieldf(key, "must not be zero"))
	}
}

func (o *object) optionalID(key string, id *hippo.ID) {
	var s string
	if !o.read(&s, "a UUID", key) {
		return
	}
	v, err := hippo.ParseID(s)
	if err != nil {
		o.fail(hippo.Fieldf(key, "must be a UUID"))
	}
	*id = v
}

// readLines reads a list of texts, or one text, and drops blank ones.
func readLines(o *object, keys ...string) []string {
	k, raw := o.first(keys...)
	if k == "" {
		return nil
	}
	var list []string
	var one string
	if json.Unmarshal(raw, &one) == nil {
		list = []string{one}
	} else if err := json.Unmarshal(raw, &list); err != nil {
		o.fail(hippo.Fieldf(k, "must be a list of texts"))
		return nil
	}
	list = slices.DeleteFunc(list, func(s string) bool { return strings.TrimSpace(s) == "" })
	if len(list) == 0 {
		return nil
	}
	return list
}

func readImportance(o *object, m *hippo.Memory) {
	current := []string{"importance", "current_importance", "score_at_last_change", "votes_at_last_change"}
	o.require(current...)
	m.Importance.Value = o.unit(current...)
	m.Importance.Base = m.Importance.Value
	if _, ok := o.values["base_importance"]; ok {
		m.Importance.Base = o.unit("base_importance")
	}
}

func (o *object) unit(keys ...string) float64 {
	var f float64
	o.read(&f, "a number between 0 and 1", keys...)
	if f < 0 {
		k, _ := o.first(keys...)
		o.fail(hippo.Fieldf(k, "must be between 0 and 1, got %v", f))
	}
	return min(f, 1)
}

func readTimes(o *object, m *hippo.Memory) {
	o.require("created_at")
	m.CreatedAt = readTime(o, "created_at")
	m.Importance.SetAt = m.CreatedAt
	if o.has("importance_modified_at", "importance_last_modified_at", "score_last_modified_at", "votes_last_modified_at") {
		m.Importance.SetAt = readTime(o, "importance_modified_at",
			"importance_last_modified_at", "score_last_modified_at", "votes_last_modified_at")
	}
	m.UpdatedAt = m.CreatedAt
	if _, ok := o.values["updated_at"]; ok {
		m.UpdatedAt = readTime(o, "updated_at") // null: not set
	} else if o.has("content_last_modified_at") {
		m.UpdatedAt = readTime(o, "content_last_modified_at")
	}
	m.EventTime = readTime(o, "event_time")
	m.ValidFrom = readTime(o, "valid_from")
	m.ValidUntil = readTime(o, "valid_until")
	m.ForgottenAt = readTime(o, "forgotten_at")
	m.ArchivedAt = readTime(o, "archived_at")
}

func (o *object) has(keys ...string) bool {
	k, _ := o.first(keys...)
	return k != ""
}

func readTime(o *object, keys ...string) time.Time {
	var s string
	if !o.read(&s, "a time", keys...) {
		return time.Time{}
	}
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", time.DateOnly,
	} {
		t, err := time.Parse(layout, s)
		if t = t.UTC(); err == nil && t.Year() >= 0 && t.Year() <= 9999 {
			return t
		}
	}
	k, _ := o.first(keys...)
	o.fail(hippo.Fieldf(k, "must be a time as 2006-01-02T15:04:05Z"))
	return time.Time{}
}

func readAccesses(o *object, m *hippo.Memory) {
	var days [][]int64
	if !o.read(&days, "a list of pairs [day, count]", "daily_access_counts") {
		day := 1
		if o.has("last_accessed_active_day") {
			day = o.count("last_accessed_active_day", 1)
		}
		if _, there := o.values["daily_access_counts"]; !there {
			days = [][]int64{{int64(day), 1}}
		}
	}
	byDay := make(map[int64]int64)
	for i, pair := range days {
		if len(pair) != 2 || min(pair[0], pair[1]) < 0 || max(pair[0], pair[1]) > maxCount {
			o.fail(hippo.Fieldf("daily_access_counts["+strconv.Itoa(i)+"]", "must be [day, count], each from 0 to %d", maxCount))
			return
		}
		byDay[pair[0]] = min(byDay[pair[0]]+pair[1], maxCount)
	}
	for day, n := range byDay {
		m.Accesses = append(m.Accesses, hippo.Access{Day: hippo.Day(day), Count: int(n)})
	}
	slices.SortFunc(m.Accesses, func(a, b hippo.Access) int { return int(a.Day) - int(b.Day) })
	m.Accesses = m.Accesses[max(0, len(m.Accesses)-hippo.MaxAccessDays):]
}

// count reads a whole number from 0 to maxCount.
func (o *object) count(key string, absent int) int {
	n := int64(absent)
	if o.read(&n, fmt.Sprintf("a whole number from 0 to %d", maxCount), key) && (n < 0 || n > maxCount) {
		o.fail(hippo.Fieldf(key, "must be from 0 to %d, got %d", maxCount, n))
	}
	return int(n)
}

func readOwn(o *object, m *hippo.Memory) {
	m.Tags = readLines(o, "tags")
	o.text("type", &m.Type)
	o.read(&m.Pinned, "true or false", "pinned")
	o.optionalID("superseded_by", &m.SupersededBy)
	m.Version = o.count("version", 1)
	o.read(&m.Surprise, "an object of numbers", "surprise")
	o.read(&m.Source, "an object of texts", "source")
	m.Trust = readTrust(o)
	o.text("project", &m.Project)
	o.text("namespace", &m.Namespace)
	o.read(&m.Feedback, "a list of objects", "feedback")
	o.read(&m.Untied, "an object of numbers", "untied_importance")
	m.Feedback = m.Feedback[max(0, len(m.Feedback)-hippo.MaxFeedback):]
	lastDay := 0
	if n := len(m.Accesses); n > 0 {
		lastDay = int(m.Accesses[n-1].Day)
	}
	m.Importance.SetDay = hippo.Day(o.count("importance_set_day", lastDay))
}

func readTrust(o *object) hippo.Trust {
	_, raw := o.first("trust")
	if raw == nil {
		return hippo.TrustNormal
	}
	var n int8
	if json.Unmarshal(raw, &n) == nil {
		return hippo.Trust(n)
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		if i := slices.Index(hippo.TrustNames(), s); i >= 0 {
			return hippo.Trust(i)
		}
	}
	o.fail(hippo.Fieldf("trust", "must be one of %s", strings.Join(hippo.TrustNames(), ", ")))
	return hippo.TrustNone
}

// keepUnknown keeps metadata and every key that was not read.
func keepUnknown(o *object, m *hippo.Memory) {
	o.read(&m.Metadata, "an object", "metadata")
	for _, k := range o.keys {
		if o.used[k] || knownKey(k) {
			continue
		}
		if m.Metadata == nil {
			m.Metadata = make(map[string]json.RawMessage)
		}
		m.Metadata[KeptPrefix+k] = o.values[k]
	}
}
