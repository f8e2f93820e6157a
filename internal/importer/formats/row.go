package formats

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/hippo-memory/hippo"
)

// decoder decodes objects, whose kind it detects by their keys. It counts the turns of each
// session.
type decoder struct {
	turns map[string]int
}

func newDecoder() *decoder { return &decoder{turns: make(map[string]int)} }

// decode reads a turn, an insight, or any other program's row.
func (d *decoder) decode(b []byte) (*hippo.Memory, error) {
	o, err := readObject(b)
	if err != nil {
		return nil, err
	}
	has := func(k string) bool { _, ok := o.values[k]; return ok }
	switch {
	case isTurn(has):
		return d.turn(o)
	case isInsight(has):
		return DecodeInsight(b)
	default:
		return row(o)
	}
}

// isInsight recognizes an insight by the keys that only Hippo wrote.
func isInsight(has func(string) bool) bool {
	return has("uuid") && slices.ContainsFunc([]string{
		"daily_access_counts", "base_importance", "importance_modified_at", "current_importance",
		"importance_last_modified_at", "content_last_modified_at", "score_last_modified_at",
		"votes_last_modified_at", "last_accessed_active_day",
	}, has)
}

// row reads one object of any program. The first key of each list that is present and not
// null counts:
//
//   - content: content, text, memory, insight, observation, body;
//   - situation, a text or a list of texts: situation, context;
//   - importance in [0, 1], [hippo.DefaultImportance] if absent: importance, score;
//   - tags, a list of texts or one text with commas: tags;
//   - type: type, category, memory_type;
//   - the time of recording: created_at, timestamp, time, date; see [parseTime];
//   - the identity: id, uuid, _id. A UUID is kept. Another one becomes the UUID
//     of [importID], and stays readable in Source.URI. A row without one has the
//     UUID of its text and time, so that reading it twice is no second memory.
//
// What metadata holds and every other key end up in Metadata.
func row(o *object) (*hippo.Memory, error) {
	m := imported()
	readContent(o, m)
	m.Situation = readLines(o, "situation", "context")
	m.Tags = readTags(o)
	o.read(&m.Type, "a text", "type", "category", "memory_type")
	if k, _ := o.first("importance", "score"); k != "" {
		var v float64
		if o.read(&v, "a number between 0 and 1", k) {
			o.failIf(hippo.ValidUnit(k, v))
		}
		m.Importance = hippo.Importance{Base: v, Value: v}
	}
	m.CreatedAt = readMoment(o, "created_at", "timestamp", "time", "date")
	if name := o.name("id", "uuid", "_id"); name != "" {
		setID(m, name)
	} else {
		m.ID = importID("text", hex.EncodeToString(m.ContentHash[:]), m.CreatedAt.Format(time.RFC3339Nano))
	}
	keepRowRest(o, m)
	if o.err != nil {
		return nil, o.err
	}
	return m, nil
}

// imported returns a memory with the defaults of an imported one.
func imported() *hippo.Memory {
	return &hippo.Memory{
		Importance: hippo.Importance{Base: hippo.DefaultImportance, Value: hippo.DefaultImportance},
		Source:     hippo.Source{Kind: hippo.SourceImport},
		Trust:      hippo.DefaultTrust(hippo.SourceImport),
		Version:    1,
	}
}

// importID returns the version 5 UUID of a name that another program gave.
func importID(parts ...string) hippo.ID {
	space := uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://github.com/hippo-memory/hippo/import"))
	return hippo.ID(uuid.NewSHA1(space, []byte(strings.Join(parts, "\n"))))
}

func setID(m *hippo.Memory, name string) {
	id, err := hippo.ParseID(name)
	if err != nil || id.IsZero() {
		id = importID(name)
		m.Source.URI = name
	}
	m.ID = id
}

func (o *object) failIf(err error) {
	if err != nil {
		o.fail(err)
	}
}

func readContent(o *object, m *hippo.Memory) {
	keys := []string{"content", "text", "memory", "insight", "observation", "body"}
	if k, _ := o.first(keys...); k == "" {
		o.fail(hippo.Fieldf("content", "must be given, as one of %s", strings.Join(keys, ", ")))
	}
	o.read(&m.Content, "a text", keys...)
	m.ContentHash = hippo.HashContent(m.Content)
}

// readTags reads a list of texts, or one text with commas between the tags.
func readTags(o *object) []string {
	_, raw := o.first("tags")
	var one string
	if json.Unmarshal(raw, &one) != nil {
		return readLines(o, "tags")
	}
	var tags []string
	for tag := range strings.SplitSeq(one, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}

// name reads a text or a number as a name; empty if the keys are absent.
func (o *object) name(keys ...string) string {
	k, raw := o.first(keys...)
	if k == "" {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return strings.TrimSpace(s)
	}
	var n json.Number
	if json.Unmarshal(raw, &n) != nil {
		o.fail(hippo.Fieldf(k, "must be a text or a number"))
	}
	return n.String()
}

// readMoment reads a time; zero if there is none.
func readMoment(o *object, keys ...string) time.Time {
	s := o.name(keys...)
	if s == "" {
		return time.Time{}
	}
	t, ok := parseTime(s)
	if !ok {
		k, _ := o.first(keys...)
		o.fail(hippo.Fieldf(k, "must be a time as 2006-01-02T15:04:05Z, a date or Unix seconds, got %q", s[:min(len(s), 40)]))
	}
	return t
}

// parseTime reads RFC 3339, with or without a zone (then UTC), a date, or a
// number since 1970: of seconds, or, where that would be beyond the year 5138,
// of milliseconds, microseconds or nanoseconds. The result is UTC in whole
// microseconds, in the years 1 to 9999.
func parseTime(s string) (time.Time, bool) {
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		const most = 1e11
		for i := 0; i < 3 && math.Abs(f) >= most; i++ {
			f /= 1000
		}
		if !(math.Abs(f) < most) {
			return time.Time{}, false
		}
		return time.UnixMicro(int64(math.Round(f * 1e6))).UTC(), true
	}
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02T15:04", time.DateOnly,
	} {
		if t, err := time.Parse(layout, s); err == nil {
			t = t.UTC().Truncate(time.Microsecond)
			return t, t.Year() >= 1 && t.Year() <= 9999
		}
	}
	return time.Time{}, false
}

// keepRowRest puts metadata and every key that was not read and is not empty into Metadata.
// If both have a key, the one of metadata is named metadata.KEY.
func keepRowRest(o *object, m *hippo.Memory) {
	kept := make(map[string]json.RawMessage)
	for _, k := range o.keys {
		if !o.used[k] && k != "metadata" && string(o.values[k]) != "null" {
			kept[k] = o.values[k]
		}
	}
	_, raw := o.first("metadata")
	var inner map[string]json.RawMessage
	if raw != nil && json.Unmarshal(raw, &inner) != nil {
		kept["metadata"] = raw
	}
	for k, v := range inner {
		if _, taken := kept[k]; taken {
			k = "metadata." + k
		}
		kept[k] = v
	}
	if len(kept) > 0 {
		m.Metadata = kept
	}
}
