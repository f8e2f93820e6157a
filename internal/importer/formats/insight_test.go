package formats_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "insight", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func uuid(t testing.TB, s string) hippo.ID {
	t.Helper()
	id, err := hippo.ParseID(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func date(day, hour, minute, second, nano int) time.Time {
	return time.Date(2025, 7, day, hour, minute, second, nano, time.UTC)
}

// diff compares JSON as values, with numbers by their literals.
func diff(got, want *hippo.Memory) string {
	return cmp.Diff(want, got, cmpopts.EquateEmpty(), cmp.Transformer("json", func(raw json.RawMessage) any {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			return string(raw)
		}
		return v
	}))
}

func TestDecodeInsight_every_historic_shape(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]*hippo.Memory{
		"rust.json": {
			ID:         uuid(t, "0198a6d2-6f3e-7c11-8a54-5d0a3f1b2c01"),
			Content:    "Close the response body even when the status is an error",
			Situation:  []string{"writing an HTTP client", "leaking connections"},
			Importance: hippo.Importance{Base: 0.8, Value: 1, SetDay: 3, SetAt: date(36, 17, 0, 0, 0)},
			Usage:      hippo.Usage{Accesses: []hippo.Access{{Day: 1, Count: 1}, {Day: 3, Count: 2}}},
			CreatedAt:  date(34, 9, 12, 44, 18273000), UpdatedAt: date(34, 9, 12, 44, 18273000),
		},
		"rust_first.json": {
			ID:         uuid(t, "0198a6d2-6f3e-4c11-8a54-5d0a3f1b2c02"),
			Content:    "Ask before renaming public functions",
			Situation:  []string{"refactoring"},
			Importance: hippo.Importance{Base: 0.6, Value: 0.3, SetDay: 1, SetAt: date(33, 10, 0, 0, 0)},
			Usage:      hippo.Usage{Accesses: []hippo.Access{{Day: 1, Count: 1}}},
			CreatedAt:  date(32, 10, 0, 0, 500000000), UpdatedAt: date(32, 10, 0, 0, 500000000),
		},
		"python.json": {
			ID:         uuid(t, "0198a6d2-6f3e-4c11-8a54-5d0a3f1b2c03"),
			Content:    "Benchmarks run on the quiet machine only",
			Situation:  []string{"measuring", "comparing releases"},
			Importance: hippo.Importance{Base: 0.75, Value: 0.75, SetDay: 2, SetAt: date(30, 18, 57, 8, 0)},
			Usage:      hippo.Usage{Accesses: []hippo.Access{{Day: 2, Count: 3}}},
			CreatedAt:  date(28, 18, 57, 8, 443580000), UpdatedAt: date(29, 18, 57, 8, 443580000),
		},
		"first_design.json": {
			ID:         uuid(t, "0198a6d2-6f3e-4c11-8a54-5d0a3f1b2c04"),
			Content:    "The nightly job needs the VPN",
			Situation:  []string{"debugging a red pipeline"},
			Importance: hippo.Importance{Base: 1, Value: 1, SetDay: 4, SetAt: date(20, 8, 0, 0, 0)},
			Usage:      hippo.Usage{Accesses: []hippo.Access{{Day: 4, Count: 1}}},
			CreatedAt:  date(19, 8, 0, 0, 123456000), UpdatedAt: date(19, 8, 0, 0, 123456000),
			Metadata: map[string]json.RawMessage{"$mood": json.RawMessage(`{"happy": [1, 2.50]}`)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want.Version, want.Trust, want.ContentHash = 1, hippo.TrustNormal, hippo.HashContent(want.Content)
			got, err := formats.DecodeInsight(sample(t, name))
			if err != nil {
				t.Fatal(err)
			}
			if d := diff(got, want); d != "" {
				t.Errorf("memory differs (-want +got):\n%s", d)
			}
		})
	}
}

func TestEncodeInsight_leaves_a_file_of_the_old_program_but_for_the_day(t *testing.T) {
	t.Parallel()
	old := sample(t, "rust.json")
	if !formats.OnlyLegacyKeys(old) {
		t.Error("a file of the old program is not recognised")
	}
	m, err := formats.DecodeInsight(old)
	if err != nil {
		t.Fatal(err)
	}
	got, err := formats.EncodeInsight(m)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimSuffix(string(old), "\n}") + ",\n  \"importance_set_day\": 3\n}"
	if string(got) != want {
		t.Errorf("file differs (-want +got):\n%s", cmp.Diff(want, string(got)))
	}
	if formats.OnlyLegacyKeys(got) {
		t.Error("a file of this program is taken for one of the old program")
	}
}

func TestInsight_unknown_keys_survive_at_the_top_level(t *testing.T) {
	t.Parallel()
	m, err := formats.DecodeInsight(sample(t, "first_design.json"))
	if err != nil {
		t.Fatal(err)
	}
	m.Metadata["own"] = json.RawMessage(`"<b>"`)
	m.Metadata["$content"] = json.RawMessage(`"not the content"`)
	b, err := formats.EncodeInsight(m)
	if err != nil {
		t.Fatal(err)
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(b, &top); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(top["mood"]), "2.50") || !strings.Contains(string(top["metadata"]), "<b>") {
		t.Errorf("keys are not where they were:\n%s", b)
	}
	again, err := formats.DecodeInsight(b)
	if err != nil {
		t.Fatal(err)
	}
	if d := diff(again, m); d != "" {
		t.Errorf("memory differs (-want +got):\n%s", d)
	}
}

// edit returns the Rust sample with a text replaced.
func edit(t testing.TB, from, to string) []byte {
	t.Helper()
	s := string(sample(t, "rust.json"))
	if !strings.Contains(s, from) {
		t.Fatalf("sample does not contain %q", from)
	}
	return []byte(strings.Replace(s, from, to, 1))
}

func TestDecodeInsight_errors_name_the_field(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file  []byte
		want  error
		field string
	}{
		"empty":             {nil, hippo.ErrCorrupt, ""},
		"cut_off":           {sample(t, "rust.json")[:200], hippo.ErrCorrupt, ""},
		"two_objects":       {append(sample(t, "rust.json"), '{'), hippo.ErrCorrupt, ""},
		"not_utf8":          {edit(t, "body", "b\xffdy"), hippo.ErrCorrupt, ""},
		"utf16":             {[]byte("\xff\xfe{\x00}\x00"), hippo.ErrCorrupt, ""},
		"nan":               {edit(t, "0.8", "NaN"), hippo.ErrCorrupt, ""},
		"conflict_marks":    {append([]byte("<<<<<<< HEAD\n"), sample(t, "rust.json")...), hippo.ErrCorrupt, ""},
		"not_an_object":     {[]byte(`[]`), hippo.ErrInvalid, ""},
		"twice":             {edit(t, `"content":`, `"uuid": "x", "content":`), hippo.ErrInvalid, "uuid"},
		"no_id":             {edit(t, `"uuid"`, `"guid"`), hippo.ErrInvalid, "uuid"},
		"zero_id":           {edit(t, "0198a6d2-6f3e-7c11-8a54-5d0a3f1b2c01", hippo.ID{}.String()), hippo.ErrInvalid, "uuid"},
		"bad_id":            {edit(t, "0198a6d2-", "0198a6d2+"), hippo.ErrInvalid, "uuid"},
		"no_content":        {edit(t, `"content"`, `"contents"`), hippo.ErrInvalid, "content"},
		"content_is_number": {edit(t, `"content": "`, `"content": 1, "x": "`), hippo.ErrInvalid, "content"},
		"no_importance":     {edit(t, `"importance":`, `"weight":`), hippo.ErrInvalid, "importance"},
		"below_zero":        {edit(t, "0.8", "-0.8"), hippo.ErrInvalid, "base_importance"},
		"huge_number":       {edit(t, "0.8", "1e999"), hippo.ErrInvalid, "base_importance"},
		"no_time":           {edit(t, `"created_at"`, `"born"`), hippo.ErrInvalid, "created_at"},
		"bad_time":          {edit(t, "2025-08-03T", "2025-13-03T"), hippo.ErrInvalid, "created_at"},
		"huge_count":        {edit(t, "2\n    ]", "99999999999\n    ]"), hippo.ErrInvalid, "daily_access_counts[1]"},
		"not_a_pair":        {edit(t, "3,\n      2", "3"), hippo.ErrInvalid, "daily_access_counts[1]"},
		"bad_situation":     {edit(t, `"leaking connections"`, `7`), hippo.ErrInvalid, "situation"},
		"bad_trust":         {edit(t, "{\n", `{"trust":"blind",`), hippo.ErrInvalid, "trust"},
		"bad_metadata":      {edit(t, "{\n", `{"metadata":[],`), hippo.ErrInvalid, "metadata"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := formats.DecodeInsight(c.file)
			if !errors.Is(err, c.want) {
				t.Fatalf("got error %v, want %v", err, c.want)
			}
			var f *hippo.FieldError
			if errors.As(err, &f); (f == nil) != (c.field == "") || f != nil && f.Field != c.field {
				t.Errorf("got error %v, want one about %q", err, c.field)
			}
		})
	}
}

func TestDecodeInsight_is_lenient(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{
		"byte_order_mark":  append([]byte("\ufeff"), sample(t, "rust.json")...),
		"trailing_newline": append(sample(t, "rust.json"), '\r', '\n'),
		"above_one":        edit(t, `"importance": 1.0`, `"importance": 1.5`),
		"days_unordered":   edit(t, "1,\n      1", "3, 1], [1, 1], [3,\n      0"),
		"blank_situation":  edit(t, `"leaking connections"`, `"leaking connections", " "`),
		"nulls":            edit(t, "{\n", `{"tags":null,"source":null,"trust":null,"metadata":null,"event_time":null,`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := formats.DecodeInsight(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := formats.DecodeInsight(sample(t, "rust.json"))
			if err != nil {
				t.Fatal(err)
			}
			if name == "days_unordered" {
				want.Accesses[1].Count++
			}
			if d := diff(got, want); d != "" {
				t.Errorf("memory differs (-want +got):\n%s", d)
			}
		})
	}
}

func TestEncodeInsight_refuses_what_JSON_cannot_hold(t *testing.T) {
	t.Parallel()
	for field, spoil := range map[string]func(*hippo.Memory){
		"content":         func(m *hippo.Memory) { m.Content = "\xff" },
		"source":          func(m *hippo.Memory) { m.Source.Author = "\xff" },
		"base_importance": func(m *hippo.Memory) { m.Importance.Base = 0 / zero() },
		"created_at":      func(m *hippo.Memory) { m.CreatedAt = m.CreatedAt.AddDate(9000, 0, 0) },
		"metadata":        func(m *hippo.Memory) { m.Metadata = map[string]json.RawMessage{"a": json.RawMessage(`1,"b":2`)} },
		"b":               func(m *hippo.Memory) { m.Metadata = map[string]json.RawMessage{"$b": {}} },
	} {
		m, err := formats.DecodeInsight(sample(t, "rust.json"))
		if err != nil {
			t.Fatal(err)
		}
		spoil(m)
		_, err = formats.EncodeInsight(m)
		var f *hippo.FieldError
		if !errors.As(err, &f) || f.Field != field {
			t.Errorf("got error %v, want one about %q", err, field)
		}
	}
}

func zero() float64 { return 0 }

// memories draws any memory that the store may hold.
func memories() *rapid.Generator[*hippo.Memory] {
	id := rapid.Custom(func(t *rapid.T) hippo.ID {
		return hippo.ID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
	})
	moment := rapid.Custom(func(t *rapid.T) time.Time {
		if rapid.Bool().Draw(t, "unset") {
			return time.Time{}
		}
		return time.Unix(rapid.Int64Range(-62135596799, 253402300799).Draw(t, "second"),
			rapid.SampledFrom([]int64{0, 1, 1000, 5e8, 999999999}).Draw(t, "nano")).UTC()
	})
	plain := rapid.StringOf(rapid.Rune().Filter(func(r rune) bool { return !unicode.IsControl(r) }))
	text := rapid.OneOf(plain, rapid.Just(""), rapid.Just("a\u2028<b>"))
	label := rapid.StringMatching(`[a-zé<]{1,5}`)
	unit := rapid.Float64Range(0, 1)
	value := rapid.SampledFrom([]string{`null`, `1e999`, `"<\ud83e\udd9b>"`, `{"b":[1,2.0],"a":{}}`, ` [ ] `})
	key := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"$", "$$", "$context", "$content", "$content_last_modified_at", "$last_accessed_active_day", "metadata", "$metadata", "$importance_set_day",
	}))
	return rapid.Custom(func(t *rapid.T) *hippo.Memory {
		m := &hippo.Memory{
			ID: id.Filter(func(v hippo.ID) bool { return !v.IsZero() }).Draw(t, "id"), Content: text.Draw(t, "content"),
			Situation: rapid.SliceOf(label).Draw(t, "situation"), Tags: rapid.SliceOf(label).Draw(t, "tags"),
			Type:       text.Draw(t, "type"),
			Importance: hippo.Importance{Base: unit.Draw(t, "base"), Value: unit.Draw(t, "value"), SetDay: hippo.Day(rapid.Uint16().Draw(t, "day")), SetAt: moment.Draw(t, "set")},
			Pinned:     rapid.Bool().Draw(t, "pinned"),
			CreatedAt:  moment.Draw(t, "created"), UpdatedAt: moment.Draw(t, "updated"), EventTime: moment.Draw(t, "event"),
			ValidFrom: moment.Draw(t, "from"), ValidUntil: moment.Draw(t, "until"), ForgottenAt: moment.Draw(t, "forgotten"),
			SupersededBy: id.Draw(t, "by"), Version: int(rapid.Uint16().Draw(t, "version")),
			Surprise: hippo.Surprise{Score: unit.Draw(t, "s"), Outlier: unit.Draw(t, "o"), Engagement: unit.Draw(t, "e"), Explicit: unit.Draw(t, "x"), Loss: unit.Draw(t, "l")},
			Source: hippo.Source{
				Kind: hippo.SourceKind(text.Draw(t, "kind")), Author: text.Draw(t, "author"), Client: text.Draw(t, "client"),
				Session: text.Draw(t, "session"), Seq: int(rapid.Int32().Draw(t, "seq")), URI: text.Draw(t, "uri"),
			},
			Trust: hippo.Trust(rapid.Int8().Draw(t, "trust")), Project: text.Draw(t, "project"), Namespace: text.Draw(t, "namespace"),
		}
		for day := range rapid.IntRange(0, hippo.MaxAccessDays).Draw(t, "days") {
			m.Touch(hippo.Day(2*day), 1+day)
		}
		for range rapid.IntRange(0, 4).Draw(t, "keys") {
			if m.Metadata == nil {
				m.Metadata = make(map[string]json.RawMessage)
			}
			m.Metadata[key.Draw(t, "key")] = json.RawMessage(value.Draw(t, "json"))
		}
		m.ContentHash = hippo.HashContent(m.Content)
		return m
	})
}

// What acts on a terminal is replaced, so that the memory can be voted on, changed and imported.
func TestInsight_control_characters_are_replaced(t *testing.T) {
	t.Parallel()
	const hostile = "a\x1b[2J\u009b\t\r\nb\x7f"
	m := &hippo.Memory{
		ID: hippo.ID{1}, Content: hostile, Situation: []string{hostile}, Tags: []string{hostile}, Type: hostile,
		Source:  hippo.Source{Author: hostile, Client: hostile, Session: hostile, URI: hostile},
		Project: hostile, Namespace: hostile,
	}
	b, err := formats.EncodeInsight(m)
	if err != nil {
		t.Fatal(err)
	}
	got, err := formats.DecodeInsight(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
	if got.Content != "a\ufffd[2J\ufffd\t\r\nb\ufffd" || got.ContentHash != hippo.HashContent(got.Content) {
		t.Errorf("content is %q", got.Content)
	}
	const line = "a\ufffd[2J\ufffd   b\ufffd"
	for _, s := range []string{
		got.Situation[0], got.Tags[0], got.Type, got.Source.Author, got.Source.Client, got.Source.Session, got.Source.URI, got.Project, got.Namespace,
	} {
		if s != line {
			t.Errorf("a text is %q, want %q", s, line)
		}
	}
}

// The file of a memory is not much larger than the memory, however deep its metadata are.
func TestInsight_deep_metadata_are_not_indented(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 2500) + `"]]\"{"` + strings.Repeat("]", 2500)
	m := &hippo.Memory{ID: hippo.ID{1}, Content: "a", Metadata: map[string]json.RawMessage{"q": json.RawMessage(deep)}}
	b, err := formats.EncodeInsight(m)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > 10_000 {
		t.Errorf("the file has %d bytes", len(b))
	}
	got, err := formats.DecodeInsight(b)
	if err != nil || string(got.Metadata["q"]) != deep {
		t.Errorf("metadata are read as %.40s (%v)", got.Metadata["q"], err)
	}
}

func TestInsight_reading_what_was_written_is_the_identity(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := memories().Draw(t, "memory")
		b, err := formats.EncodeInsight(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := formats.DecodeInsight(b)
		if err != nil {
			t.Fatalf("%v in\n%s", err, b)
		}
		if d := diff(got, m); d != "" {
			t.Errorf("memory differs (-want +got):\n%s\nin\n%s", d, b)
		}
	})
}

func FuzzDecodeInsight(f *testing.F) {
	for _, name := range []string{"rust.json", "rust_first.json", "python.json", "first_design.json"} {
		f.Add(sample(f, name))
	}
	f.Add([]byte(`{"uuid":"0198a6d2-6f3e-7c11-8a54-5d0a3f1b2c01","content":"","importance":1e-400,"created_at":"9999-12-31T23:59:59-05:00"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := formats.DecodeInsight(b)
		if err != nil {
			if c := hippo.CodeOf(err); c != hippo.CodeInvalid && c != hippo.CodeCorrupt {
				t.Fatalf("error of kind %s: %v", c, err)
			}
			return
		}
		first, err := formats.EncodeInsight(m)
		if err != nil {
			t.Fatalf("cannot be written again: %v", err)
		}
		again, err := formats.DecodeInsight(first)
		if err != nil {
			t.Fatalf("cannot be read again: %v", err)
		}
		if d := diff(again, m); d != "" {
			t.Errorf("memory differs (-first +again):\n%s", d)
		}
	})
}
