package formats_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

func TestRelation_ComesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		moment := func(name string) time.Time {
			n := rapid.Int64Range(0, 4e15).Draw(t, name)
			if n%3 == 0 {
				return time.Time{}
			}
			return time.UnixMicro(n).UTC()
		}
		r := hippo.Relation{
			From: hippo.ID{1, rapid.Byte().Draw(t, "from")}, To: hippo.ID{2, rapid.Byte().Draw(t, "to")},
			Kind: rapid.StringN(1, 10, 40).Draw(t, "kind"), Weight: rapid.Float64Range(1e-300, 1).Draw(t, "weight"),
			ValidFrom: moment("valid from"), ValidUntil: moment("valid until"), LastReinforced: moment("reinforced"),
		}
		b, err := formats.EncodeRelation(&r)
		if err != nil || bytes.ContainsRune(b, '\n') {
			t.Fatalf("%q, %v", b, err)
		}
		if got, err := formats.DecodeRelation(b); err != nil || got != r {
			t.Fatalf("%s is read as %+v (%v)", b, got, err)
		}
	})
}

func TestDecodeRelation_Refuses(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"", "{}", "[]", `{"from":"x"}`, "<<<<<<< ours", `{"to":"00000000-0000-0000-0000-000000000001"}`} {
		if r, err := formats.DecodeRelation([]byte(line)); !errors.Is(err, hippo.ErrCorrupt) && !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%q is read as %+v (%v)", line, r, err)
		}
	}
}

// An export holds relations in the lines of their memories, where a program that knows
// none of them keeps them.
func TestExport_Relations(t *testing.T) {
	t.Parallel()
	a, b := &hippo.Memory{ID: hippo.ID{1}, Content: "a", Version: 1}, &hippo.Memory{ID: hippo.ID{2}, Content: "b", Version: 1}
	want := []hippo.Relation{
		{From: a.ID, To: b.ID, Kind: "explains", Weight: .5, LastReinforced: time.Unix(5, 0).UTC()},
		{From: a.ID, To: b.ID, Kind: "x", Weight: 1},
	}
	var out bytes.Buffer
	w := formats.NewWriter(&out, hippo.Calendar{Day: 1})
	if err := errors.Join(w.Write(a, want...), w.Write(b), w.Flush()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if m, err := formats.DecodeInsight([]byte(lines[1])); err != nil || len(m.Metadata[formats.KeptPrefix+"relations"]) == 0 {
		t.Errorf("a reader without relations sees %+v (%v)", m, err)
	}
	src, err := formats.Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	for m, err := range src.Entries() {
		if err != nil || m.Metadata != nil {
			t.Errorf("read %+v (%v)", m, err)
		}
	}
	if got := src.Relations(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// What only looks like relations is kept as it is.
func TestExport_ForeignRelations(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`"none"`, `[{"to":"x"}]`, `{"a":1}`, `[{"to":"00000000-0000-0000-0000-000000000002","kind":"a","weight":9}]`} {
		in := `{"hippo_export":1,"active_day_counter":1,"last_calendar_date_used":null}` + "\n" +
			`{"uuid":"00000000-0000-0000-0000-000000000001","content":"a","situation":[],"importance":0.5,"created_at":"2025-08-01T10:18:05Z","daily_access_counts":[],"relations":` + value + "}\n"
		src, err := formats.Read(strings.NewReader(in))
		if err != nil {
			t.Fatal(err)
		}
		for m, err := range src.Entries() {
			if err != nil || string(m.Metadata[formats.KeptPrefix+"relations"]) != value {
				t.Errorf("%s: read %+v (%v)", value, m, err)
			}
		}
		if got := src.Relations(); len(got) > 0 {
			t.Errorf("%s: got %v", value, got)
		}
	}
}

func TestOpen_DirectoryWithRelations(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := hippo.Relation{From: hippo.ID{1}, To: hippo.ID{2}, Kind: "a", Weight: .5}
	line, err := formats.EncodeRelation(&r)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"metadata.json":       `{"active_day_counter":1,"last_calendar_date_used":null}`,
		formats.RelationsName: string(line) + "\n\n=======\n" + strings.Replace(string(line), `"weight":0.5`, `"weight":7`, 1) + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	src, err := formats.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var errs []string
	for _, err := range src.Entries() {
		errs = append(errs, err.Error())
	}
	if len(errs) != 2 || !strings.Contains(errs[0], "relations.jsonl: line 3") || !strings.Contains(errs[1], "line 4: weight") {
		t.Errorf("errors are %q", errs)
	}
	if got := src.Relations(); len(got) != 1 || got[0] != r {
		t.Errorf("got %v", got)
	}
}
