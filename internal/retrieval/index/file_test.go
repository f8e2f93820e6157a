package index_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	modelof "github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
)

// sample returns a source with a few memories and the bytes of its file: one model has
// embedded all of them, one half.
func sample(t testing.TB) (*source, []byte) {
	t.Helper()
	s := newSource("s")
	for n := range 30 {
		m := note(n, strings.Repeat("word ", n+1)+fmt.Sprint("other", n), "some situation", "!!!")
		m.Tags = []string{"tag", fmt.Sprint(n)}
		m.Touch(3, 1)
		if n%7 == 0 {
			m.SupersededBy = id(n + 1)
		}
		s.put(m)
	}
	path := filepath.Join(t.TempDir(), "index")
	x := open(t, s, sampleOptions(path))
	embed(s, x, whole, 30)
	embed(s, x, few, 15)
	save(t, x)
	return s, read(t, path)
}

func sampleOptions(path string) *index.Options {
	return &index.Options{Path: path, Tokens: hashed("a"), Models: []modelof.Model{whole, few}}
}

func save(t testing.TB, x *index.Index) {
	t.Helper()
	if err := x.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// reopen opens an index on a file with these bytes and reports whether it was used.
func reopen(t testing.TB, s index.Source, file []byte, o *index.Options) (x *index.Index, used bool) {
	t.Helper()
	o.Path = filepath.Join(t.TempDir(), "index")
	write(t, o.Path, file)
	x, err := index.Open(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	_, err = os.Stat(o.Path)
	used = x.Stats().Saved > 0
	if (err == nil) != used {
		t.Errorf("file is left: %v, saved revision: %d", err == nil, x.Stats().Saved)
	}
	catchUp(t, x)
	return x, used
}

// layout is where the parts of a file lie.
type layout struct {
	slot, root, length int
	sections           []map[string]any
	json               map[string]any
}

func layoutOf(t testing.TB, file []byte) layout {
	t.Helper()
	l := layout{slot: 32 + 32} // the first save is generation 1
	l.root = int(binary.NativeEndian.Uint64(file[l.slot+8:]))
	l.length = int(binary.NativeEndian.Uint32(file[l.slot+16:]))
	if err := json.Unmarshal(file[l.root:l.root+l.length], &l.json); err != nil {
		t.Fatal(err)
	}
	add := func(list any) {
		for _, s := range list.([]any) { //nolint:errcheck // panics in a test
			l.sections = append(l.sections, s.(map[string]any)) //nolint:errcheck // likewise
		}
	}
	for _, p := range l.json["parts"].([]any) { //nolint:errcheck // likewise
		part := p.(map[string]any) //nolint:errcheck // likewise
		add(part["static"])
		add(part["mutable"])
		for _, v := range part["vectors"].([]any) { //nolint:errcheck // likewise
			add(v.(map[string]any)["sections"]) //nolint:errcheck // likewise
		}
	}
	return l
}

func number(m map[string]any, key string) int {
	n, _ := m[key].(float64)
	return int(n)
}

// resum writes a root and all checksums into a file, so that only the content is wrong.
func (l *layout) resum(file []byte) []byte {
	sum := func(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }
	for _, s := range l.sections {
		if _, ok := s["c"]; ok {
			s["c"] = sum(file[number(s, "o"):][:number(s, "n")])
		}
	}
	text, _ := json.Marshal(l.json)
	file = append(file[:l.root], text...)
	ne := binary.NativeEndian
	ne.PutUint32(file[l.slot+16:], uint32(len(text)))
	ne.PutUint32(file[l.slot+20:], sum(text))
	ne.PutUint32(file[l.slot+24:], sum(file[l.slot:l.slot+24]))
	return file
}

func TestFile_opens_without_a_rebuild(t *testing.T) {
	t.Parallel()
	s, file := sample(t)
	want, _ := search(open(t, s, sampleOptions("")), query{Text: "word situation"})
	x, used := reopen(t, s, file, sampleOptions(""))
	if got, _ := search(x, query{Text: "word situation"}); !used || !cmp.Equal(want, got) {
		t.Errorf("used %v (-built +file):\n%s", used, cmp.Diff(want, got))
	}
	s.put(note(100, "late"))
	catchUp(t, x)
	if got := x.Stats(); got.Segments != 2 || got.Memories != 31 {
		t.Errorf("got %+v", got)
	}
}

// usable uses an index on a file with these bytes: nothing panics, cosines are cosines, and
// all memories are there.
func usable(t testing.TB, s *source, file []byte) {
	t.Helper()
	x, _ := reopen(t, s, file, sampleOptions(""))
	memories := len(s.live())
	for _, m := range []modelof.Model{whole, few} {
		got, _ := search(x, query{Text: "word other3", Vector: vectorOf("q", m), Model: m.ID, Nearest: 1000, MinCosine: -1})
		if len(got) != memories { // all have the word
			t.Errorf("found %d memories of %d", len(got), memories)
		}
		for _, f := range got {
			if !(f.Cosine >= 0 && f.Cosine <= 1.03) || !(f.Exact >= 0 && f.Exact <= 1) {
				t.Fatalf("memory %v has cosine %v, exactly %v", f.ID, f.Cosine, f.Exact)
			}
		}
		embed(s, x, m, 1000)
		if have, _ := x.Vectors.Embedded(nil, m.ID); have != memories {
			t.Errorf("%s: %d of %d have a vector after all", m.ID, have, memories)
		}
	}
	save(t, x)
}

// A bit that was flipped, or an end that is missing, is found, or is in numbers that lead no
// search astray.
func TestFile_damage_is_repaired(t *testing.T) {
	t.Parallel()
	s, file := sample(t)
	l := layoutOf(t, file)
	if len(l.sections) != 21+5+2*4 {
		t.Fatalf("got %d sections", len(l.sections))
	}
	flip := func(at int) []byte {
		b := bytes.Clone(file)
		b[at] ^= 0x10
		return b
	}
	for i, sec := range l.sections {
		offset, n := number(sec, "o"), number(sec, "n")
		if n == 0 {
			continue // nothing to damage
		}
		t.Run(fmt.Sprint("section ", i), func(t *testing.T) {
			t.Parallel()
			usable(t, s, flip(offset+n/2))
			usable(t, s, file[:offset+n-1])
			if _, used := reopen(t, s, flip(offset+n/2), sampleOptions("")); used && sec["c"] != nil {
				t.Error("the damaged file was used")
			}
		})
	}
	for _, at := range []int{0, 8, 12, l.slot, l.slot + 9, l.slot + 20, l.slot + 25, l.root, l.root + l.length - 1} {
		if _, used := reopen(t, s, flip(at), sampleOptions("")); used {
			t.Errorf("a file that is damaged at %d was used", at)
		}
	}
	for _, n := range []int{0, 1, 8, 19, 64, 127, 128, l.root, len(file) - 1} {
		if _, used := reopen(t, s, file[:n], sampleOptions("")); used {
			t.Errorf("%d bytes of a file were used", n)
		}
	}
}

// The root may say anything about vectors, with the right checksum.
func TestFile_vectors_that_do_not_fit(t *testing.T) {
	t.Parallel()
	s, file := sample(t)
	for name, change := range map[string]func(v, model map[string]any){
		"dimension":  func(_, m map[string]any) { m["Dimension"] = 4 },
		"none":       func(_, m map[string]any) { m["Dimension"] = 0 },
		"negative":   func(_, m map[string]any) { m["Dimension"] = -1 },
		"huge":       func(_, m map[string]any) { m["Dimension"] = 1 << 40 },
		"rows":       func(v, _ map[string]any) { v["rows"] = 14 },
		"minus_rows": func(v, _ map[string]any) { v["rows"] = -1 },
		"many_rows":  func(v, _ map[string]any) { v["rows"] = 1 << 40 },
		"other_id":   func(_, m map[string]any) { m["ID"] = whole.ID },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bytes.Clone(file)
			l := layoutOf(t, b)
			part := l.json["parts"].([]any)[0].(map[string]any) //nolint:errcheck // panics in a test
			v := part["vectors"].([]any)[1].(map[string]any)    //nolint:errcheck // likewise
			change(v, v["model"].(map[string]any))              //nolint:errcheck // likewise
			usable(t, s, l.resum(b))
		})
	}
}

func TestFile_of_other_origin_is_replaced(t *testing.T) {
	t.Parallel()
	s, file := sample(t)
	params := bm25.DefaultParams()
	params.K1 = 2
	other, old := newSource("other"), newSource("s")
	old.put(note(1, "word"))
	other.put(note(1, "word"))
	other.revision = 1000
	for name, c := range map[string]struct {
		s      *source
		change func(*index.Options)
	}{
		"analyzer": {s, func(o *index.Options) { o.Analyzer = bm25.Plain() }},
		"params":   {s, func(o *index.Options) { o.Params = &params }},
		"tokens":   {s, func(o *index.Options) { o.Tokens = hashed("b") }},
		"store":    {other, func(*index.Options) {}},
		"newer":    {old, func(*index.Options) {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			o := sampleOptions("")
			c.change(o)
			o.Log = slog.New(slog.NewTextHandler(&log, nil))
			x, used := reopen(t, c.s, file, o)
			if want := len(c.s.live()); used || x.Stats().Memories != want {
				t.Errorf("got used %v, %d memories, want %d", used, x.Stats().Memories, want)
			}
			if !strings.Contains(log.String(), "level=INFO") {
				t.Errorf("got log %q", log.String())
			}
		})
	}
}

// A save appends: what has not changed is not written again, until the file is mostly
// garbage.
func TestFile_grows_by_what_changed(t *testing.T) {
	t.Parallel()
	notes, rounds := 2000, 40
	if testing.Short() {
		notes, rounds = 500, 5
	}
	s := newSource("s")
	for n := range notes {
		s.put(note(n, strings.Repeat(fmt.Sprint("word", n%50, " "), 40)))
	}
	o := sampleOptions(filepath.Join(t.TempDir(), "index"))
	x := open(t, s, o)
	save(t, x)
	first := len(read(t, o.Path))
	s.put(note(5000, "one more"))
	catchUp(t, x)
	save(t, x)
	if grown := len(read(t, o.Path)) - first; grown <= 0 || grown > first/20 {
		t.Errorf("one memory more takes %d bytes, all before %d", grown, first)
	}
	limit := 2*first + 5<<20
	for round := range rounds {
		for n := range notes / 4 {
			s.put(note(n, strings.Repeat(fmt.Sprint("word", round, " "), 40)))
		}
		catchUp(t, x)
		save(t, x)
		if n := len(read(t, o.Path)); n > limit {
			t.Fatalf("round %d: the file has %d bytes, at first %d", round, n, first)
		}
	}
	want, _ := search(x, query{Text: fmt.Sprintf("word%d word7", rounds-1)})
	got, _ := search(open(t, s, o), query{Text: fmt.Sprintf("word%d word7", rounds-1)})
	if d := difference(want, got); d != "" || len(got) == 0 {
		t.Errorf("found %d; the file answers otherwise (-before +after):\n%s", len(got), d)
	}
}

func TestFile_is_shared(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "one"))
	o := sampleOptions(filepath.Join(t.TempDir(), "index"))
	a := open(t, s, o)
	s.put(note(2, "two"))
	b := open(t, s, o)
	save(t, b)
	save(t, a) // older, so the file stays
	if got := open(t, s, o).Stats(); got.Saved != 2 {
		t.Errorf("got saved revision %d, want 2", got.Saved)
	}
	s.put(note(3, "three"))
	catchUp(t, a)
	save(t, a)
	if d := cmp.Diff([]int{1, 2}, ids(b, query{})); d != "" {
		t.Errorf("the other's state changed (-want +got):\n%s", d)
	}
	s.put(note(4, "four"))
	catchUp(t, b)
	save(t, b) // appends to what a has appended
	x := open(t, s, o)
	if got := x.Stats(); got.Saved != 4 || got.Memories != 4 {
		t.Errorf("got %+v", got)
	}
	if d := cmp.Diff([]int{1, 2, 3, 4}, ids(x, query{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestFile_is_saved_on_Close(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "one"))
	o := &index.Options{Path: filepath.Join(t.TempDir(), "index")}
	x, err := index.Open(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	catchUp(t, x)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if got := open(t, s, o).Stats(); got.Saved != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestFile_that_cannot_be_written(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "one"))
	var log bytes.Buffer
	missing := filepath.Join(t.TempDir(), "missing", "index")
	x, err := index.Open(t.Context(), s, &index.Options{Path: missing, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	catchUp(t, x)
	for range 2 {
		if err := x.Save(t.Context()); err == nil {
			t.Error("got no error")
		}
	}
	if d := cmp.Diff([]int{1}, ids(x, query{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("got %d log lines, want 1:\n%s", n, log.String())
	}
}

// Whatever happens to the file under an index that is open: no crash, and the next searches
// find everything.
func TestFile_changes_under_an_open_index(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(path string, file []byte) error{
		"cut to nothing": func(path string, _ []byte) error { return os.Truncate(path, 0) },
		"cut in half":    func(path string, b []byte) error { return os.Truncate(path, int64(len(b)/2)) },
		"cut to a page":  func(path string, _ []byte) error { return os.Truncate(path, 4096) },
		"grown":          func(path string, b []byte) error { return os.WriteFile(path, append(b, make([]byte, 1<<20)...), 0o600) },
		"overwritten": func(path string, b []byte) error {
			return os.WriteFile(path, bytes.Repeat([]byte{0xFF}, len(b)), 0o600)
		},
		"replaced": func(path string, _ []byte) error {
			return errors.Join(os.WriteFile(path+"2", []byte("something else"), 0o600), os.Rename(path+"2", path))
		},
		"deleted":   func(path string, _ []byte) error { return os.Remove(path) },
		"directory": func(path string, _ []byte) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSource("s")
			for n := range 600 {
				s.put(note(n, strings.Repeat(fmt.Sprint("word", n%50, " "), 40), "somewhere"))
			}
			o := sampleOptions(filepath.Join(t.TempDir(), "index"))
			save(t, open(t, s, o))
			x := open(t, s, o)
			if err := change(o.Path, read(t, o.Path)); err != nil {
				t.Fatal(err)
			}
			q := query{Text: "word7 word8", Situation: []string{"somewhere"}}
			search(x, q) // may find that the file is damaged
			catchUp(t, x)
			s.put(note(1000, "word7 comes late", "somewhere"))
			catchUp(t, x)
			if got, want := ids(x, q), ids(open(t, s, nil), q); !cmp.Equal(got, want) {
				t.Errorf("found %d, want %d", len(got), len(want))
			}
			err := x.Save(t.Context())
			if (err != nil) != (name == "directory") {
				t.Errorf("Save: %v", err)
			}
			if name != "directory" {
				if got, want := ids(open(t, s, o), q), ids(x, q); !cmp.Equal(got, want) {
					t.Errorf("the next process found %d, want %d", len(got), len(want))
				}
			}
		})
	}
}

// FuzzFile feeds damaged files whose checksums are right in the sections that have none and in
// the root. Whatever they hold, opening and searching must not panic.
func FuzzFile(f *testing.F) {
	s, file := sample(f)
	l := layoutOf(f, file)
	for i, sec := range l.sections {
		f.Add(uint32(number(sec, "o")), uint32(0x7F800001), i%2 == 0) // not a number
	}
	f.Add(uint32(l.root), uint32(0x20202020), false)
	f.Fuzz(func(t *testing.T, at, value uint32, sum bool) {
		b := bytes.Clone(file)
		at %= uint32(len(b) - 4)
		binary.LittleEndian.PutUint32(b[at:], value)
		if sum && int(at) >= l.root {
			l := l
			b = l.resum(b)
		}
		x, _ := reopen(t, s, b, sampleOptions(""))
		for _, q := range []query{{}, {Text: "word other3"}, {Text: "o", Substring: true, Situation: []string{"some", "!!!"}}} {
			search(x, q)
		}
		for _, m := range []modelof.Model{whole, few} {
			search(x, query{Text: "word", Vector: vectorOf("q", m), Model: m.ID, Nearest: 100, MinCosine: -1})
			embed(s, x, m, 100)
		}
		s.put(note(5, fmt.Sprint("changed", value)))
		catchUp(t, x)
		save(t, x)
	})
}

// A scope is a wall: what lies outside changes neither what is found nor any number.
func TestSearch_knows_nothing_outside_of_the_scope(t *testing.T) {
	t.Parallel()
	inside, both := newSource("s"), newSource("s")
	for n := range 60 {
		m := note(n, fmt.Sprintf("cache word%d of the tenant", n%7), "debugging")
		m.Namespace, m.Project = "b", []string{"", "p", "q"}[n%3]
		both.put(m)
		if m.Project != "q" {
			inside.put(m)
		}
		other := note(n+1000, "cache Zanzibar words of another tenant", "debugging")
		other.Namespace = []string{"", "a"}[n%2]
		both.put(other)
	}
	scope := hippo.Scope{Namespace: "b", Projects: []string{"", "p"}}
	x, want := open(t, both, nil), open(t, inside, nil)
	for _, q := range []query{{}, {Text: "cache word3"}, {Text: "Zanzibar tenant"}, {Text: "ca", Substring: true}, {Situation: []string{"debugging"}}} {
		q.Scope = scope
		got, most := search(x, q)
		wanted, wantMost := search(want, q)
		if d := difference(wanted, got); d != "" || most != wantMost {
			t.Errorf("%+v: bound %v, want %v (-alone +among others):\n%s", q, most, wantMost, d)
		}
	}
	if d := cmp.Diff(idfs(want, scope, "cache", "Zanzibar", "word3"), idfs(x, scope, "cache", "Zanzibar", "word3")); d != "" {
		t.Errorf("idf (-alone +among others):\n%s", d)
	}
	if live, forgotten := x.Count(&scope); live != 40 || forgotten != 0 {
		t.Errorf("counts %d and %d", live, forgotten)
	}
}
