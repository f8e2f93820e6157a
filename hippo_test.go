package hippo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
)

func TestParseID(t *testing.T) {
	t.Parallel()
	const text = "e3fc03e2-5da0-4dca-ae23-4da4b44d104e"
	for _, s := range []string{text, strings.ToUpper(text)} {
		id, err := hippo.ParseID(s)
		if err != nil || id.String() != text {
			t.Errorf("%s: got %v (%v)", s, id, err)
		}
	}
	for _, s := range []string{"", text[:35], text + "0", strings.Replace(text, "-", "x", 1), strings.Replace(text, "e3", "zz", 1), strings.Repeat("é", 18)} {
		if _, err := hippo.ParseID(s); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%q: got %v, want invalid", s, err)
		}
	}
}

func FuzzParseID(f *testing.F) {
	f.Add("e3fc03e2-5da0-4dca-ae23-4da4b44d104e")
	f.Add("e3fc03e2_5da0-4dca-ae23-4da4b44d104e")
	f.Fuzz(func(t *testing.T, s string) {
		if id, err := hippo.ParseID(s); err == nil && !strings.EqualFold(id.String(), s) {
			t.Errorf("%q became %v", s, id)
		}
	})
}

func TestHashContent(t *testing.T) {
	t.Parallel()
	if hippo.HashContent("  Same TEXT\n") != hippo.HashContent("same text") {
		t.Error("case or surrounding space changes the hash")
	}
	if hippo.HashContent("same text") == hippo.HashContent("sametext") {
		t.Error("inner space does not change the hash")
	}
	if got := fmt.Sprintf("%x", hippo.HashContent("")); !strings.HasPrefix(got, "e3b0c44298fc1c14") {
		t.Errorf("got %s for no text", got)
	}
}

func TestMemory_Touch(t *testing.T) {
	t.Parallel()
	var m hippo.Memory
	for day := hippo.Day(1); day <= 120; day++ {
		m.Touch(day, 1)
	}
	if n := len(m.Accesses); n != 90 || m.Accesses[0] != (hippo.Access{Day: 31, Count: 1}) || m.Accesses[89] != (hippo.Access{Day: 120, Count: 1}) {
		t.Errorf("got %d entries, %v to %v", n, m.Accesses[0], m.Accesses[n-1])
	}
	m = hippo.Memory{}
	m.Touch(5, 2)
	m.Touch(5, 1)
	m.Touch(3, 4) // a process that was behind
	m.Touch(6, 0)
	if diff := cmp.Diff([]hippo.Access{{Day: 5, Count: 7}}, m.Accesses); diff != "" {
		t.Error(diff)
	}
}

func TestMemory_ValidAt(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	until := from.AddDate(0, 1, 0)
	m := hippo.Memory{ValidFrom: from, ValidUntil: until}
	for at, want := range map[time.Time]bool{
		from.Add(-1): false, from: true, until.Add(-1): true, until: false,
	} {
		if got := m.ValidAt(at); got != want {
			t.Errorf("%v: got %v, want %v", at, got, want)
		}
	}
	if always := (&hippo.Memory{}); !always.ValidAt(from) {
		t.Error("a memory without bounds is not valid")
	}
}

func TestDistribution(t *testing.T) {
	t.Parallel()
	var d hippo.Distribution
	for _, r := range []float64{-1, 0, .1999, .2, .4, .5999, .6, .8, 1, 1.0001} {
		d.Add(r)
	}
	if diff := cmp.Diff(hippo.Distribution{3, 1, 2, 1, 2, 1}, d); diff != "" || d.Sum() != 10 {
		t.Error(diff)
	}
}

func TestDistribution_AddWithin(t *testing.T) {
	t.Parallel()
	var d hippo.Distribution
	for _, c := range []struct {
		low, high float64
		counted   bool
	}{{0, .19, true}, {.19, .2, false}, {.2, .39, true}, {.3, .7, false}, {.8, 1, true}, {.9, 1.01, false}} {
		if got := d.AddWithin(c.low, c.high); got != c.counted {
			t.Errorf("from %v to %v: counted %v", c.low, c.high, got)
		}
	}
	if want := (hippo.Distribution{1, 1, 0, 0, 1, 0}); d != want {
		t.Errorf("got %v, want %v", d, want)
	}
}

func TestMemory_Validate(t *testing.T) {
	t.Parallel()
	many := func(n int) []string { return make([]string, n) }
	for _, tc := range []struct {
		field string
		spoil func(*hippo.Memory)
	}{
		{"content", func(m *hippo.Memory) { m.Content = "" }},
		{"content", func(m *hippo.Memory) { m.Content = " \n\t" }},
		{"content", func(m *hippo.Memory) { m.Content = strings.Repeat("x", hippo.MaxContent+1) }},
		{"content", func(m *hippo.Memory) { m.Content = "bell\a" }},
		{"content", func(m *hippo.Memory) { m.Content = "nul\x00" }},
		{"content", func(m *hippo.Memory) { m.Content = "\xff" }},
		{"situation", func(m *hippo.Memory) { m.Situation = many(hippo.MaxSituations + 1) }},
		{"situation[1]", func(m *hippo.Memory) { m.Situation = []string{"a", " "} }},
		{"situation[0]", func(m *hippo.Memory) { m.Situation = []string{"two\nlines"} }},
		{"tags[0]", func(m *hippo.Memory) { m.Tags = []string{strings.Repeat("x", hippo.MaxTag+1)} }},
		{"type", func(m *hippo.Memory) { m.Type = strings.Repeat("x", hippo.MaxType+1) }},
		{"project", func(m *hippo.Memory) { m.Project = "a\x1b[0m" }},
		{"project", func(m *hippo.Memory) { m.Project = hippo.AllProjects }},
		{"importance", func(m *hippo.Memory) { m.Importance.Value = 1.01 }},
		{"importance", func(m *hippo.Memory) { m.Importance.Value = math.NaN() }},
		{"base_importance", func(m *hippo.Memory) { m.Importance.Base = -.1 }},
		{"surprise.loss", func(m *hippo.Memory) { m.Surprise.Loss = 2 }},
		{"valid_until", func(m *hippo.Memory) { m.ValidFrom, m.ValidUntil = time.Unix(2, 0), time.Unix(2, 0) }},
		{"metadata", func(m *hippo.Memory) {
			m.Metadata = map[string]json.RawMessage{"k": json.RawMessage(`"` + strings.Repeat("x", hippo.MaxMetadata) + `"`)}
		}},
	} {
		m := &hippo.Memory{Content: "fine\ttext\r\n", Situation: []string{"fine"}}
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		tc.spoil(m)
		var f *hippo.FieldError
		if err := m.Validate(); !errors.As(err, &f) || f.Field != tc.field || !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%s: got %v", tc.field, err)
		}
	}
}

func TestQuery_Validate(t *testing.T) {
	t.Parallel()
	for field, q := range map[string]hippo.Query{
		"Text":         {Text: strings.Repeat("x", hippo.MaxQuery+1)},
		"Situation[0]": {Situation: []string{""}},
		"Offset":       {Offset: -1},
		"Count":        {Count: hippo.MaxCount + 1},
		"Relevance":    {Relevance: &hippo.Range{Min: 1, Max: 0}},
		"Ranker":       {Ranker: "magic"},
		"Tags[0]":      {Filter: hippo.Filter{Tags: []string{"\x00"}}},
	} {
		var f *hippo.FieldError
		if err := q.Validate(); !errors.As(err, &f) || f.Field != field {
			t.Errorf("%s: got %v", field, err)
		}
	}
	if err := (&hippo.Query{}).Validate(); err != nil {
		t.Error(err)
	}
}

func TestCodeOf(t *testing.T) {
	t.Parallel()
	for want, err := range map[hippo.Code]error{
		hippo.CodeOK:       nil,
		hippo.CodeInvalid:  fmt.Errorf("op: %w", hippo.Fieldf("a", "b")),
		hippo.CodeNotFound: &hippo.UnknownError{IDs: []hippo.ID{{1}}},
		hippo.CodeReadOnly: fmt.Errorf("op: %w", hippo.ErrReadOnly),
		hippo.CodeCanceled: context.Canceled,
		hippo.CodeInternal: errors.New("anything else"),
	} {
		if got := hippo.CodeOf(err); got != want {
			t.Errorf("%v: got %s, want %s", err, got, want)
		}
	}
}

func TestMemory_CloneIsDeep(t *testing.T) {
	t.Parallel()
	m := &hippo.Memory{
		Situation: []string{"a"}, Tags: []string{"b"}, Usage: hippo.Usage{Accesses: []hippo.Access{{Day: 1, Count: 1}}},
		Metadata: map[string]json.RawMessage{"k": json.RawMessage("1")},
	}
	c := m.Clone()
	c.Situation[0], c.Tags[0], c.Accesses[0].Count, c.Metadata["k"][0] = "x", "x", 9, '2'
	want := &hippo.Memory{
		Situation: []string{"a"}, Tags: []string{"b"}, Usage: hippo.Usage{Accesses: []hippo.Access{{Day: 1, Count: 1}}},
		Metadata: map[string]json.RawMessage{"k": json.RawMessage("1")},
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
}

func TestSurprise_String(t *testing.T) {
	t.Parallel()
	for want, x := range map[string]hippo.Surprise{
		"": {Explicit: 1},
		"0.50 (outlier 0.25, engagement 0.10, explicit 1.00)":            {Score: .5, Outlier: .25, Engagement: .1, Explicit: 1},
		"0.50 (outlier 0.25, engagement 0.10, explicit 0.00, loss 0.75)": {Score: .5, Outlier: .25, Engagement: .1, Loss: .75},
	} {
		if got := x.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A number is between 2^52 and 2^53, and says the end of its ID.
func TestID_Number(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"01a20000-0000-7000-8000-000000000000": 1 << 52,
		"01a20000-0000-7000-8000-00a1deadbeef": 1<<52 + 0xa1deadbeef,
		"ffffffff-ffff-ffff-ffff-ffffffffffff": 1<<53 - 1,
	} {
		id, err := hippo.ParseID(text)
		if err != nil || id.Number() != want {
			t.Errorf("%s: got %d (%v), want %d", text, id.Number(), err, want)
		}
		digits := strings.ReplaceAll(text, "-", "")
		if end, ok := hippo.EndOfNumber(want); !ok || end != digits[19:] {
			t.Errorf("%d: got the end %q, want %q", want, end, digits[19:])
		}
	}
	for _, n := range []int64{-1, 0, 42, 1<<52 - 1, 1 << 53} {
		if end, ok := hippo.EndOfNumber(n); ok {
			t.Errorf("%d: got the end %q", n, end)
		}
	}
}

func TestShortQuery(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		bytes int
	}{
		"empty":         {"", 0},
		"the maximum":   {strings.Repeat("x", hippo.MaxQuery), hippo.MaxQuery},
		"words":         {strings.Repeat("four ", 2000), 8189},
		"one word":      {strings.Repeat("x", hippo.MaxQuery+1), hippo.MaxQuery},
		"within a sign": {strings.Repeat("x", hippo.MaxQuery-1) + "ö", hippo.MaxQuery - 1},
		"early space":   {"x " + strings.Repeat("y", 2*hippo.MaxQuery), hippo.MaxQuery},
	} {
		short, note := hippo.ShortQuery(c.text)
		if len(short) != c.bytes || !strings.HasPrefix(c.text, short) || (note != "") != (len(c.text) > hippo.MaxQuery) || note != "" && !strings.Contains(note, strconv.Itoa(c.bytes)) {
			t.Errorf("%s: got %d bytes, note %q, want %d", name, len(short), note, c.bytes)
		}
		if err := hippo.ValidQuery("Text", short); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
