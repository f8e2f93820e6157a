package index_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	modelof "github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/index/bm25"
)

// sample returns a source with a few memories and the bytes of its snapshot.
func sample(t testing.TB) (*source, []byte) {
	t.Helper()
	s := newSource("s")
	for n := range 30 {
		m := note(n, strings.Repeat("word ", n+1)+fmt.Sprint("other", n), "some situation", "!!!")
		m.Tags = []string{"tag", fmt.Sprint(n)}
		m.Touch(3, 1)
		s.put(m)
	}
	path := filepath.Join(t.TempDir(), "index")
	x := open(t, s, &index.Options{SnapshotPath: path})
	if err := x.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return s, b
}

// reopen opens an index on a file with these bytes and reports whether it was used.
func reopen(t testing.TB, s index.Source, file []byte, o index.Options) (x *index.Index, used bool) {
	t.Helper()
	o.SnapshotPath = filepath.Join(t.TempDir(), "index")
	if err := os.WriteFile(o.SnapshotPath, file, 0o600); err != nil {
		t.Fatal(err)
	}
	x = open(t, s, &o)
	_, err := os.Stat(o.SnapshotPath)
	if (err == nil) != (x.Stats().Snapshot > 0) {
		t.Errorf("file is left: %v, snapshot revision: %d", err == nil, x.Stats().Snapshot)
	}
	return x, err == nil
}

// parts returns the header of a snapshot, and where it ends.
func parts(b []byte) (h map[string]any, body int) {
	n := int(binary.LittleEndian.Uint32(b[12:]))
	_ = json.Unmarshal(b[20:20+n], &h)
	return h, (20 + n + 7) / 8 * 8
}

func TestSnapshot_opens_without_a_rebuild(t *testing.T) {
	t.Parallel()
	s, file := sample(t)
	x, used := reopen(t, s, file, index.Options{})
	if !used || x.Stats().Delta != 0 || x.Stats().Memories != 30 {
		t.Errorf("got used %v, %+v", used, x.Stats())
	}
	again, used := reopen(t, s, file, index.Options{})
	s.put(note(100, "late"))
	catchUp(t, again)
	if !used || again.Stats().Delta != 1 || again.Stats().Memories != 31 {
		t.Errorf("got used %v, %+v", used, again.Stats())
	}
}

func TestSnapshot_damage_is_repaired(t *testing.T) {
	t.Parallel()
	s, file := sample(t)
	want, _ := search(open(t, s, nil), index.Query{Text: "word situation"})
	check := func(t *testing.T, damaged []byte) {
		t.Helper()
		x, used := reopen(t, s, damaged, index.Options{})
		got, _ := search(x, index.Query{Text: "word situation"})
		if d := cmp.Diff(want, got); used || d != "" {
			t.Errorf("used %v (-want +got):\n%s", used, d)
		}
	}
	h, body := parts(file)
	sections, _ := h["sections"].([]any)
	if len(sections) < 10 {
		t.Fatalf("got %d sections", len(sections))
	}
	flip := func(at int) []byte {
		b := bytes.Clone(file)
		b[at] ^= 0x10
		return b
	}
	for _, sec := range sections {
		m, _ := sec.(map[string]any)
		length, _ := m["length"].(float64)
		offset, _ := m["offset"].(float64)
		t.Run(fmt.Sprint(m["name"]), func(t *testing.T) {
			if length == 0 {
				return // nothing to damage
			}
			check(t, flip(body+int(offset)+int(length)/2))
			check(t, file[:body+int(offset)+int(length)-1])
		})
	}
	for _, at := range []int{0, 8, 12, 16, 30} {
		check(t, flip(at))
	}
	for _, n := range []int{0, 1, 8, 19, 20, 100, body} {
		check(t, file[:n])
	}
}

func TestSnapshot_of_other_origin_is_replaced(t *testing.T) {
	t.Parallel()
	s, file := sample(t)
	params := bm25.DefaultParams()
	params.K1 = 2
	other, old := newSource("other"), newSource("s")
	old.put(note(1, "word"))
	other.put(note(1, "word"))
	other.revision = 1000
	for name, c := range map[string]struct {
		s *source
		o index.Options
	}{
		"analyzer": {s, index.Options{Analyzer: bm25.Plain()}},
		"params":   {s, index.Options{Params: &params}},
		"pieces":   {s, index.Options{Pieces: hashed("a")}},
		"store":    {other, index.Options{}},
		"newer":    {old, index.Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			c.o.Log = slog.New(slog.NewTextHandler(&log, nil))
			x, used := reopen(t, c.s, file, c.o)
			if want := len(c.s.live()); used || x.Stats().Memories != want {
				t.Errorf("got used %v, %d memories, want %d", used, x.Stats().Memories, want)
			}
			if !strings.Contains(log.String(), "level=INFO") {
				t.Errorf("got log %q", log.String())
			}
		})
	}
}

func TestSnapshot_is_shared(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "one"))
	o := &index.Options{SnapshotPath: filepath.Join(t.TempDir(), "index")}
	a := open(t, s, o)
	s.put(note(2, "two"))
	b := open(t, s, o)
	if err := b.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.Save(t.Context()); err != nil { // older, so the file stays
		t.Fatal(err)
	}
	if got := open(t, s, o).Stats(); got.Snapshot != 2 {
		t.Errorf("got snapshot revision %d, want 2", got.Snapshot)
	}
	catchUp(t, a)
	s.put(note(3, "three"))
	catchUp(t, a)
	if err := a.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]int{1, 2}, ids(b, index.Query{})); d != "" {
		t.Errorf("the other's view changed (-want +got):\n%s", d)
	}
	if got := open(t, s, o).Stats(); got.Snapshot != 3 || got.Delta != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestSnapshot_is_saved_on_Close(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "one"))
	o := &index.Options{SnapshotPath: filepath.Join(t.TempDir(), "index")}
	x, err := index.Open(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if got := open(t, s, o).Stats(); got.Snapshot != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestSnapshot_that_cannot_be_written(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "one"))
	var log bytes.Buffer
	missing := filepath.Join(t.TempDir(), "missing", "index")
	x, err := index.Open(t.Context(), s, &index.Options{SnapshotPath: missing, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := x.Save(t.Context()); err == nil {
			t.Error("got no error")
		}
	}
	if d := cmp.Diff([]int{1}, ids(x, index.Query{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("got %d log lines, want 1:\n%s", n, log.String())
	}
}

// FuzzSnapshot feeds damaged snapshots whose checksums are right. Whatever they
// hold, opening and searching must not panic.
func FuzzSnapshot(f *testing.F) {
	s, file := embedded(f)
	h, body := parts(file)
	f.Add(uint32(body), uint32(0))
	f.Add(uint32(body+100), uint32(0xFFFFFFFF))
	f.Add(uint32(len(file)-8), uint32(7))
	sections, _ := h["sections"].([]any)
	for _, sec := range sections {
		m, _ := sec.(map[string]any)
		offset, _ := m["offset"].(float64)
		f.Add(uint32(offset), uint32(0x7F800001)) // not a number
		f.Add(uint32(offset)+4, uint32(3))
	}
	f.Fuzz(func(t *testing.T, at, value uint32) {
		b := bytes.Clone(file)
		at %= uint32(len(b) - body - 4)
		binary.LittleEndian.PutUint32(b[body+int(at):], value)
		x, _ := reopen(t, s, resum(b), index.Options{Pieces: hashed("a")})
		for _, q := range []index.Query{{}, {Text: "word other3"}, {Text: "o", Substring: true, Situation: []string{"some", "!!!"}}} {
			search(x, q)
		}
		for _, m := range []modelof.Model{whole, few} {
			search(x, index.Query{Text: "word", Vector: vectorOf("q", m), Model: m.ID, Nearest: 100, MinCosine: -1})
			x.Embed(few, whole)
			embed(s, x, m, 100)
		}
		s.put(note(5, fmt.Sprint("changed", value)))
		catchUp(t, x)
		if err := x.Save(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// resum writes the right checksums into a snapshot; the header keeps its length.
func resum(b []byte) []byte {
	table := crc32.MakeTable(crc32.Castagnoli)
	h, body := parts(b)
	n := int(binary.LittleEndian.Uint32(b[12:]))
	sections, _ := h["sections"].([]any)
	for _, sec := range sections {
		m, _ := sec.(map[string]any)
		if m["crc"] == 0. {
			continue // of vectors: it has none
		}
		offset, _ := m["offset"].(float64)
		length, _ := m["length"].(float64)
		m["crc"] = crc32.Checksum(b[body+int(offset):body+int(offset)+int(length)], table)
	}
	text, _ := json.Marshal(h)
	room := bytes.Repeat([]byte(" "), n)
	if len(text) > n {
		return b // a longer number does not fit; rare
	}
	copy(room, text)
	copy(b[20:], room)
	binary.LittleEndian.PutUint32(b[16:], crc32.Checksum(room, table))
	return b
}
