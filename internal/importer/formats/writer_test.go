package formats_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// valid draws a memory that a store may hold. It fills the fields by
// reflection, so that a field that is added is drawn too, and the export has to
// carry it.
func valid() *rapid.Generator[*hippo.Memory] {
	return rapid.Custom(func(t *rapid.T) *hippo.Memory {
		m := &hippo.Memory{}
		fill(t, "memory", reflect.ValueOf(m).Elem())
		m.ID[0] |= 1
		m.Content += "x"
		m.ContentHash = hippo.HashContent(m.Content)
		m.Revision = 0
		used := m.Accesses
		m.Accesses = nil
		for i, a := range used {
			m.Touch(hippo.Day(i+1)*a.Day, a.Count)
		}
		if !m.ValidUntil.IsZero() && !m.ValidFrom.Before(m.ValidUntil) {
			m.ValidFrom = time.Time{}
		}
		for i := range m.Feedback {
			m.Feedback[i].Kind = rapid.SampledFrom(hippo.FeedbackKinds()).Draw(t, "kind")
			m.Feedback[i].Weight += .1
		}
		if err := m.Validate(); err != nil {
			t.Fatalf("the generator drew an invalid memory: %v", err)
		}
		return m
	})
}

func fill(t *rapid.T, name string, v reflect.Value) {
	switch v.Interface().(type) {
	case time.Time:
		if rapid.Bool().Draw(t, name+" is set") {
			v.Set(reflect.ValueOf(time.UnixMicro(rapid.Int64Range(-1e15, 1e17).Draw(t, name)).UTC()))
		}
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(raw(rapid.SampledFrom([]string{`null`, `1e999`, `"<\u0041>\n"`, `{"b":[1,2.0],"a":{}}`}).Draw(t, name))))
		return
	case hippo.Trust:
		v.SetInt(rapid.Int64Range(0, 3).Draw(t, name))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.String:
		v.SetString(rapid.StringMatching(`([a-z0-9 "<\\é日🦛]{0,8}[a-z])?`).Draw(t, name))
	case reflect.Float64:
		v.SetFloat(rapid.Float64Range(0, 1).Draw(t, name))
	case reflect.Pointer:
		if rapid.Bool().Draw(t, name+" is set") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, name, v.Elem())
		}
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, name))
	case reflect.Int, reflect.Int8:
		v.SetInt(rapid.Int64Range(1, 100).Draw(t, name))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(rapid.Uint64Range(0, 255).Draw(t, name))
	case reflect.Array:
		for i := range v.Len() {
			fill(t, name, v.Index(i))
		}
	case reflect.Slice:
		for range rapid.IntRange(0, 3).Draw(t, name+" length") {
			e := reflect.New(v.Type().Elem()).Elem()
			fill(t, name, e)
			if e.Kind() != reflect.String || e.String() != "" {
				v.Set(reflect.Append(v, e))
			}
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range rapid.IntRange(0, 3).Draw(t, name+" length") {
			k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(t, name+" key", k)
			fill(t, name, e)
			v.SetMapIndex(k, e)
		}
	default:
		t.Fatalf("%s has a kind that the generator does not know: %s", name, v.Kind())
	}
}

func TestWriter_reading_an_export_is_the_identity(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(valid(), 0, 4).Draw(t, "memories")
		cal := hippo.Calendar{Day: hippo.Day(rapid.IntRange(0, 5).Draw(t, "day"))}
		if cal.Day > 0 && rapid.Bool().Draw(t, "has date") {
			cal.Date = "2026-03-01"
		}
		var b bytes.Buffer
		w := formats.NewWriter(&b, cal)
		for _, m := range want {
			if err := w.Write(m); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		s, err := formats.Read(&b)
		if err != nil {
			t.Fatal(err)
		}
		if s.Kind != formats.KindExport || s.Calendar != cal {
			t.Errorf("got %q, %v, want calendar %v", s.Kind, s.Calendar, cal)
		}
		var n int
		for got, err := range s.Entries() {
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			if d := diff(got, want[n]); d != "" {
				t.Errorf("memory %d (-want +got):\n%s", n, d)
			}
			n++
		}
		if n != len(want) {
			t.Errorf("got %d memories, want %d", n, len(want))
		}
	})
}

func TestWriter_a_memory_that_cannot_be_written_leaves_no_trace(t *testing.T) {
	t.Parallel()
	ms := good(t, "generic.jsonl")
	bad := ms[0].Clone()
	bad.Importance.Value = math.NaN()
	var b bytes.Buffer
	w := formats.NewWriter(&b, hippo.Calendar{Day: 3, Date: "2026-03-01"})
	if err := w.Write(bad); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("got %v, want an error about importance", err)
	}
	if err := w.Write(ms[0]); err != nil {
		t.Error(err)
	}
	if err := w.Flush(); err != nil {
		t.Error(err)
	}
	lines := bytes.Split(bytes.TrimSpace(b.Bytes()), []byte("\n"))
	if got := string(lines[0]); len(lines) != 2 || got != `{"hippo_export":1,"active_day_counter":3,"last_calendar_date_used":"2026-03-01"}` {
		t.Errorf("got %d lines, the first is %s", len(lines), got)
	}
}

func TestWriter_reports_a_full_disk(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left")
	w := formats.NewWriter(writerFunc(func([]byte) (int, error) { return 0, full }), hippo.Calendar{})
	if err := w.Flush(); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func FuzzRead(f *testing.F) {
	for _, name := range []string{"generic.jsonl", "turns.jsonl", "array.json", "insight.json", "legacy.json"} {
		f.Add(sample(f, "../source/"+name))
	}
	f.Add([]byte(`{"hippo_export":1,"active_day_counter":2}` + "\n" + `{"uuid":"0198a6d2-6f3e-7c11-8a54-5d0a3f1b2c01","content":"a","importance":1,"created_at":"2025-01-01"}`))
	f.Add([]byte("\ufeff{\"a\": \"\n{\"text\":\"x\",\"time\":1e11}\r\n[}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := formats.Read(bytes.NewReader(b))
		if err != nil {
			fuzzError(t, err)
			return
		}
		for m, err := range s.Entries() {
			if err != nil {
				fuzzError(t, err)
				continue
			}
			if err := m.Validate(); err != nil || m.ID.IsZero() {
				t.Fatalf("yielded %v, which is not valid: %v", m, err)
			}
			if _, err := formats.EncodeInsight(m); err != nil {
				t.Fatalf("yielded %v, which cannot be written: %v", m, err)
			}
		}
	})
}

func fuzzError(t *testing.T, err error) {
	t.Helper()
	codes := []hippo.Code{hippo.CodeInvalid, hippo.CodeCorrupt, hippo.CodeUnsupported}
	if c := hippo.CodeOf(err); !slices.Contains(codes, c) {
		t.Fatalf("error of kind %s: %v", c, err)
	}
}
