package formats_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// entriesOf returns the entries of a source as text: content or error.
func entriesOf(s *formats.Source) []string {
	var all []string
	for m, err := range s.Entries() {
		if err != nil {
			all = append(all, "error: "+err.Error())
		} else {
			all = append(all, m.Content)
		}
	}
	return all
}

// kinds lists the samples with what reading them returns.
func kinds() []struct {
	name     string
	kind     formats.Kind
	calendar hippo.Calendar
	entries  []string
} {
	const file = "0198a6d2-6f3e-7c11-8a54-5d0a3f1b2c03.json: "
	return []struct {
		name     string
		kind     formats.Kind
		calendar hippo.Calendar
		entries  []string
	}{
		{"hippo", formats.KindDirectory, hippo.Calendar{Day: 7, Date: "2025-08-09"}, []string{
			"The flat directory came with the Rust program", "A second file", "error: " + file + "corrupt: JSON is cut off",
		}},
		{"python", formats.KindInsights, hippo.Calendar{Day: 3}, []string{"The Python program had a folder of insights"}},
		{"legacy.json", formats.KindLegacy, hippo.Calendar{Day: 2, Date: "2025-07-29"}, []string{
			"One file held everything", "error: entry 2 (line 20): uuid: must be a UUID", `Brackets ]} and "quotes" in a text`,
		}},
		{"insight.json", formats.KindInsight, hippo.Calendar{Day: 5}, []string{"One file on its own"}},
		{"generic.jsonl", formats.KindLines, hippo.Calendar{Day: 6}, []string{
			"Deploys freeze on Fridays",
			"error: line 3: corrupt: JSON is cut off",
			"Alice owns the billing service",
			"error: line 5: corrupt: not UTF-8",
			"error: line 6: score: must be between 0 and 1, got 1.5",
			"error: line 7: invalid: an insight must be a JSON object",
			"error: line 8: content: must be given, as one of content, text, memory, insight, observation, body",
			"An insight among rows",
			"the last line has no end",
		}},
		{"turns.jsonl", formats.KindTurns, hippo.Calendar{}, []string{
			"Ana: I moved to Oslo in May.", "Ben: How is the new flat?", "Ana: The balcony faces south.",
			"error: line 4: text: must not be empty",
			`error: line 5: time: must be a time as 2006-01-02T15:04:05Z, a date or Unix seconds, got "soon"`,
			"Somebody coughed.",
		}},
		{"array.json", formats.KindArray, hippo.Calendar{}, []string{
			"first of an array",
			"error: entry 2 (line 3): corrupt: broken JSON: invalid character 'o' looking for beginning of object key string",
			"error: entry 3 (line 4): invalid: an insight must be a JSON object",
			"last of an array",
		}},
	}
}

func TestOpen_reads_every_kind(t *testing.T) {
	t.Parallel()
	for _, c := range kinds() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", "source", c.name)
			s, err := formats.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if s.Kind != c.kind || s.Calendar != c.calendar || s.Count != len(c.entries) {
				t.Errorf("got %q, %v, %d entries, want %q, %v, %d", s.Kind, s.Calendar, s.Count, c.kind, c.calendar, len(c.entries))
			}
			for range 2 { // a source can be read again
				if d := cmp.Diff(c.entries, entriesOf(s)); d != "" {
					t.Errorf("entries (-want +got):\n%s", d)
				}
			}
		})
	}
}

func TestRead_returns_the_same_as_Open(t *testing.T) {
	t.Parallel()
	for _, c := range kinds() {
		b, err := os.ReadFile(filepath.Join("testdata", "source", c.name))
		if err != nil || c.kind == formats.KindLegacy {
			continue // a directory, and what only a file can be
		}
		s, err := formats.Read(iotest.HalfReader(bytes.NewReader(b)))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.entries, entriesOf(s)); d != "" || s.Kind != c.kind {
			t.Errorf("%s is %q (-want +got):\n%s", c.name, s.Kind, d)
		}
	}
}

func TestRead_reports_a_reader_that_fails(t *testing.T) {
	t.Parallel()
	r := func() *strings.Reader { return strings.NewReader(`{"content":"a"}` + "\n") }
	s, err := formats.Read(iotest.TimeoutReader(iotest.OneByteReader(r())))
	if err == nil {
		_ = entriesOf(s)
		t.Error("got no error for a reader that fails at once")
	}
	long := strings.Repeat(`{"content":"abcdefgh"}`+"\n", 10_000)
	s, err = formats.Read(&failing{text: long})
	if err != nil {
		t.Fatal(err)
	}
	all := entriesOf(s)
	if last := all[len(all)-1]; !strings.HasSuffix(last, ": the cable is out") || len(all) < 5000 {
		t.Errorf("got %d entries, the last is %q", len(all), last)
	}
}

// failing gives all its text and then fails.
type failing struct{ text string }

func (f *failing) Read(p []byte) (int, error) {
	n := copy(p, f.text)
	f.text = f.text[n:]
	if n == 0 {
		return 0, errors.New("the cable is out")
	}
	return n, nil
}

// write makes a file of its own for a test.
func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen_refuses_what_is_no_source(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path string
		want hippo.Code
	}{
		"text":            {write(t, "a.txt", "Dear diary,\n"), hippo.CodeInvalid},
		"UTF-16":          {write(t, "a.jsonl", "\xff\xfe{\x00"), hippo.CodeInvalid},
		"empty_directory": {t.TempDir(), hippo.CodeInvalid},
		"device":          {os.DevNull, hippo.CodeInvalid},
		"newer_export":    {write(t, "b.jsonl", `{"hippo_export":2}`), hippo.CodeUnsupported},
		"bad_version":     {write(t, "c.jsonl", `{"hippo_export":"x"}`), hippo.CodeCorrupt},
		"bad_day":         {write(t, "d.jsonl", `{"hippo_export":1,"active_day_counter":-1}`), hippo.CodeInvalid},
		"bad_date":        {write(t, "e.jsonl", `{"hippo_export":1,"active_day_counter":1,"last_calendar_date_used":"soon"}`), hippo.CodeInvalid},
		"bad_legacy_day":  {write(t, "f.json", `{"insights":[],"active_day_counter":"two"}`), hippo.CodeInvalid},
	} {
		s, err := formats.Open(c.path)
		if got := hippo.CodeOf(err); got != c.want {
			t.Errorf("%s: got %v (%s), %v, want code %s", name, s, got, err, c.want)
		}
	}
	if _, err := formats.Open(filepath.Join(t.TempDir(), "gone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v for a file that is not there", err)
	}
	if _, err := formats.Read(strings.NewReader(`{"insights": [`)); !errors.Is(err, hippo.ErrUnsupported) {
		t.Errorf("got %v for a legacy file in a stream", err)
	}
}

func TestOpen_small_and_odd_files(t *testing.T) {
	t.Parallel()
	insight := string(bytes.ReplaceAll(sample(t, "rust.json"), []byte("\n"), []byte(" ")))
	for name, c := range map[string]struct {
		text string
		kind formats.Kind
		want int // entries without an error
		bad  int
	}{
		"empty":                     {"", formats.KindLines, 0, 0},
		"blank":                     {"\ufeff \r\n\n", formats.KindLines, 0, 0},
		"empty_legacy":              {`{"insights": []}`, formats.KindLegacy, 0, 0},
		"legacy_cut_off":            {`{"insights": [` + insight + `, {"uuid`, formats.KindLegacy, 1, 1},
		"legacy_counters_first":     {`{"active_day_counter": 3, "x": {"insights": 1}, "insights": [` + insight + `]}`, formats.KindLegacy, 1, 0},
		"legacy_without_braces":     {"{\"insights\": [\n" + insight + "\n] oops", formats.KindLegacy, 1, 1},
		"empty_array":               {"\ufeff[]", formats.KindArray, 0, 0},
		"array_goes_on":             {`[{"text":"a"}] {"text":"b"}`, formats.KindArray, 1, 1},
		"array_cut_off":             {`[{"text":"a"},{"text":"b"`, formats.KindArray, 1, 1},
		"array_with_stray_brackets": {`[}, {"text":"a"}, :, "x"]`, formats.KindArray, 1, 3},
		"one_line_insight":          {insight, formats.KindLines, 1, 0},
		"one_indented_row":          {"{\n \"text\": \"a\"\n}\n", formats.KindInsight, 1, 0},
		"indented_and_cut_off":      {"{\n \"text\": \"a", formats.KindInsight, 0, 1},
		"broken_first_line":         {"{\"text\": \"a\n{\"text\": \"b\"}\n", formats.KindLines, 1, 1},
		"noise_before_turns":        {"# my chat\n" + `{"id":1,"conversation":"c","speaker":"A","text":"b"}`, formats.KindTurns, 1, 1},
		"export_without_memories":   {`{"hippo_export":1,"active_day_counter":0,"last_calendar_date_used":null}`, formats.KindExport, 0, 0},
		"export_cut_off":            {`{"hippo_export":1}` + "\n" + insight + "\n" + insight[:90], formats.KindExport, 1, 1},
	} {
		s, err := formats.Open(write(t, "file", c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all := entriesOf(s)
		bad := 0
		for _, e := range all {
			if strings.HasPrefix(e, "error: ") {
				bad++
			}
		}
		if s.Kind != c.kind || len(all)-bad != c.want || bad != c.bad {
			t.Errorf("%s: got %q with %q, want %q with %d and %d errors", name, s.Kind, all, c.kind, c.want, c.bad)
		}
	}
}

func TestOpen_stops_when_nobody_listens(t *testing.T) {
	t.Parallel()
	for _, c := range kinds() {
		s, err := formats.Open(filepath.Join("testdata", "source", c.name))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for m, err := range s.Entries() {
			if n++; (m == nil) == (err == nil) {
				t.Errorf("%s: got memory %v with error %v", c.name, m, err)
			}
			break
		}
		if n != 1 {
			t.Errorf("%s: got %d entries", c.name, n)
		}
	}
}

func TestEntries_pass_over_what_is_too_long(t *testing.T) {
	t.Parallel()
	long := `{"content":"` + strings.Repeat("x", formats.MaxEntry) + `"}`
	big := `{"content":"` + strings.Repeat("x", hippo.MaxContent+1) + `"}`
	want := []string{
		fmt.Sprintf("must be at most %d bytes", formats.MaxEntry),
		fmt.Sprintf("content: must be at most %d bytes, got %d", hippo.MaxContent, hippo.MaxContent+1),
		"after",
	}
	for name, text := range map[string]string{
		"lines": long + "\n" + big + "\n" + `{"content":"after"}`,
		"array": "[" + long + "," + big + "," + `{"content":"after"}]`,
	} {
		s, err := formats.Open(write(t, name, text))
		if err != nil {
			t.Fatal(err)
		}
		all := entriesOf(s)
		if len(all) != len(want) || s.Count != len(want) {
			t.Fatalf("%s: got %d entries, count %d", name, len(all), s.Count)
		}
		for i := range want {
			if !strings.HasSuffix(all[i], want[i]) {
				t.Errorf("%s: entry %d is %.200q, want %q", name, i, all[i], want[i])
			}
		}
	}
}

func TestOpen_directory_without_a_counter_takes_the_newest_access(t *testing.T) {
	t.Parallel()
	for name, meta := range map[string]string{"missing": "", "corrupt": "{", "null": `{"active_day_counter":null}`} {
		dir := t.TempDir()
		b := sample(t, "rust.json")
		for file, text := range map[string]string{"0198a6d2-6f3e-7c11-8a54-5d0a3f1b2c01.json": string(b), "metadata.json": meta} {
			if text == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := formats.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		m, err := formats.DecodeInsight(b)
		if err != nil {
			t.Fatal(err)
		}
		if want := m.Accesses[len(m.Accesses)-1].Day; s.Calendar.Day != want {
			t.Errorf("%s: got %v, want day %d", name, s.Calendar, want)
		}
		if all := entriesOf(s); name == "corrupt" && !strings.Contains(all[0], "metadata.json") {
			t.Errorf("got %q, want a word about metadata.json", all)
		}
	}
}

func TestOpen_directory_names_a_file_with_the_uuid_of_another(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := sample(t, "rust.json")
	for _, n := range []string{"01", "02"} {
		if err := os.WriteFile(filepath.Join(dir, "0198a6d2-6f3e-7c11-8a54-5d0a3f1b2c"+n+".json"), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := formats.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := entriesOf(s)
	if len(all) != 2 || !strings.Contains(all[1], "2c02.json: conflict: uuid is that of another file") {
		t.Errorf("got %q", all)
	}
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }
