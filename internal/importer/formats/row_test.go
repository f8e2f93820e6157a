package formats_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// good returns the memories of a sample, without its errors.
func good(t testing.TB, name string) []*hippo.Memory {
	t.Helper()
	s, err := formats.Open(filepath.Join("testdata", "source", name))
	if err != nil {
		t.Fatal(err)
	}
	var ms []*hippo.Memory
	for m, err := range s.Entries() {
		if err == nil {
			ms = append(ms, m)
		}
	}
	return ms
}

func TestRow_every_field(t *testing.T) {
	t.Parallel()
	got := good(t, "generic.jsonl")[:2]
	half := hippo.Importance{Base: 0.5, Value: 0.5}
	want := []*hippo.Memory{
		{
			ID: uuid(t, "0198a6d2-6f3e-7c11-8a54-5d0a3f1b2c08"), Content: "Deploys freeze on Fridays",
			Situation: []string{"planning a release"}, Tags: []string{"ops", "ops rules"}, Type: "decision",
			Importance: hippo.Importance{Base: 0.9, Value: 0.9}, CreatedAt: time.Date(2025, 3, 4, 4, 6, 7, 0, time.UTC),
			Source: hippo.Source{Kind: hippo.SourceImport}, Trust: hippo.TrustLow, Version: 1,
		},
		{
			ID: got[1].ID, Content: "Alice owns the billing service",
			Situation: []string{"asking for a reviewer"}, Tags: []string{"people", "billing"}, Type: "fact",
			Importance: half, CreatedAt: time.Date(2025, 3, 4, 4, 6, 7, 250_000_000, time.UTC),
			Source: hippo.Source{Kind: hippo.SourceImport, URI: "note-17"}, Trust: hippo.TrustLow, Version: 1,
			Metadata: map[string]json.RawMessage{"team": raw(`"payments"`), "metadata.team": raw(`"old"`), "seen": raw("3")},
		},
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(hippo.Memory{}, "ContentHash")); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	// The UUIDs must not change: a second import would double everything.
	for _, c := range []struct{ text, want string }{
		{`{"content":"Alice","id":"note-17"}`, "992efe72-efe9-528d-9b9f-cb62072a8840"},
		{`{"content":"Alice"}`, "ffe31a78-8466-5e84-ad72-efe895eded10"},
		{`{"id":"talk-1/1:1","conversation":"talk-1","speaker":"A","text":"b"}`, "5f7dd050-c8dc-526b-8585-baf392b47cea"},
	} {
		if got := one(t, c.text).ID.String(); got != c.want {
			t.Errorf("%s: got ID %s, want %s", c.text, got, c.want)
		}
	}
}

// one reads a single line that must be good.
func one(t testing.TB, line string) *hippo.Memory {
	t.Helper()
	m, err := first(t, line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return m
}

func first(t testing.TB, line string) (*hippo.Memory, error) {
	t.Helper()
	s, err := formats.Read(strings.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	for m, err := range s.Entries() {
		return m, err
	}
	t.Fatal("no entry")
	return nil, nil
}

func TestRow_times(t *testing.T) {
	t.Parallel()
	at := time.Date(2025, 3, 4, 5, 6, 7, 0, time.UTC)
	for value, want := range map[string]time.Time{
		`"2025-03-04T05:06:07Z"`:           at,
		`"2025-03-04T07:06:07+02:00"`:      at,
		`"2025-03-04T05:06:07.25"`:         at.Add(250 * time.Millisecond),
		`"2025-03-04 05:06:07"`:            at,
		`"2025-03-04 05:06:07.123456789Z"`: at.Add(123456 * time.Microsecond),
		`"2025-03-04T05:06"`:               at.Truncate(time.Minute),
		`"2025-03-04"`:                     at.Truncate(24 * time.Hour),
		`1741064767`:                       at,
		`"1741064767"`:                     at,
		`1741064767.5`:                     at.Add(500 * time.Millisecond),
		`1741064767000`:                    at,
		`1741064767000000`:                 at,
		`1741064767000000000`:              at,
		`-1`:                               time.Unix(-1, 0).UTC(),
		`null`:                             {},
		`""`:                               {},
	} {
		if got := one(t, `{"content":"a","time":`+value+`}`).CreatedAt; !got.Equal(want) {
			t.Errorf("%s: got %v, want %v", value, got, want)
		}
	}
}

func TestRow_errors_name_the_field(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"content":""}`:                                        "line 1: content: is required, and must not be blank",
		`{"content":7}`:                                         "line 1: content: must be a text",
		`{"body":["a"]}`:                                        "line 1: body: must be a text",
		`{"content":"a\u0000"}`:                                 "line 1: content: must not contain control characters, got U+0000 at byte 1",
		`{"content":"a","content":"b"}`:                         "line 1: content: must be given once",
		`{"content":"a","importance":-0.1}`:                     "line 1: importance: must be between 0 and 1, got -0.1",
		`{"content":"a","importance":"0.5"}`:                    "line 1: importance: must be a number between 0 and 1",
		`{"content":"a","score":1e999}`:                         "line 1: score: must be a number between 0 and 1",
		`{"content":"a","situation":{"x":1}}`:                   "line 1: situation: must be a list of texts",
		`{"content":"a","context":[1]}`:                         "line 1: context: must be a list of texts",
		`{"content":"a","tags":7}`:                              "line 1: tags: must be a list of texts",
		`{"content":"a","category":[]}`:                         "line 1: category: must be a text",
		`{"content":"a","id":{}}`:                               "line 1: id: must be a text or a number",
		`{"content":"a","date":"yesterday"}`:                    `line 1: date: must be a time as 2006-01-02T15:04:05Z, a date or Unix seconds, got "yesterday"`,
		`{"content":"a","time":1e300}`:                          `line 1: time: must be a time as 2006-01-02T15:04:05Z, a date or Unix seconds, got "1e300"`,
		`{"content":"a","type":"` + long(65) + `"}`:             "line 1: type: must be at most 64 bytes, got 65",
		`{"content":"a","metadata":"` + long(70_000) + `"}`:     "line 1: metadata: must be at most 65536 bytes, got 70010",
		`{"content":"a","situation":["` + long(1001) + `"]}`:    "line 1: situation[0]: must be at most 1000 bytes, got 1001",
		`{"id":"","conversation":"c","speaker":"a","text":"b"}`: "line 1: id: must not be empty",
		`{"id":1,"conversation":"c","speaker":"a","text":2}`:    "line 1: text: must be a text",
	} {
		m, err := first(t, text)
		if err == nil || err.Error() != want || m != nil {
			t.Errorf("%.80s: got %v, %v, want %q", text, m, err, want)
		}
	}
}

func long(n int) string { return strings.Repeat("x", n) }

func TestTurn_every_field(t *testing.T) {
	t.Parallel()
	got := good(t, "turns.jsonl")
	half := hippo.Importance{Base: 0.5, Value: 0.5}
	from := func(author, session string, seq int, uri string) hippo.Source {
		return hippo.Source{Kind: hippo.SourceImport, Author: author, Session: session, Seq: seq, URI: uri}
	}
	want := []*hippo.Memory{
		{Content: "Ana: I moved to Oslo in May.", EventTime: time.Date(2024, 6, 1, 9, 0, 0, 0, time.UTC), Source: from("Ana", "talk-1/1", 1, "talk-1/1:1")},
		{
			Content: "Ben: How is the new flat?", EventTime: time.Date(2024, 6, 1, 9, 1, 0, 0, time.UTC), Source: from("Ben", "talk-1/1", 2, "talk-1/1:2"),
			Metadata: map[string]json.RawMessage{"image_caption": raw(`"a flat with a balcony"`)},
		},
		{Content: "Ana: The balcony faces south.", EventTime: time.Date(2024, 7, 1, 9, 0, 0, 0, time.UTC), Source: from("Ana", "talk-1/2", 1, "talk-1/2:1")},
		{Content: "Somebody coughed.", Source: from("", "talk-1/2", 4, "talk-1/2:4")},
	}
	for _, m := range want {
		m.Project, m.Importance, m.Trust, m.Version = "talk-1", half, hippo.TrustLow, 1
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(hippo.Memory{}, "ContentHash", "ID")); d != "" {
		t.Errorf("turns (-want +got):\n%s", d)
	}
}
