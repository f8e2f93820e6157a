package catalog_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/code/codeindex/chunk"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

func noon() time.Time { return time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC) }

// file makes what a parser may find: a class with methods, references and imports.
func file(names ...string) (*syntax.File, []chunk.Chunk) {
	f := &syntax.File{Language: "go", Package: "p", Imports: []syntax.Import{{Path: "fmt", Alias: "f", At: syntax.Range{From: 1, Until: 4, First: 1, Last: 1}}}}
	f.Locals = []syntax.Local{{Name: "x", Type: "*C", From: 2, Until: 9}, {Name: "y", Value: "range x.list()", Part: 1, From: 3, Until: 7}}
	var chunks []chunk.Chunk
	for i, n := range names {
		from := 10 * i
		f.Symbols = append(f.Symbols, syntax.Symbol{
			Name: n, Qualified: "C." + n, Kind: syntax.Method, Signature: "func " + n + "()", Parent: min(i, 0) - 1, Bases: []string{"Base", "*D"},
			Range: syntax.Range{From: from, Until: from + 9, First: i + 1, Last: i + 1}, NameAt: syntax.Range{From: from + 1, Until: from + 2, First: i + 1, Last: i + 1},
		})
		f.References = append(f.References, syntax.Reference{Name: "g", Qualifier: "x", Use: syntax.Call, At: syntax.Range{From: from + 3, Until: from + 4, First: i + 1, Last: i + 1}, In: i})
		chunks = append(chunks, chunk.Chunk{From: from, Until: from + 9, First: i + 1, Last: i + 1, Symbol: i})
	}
	return f, chunks
}

func stamp(text string) catalog.Stamp {
	return catalog.Stamp{Hash: catalog.HashOf([]byte(text)), Size: int64(len(text)), Modified: noon()}
}

func create(t testing.TB) (string, *catalog.Journal, *catalog.Catalog) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "catalog")
	j, c, err := catalog.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, j, c
}

func commit(t testing.TB, j *catalog.Journal, d *catalog.Draft) *catalog.Catalog {
	t.Helper()
	c, err := j.Commit(d, noon())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestJournal(t *testing.T) {
	t.Parallel()
	path, j, c := create(t)
	f, chunks := file("A", "B")
	d := c.Draft()
	d.Put("a.go", stamp("1"), f, chunks)
	commit(t, j, d)
	_, got, err := catalog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	e := got.Entry("a.go")
	if e == nil || got.Revision != 2 || !got.Updated.Equal(noon()) || got.Store != c.Store || e.Hash != stamp("1").Hash || !e.Modified.Equal(noon()) {
		t.Fatalf("got %+v, revision %d", e, got.Revision)
	}
	read, parts, err := e.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f, read); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(chunks, parts); diff != "" {
		t.Error(diff)
	}
	ids := catalog.IDs("a.go", f, chunks)
	if p, ok := got.Find(ids[1]); !ok || p.Chunk != chunks[1] || p.Entry != e {
		t.Errorf("found %+v, %v", p, ok)
	}
	if _, ok := got.Find(hippo.ID{1}); ok {
		t.Error("found a chunk that is not there")
	}
}

// A chunk that is gone is reported once, and a chunk that comes back is not gone.
func TestDraft_gone(t *testing.T) {
	t.Parallel()
	_, j, c := create(t)
	for _, names := range [][]string{{"A", "B"}, {"A"}, {"B", "C"}, nil, {"A"}} {
		d := c.Draft()
		if names == nil {
			d.Delete("a.go")
		} else {
			f, chunks := file(names...)
			d.Put("a.go", stamp(fmt.Sprint(names)), f, chunks)
		}
		before := c.Revision
		c = commit(t, j, d)
		live := make(map[hippo.ID]bool)
		if e := c.Entry("a.go"); e != nil {
			f, chunks, err := e.Read()
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range catalog.IDs("a.go", f, chunks) {
				live[id] = true
			}
		}
		since := c.Since(before)
		if len(since) != 1 || since[0].First != before+1 || since[0].Last() != c.Revision {
			t.Fatalf("%v: %d entries since %d", names, len(since), before)
		}
		for _, id := range since[0].Gone {
			if live[id] {
				t.Errorf("%v: %v is there and gone", names, id)
			}
		}
		if want := 3; names != nil && len(live)+len(since[0].Gone) > want {
			t.Errorf("%v: %d chunks and %d gone", names, len(live), len(since[0].Gone))
		}
	}
}

// TestJournal_cut cuts the file at every byte, as a kill does, and always finds a state that was
// committed; the next update then appends to it.
func TestJournal_cut(t *testing.T) {
	t.Parallel()
	path, j, c := create(t)
	whole := map[hippo.Revision]bool{0: true}
	for i := range 4 {
		f, chunks := file("A", fmt.Sprint("B", i))
		d := c.Draft()
		d.Put(fmt.Sprint(i%2, ".go"), stamp(fmt.Sprint(i)), f, chunks)
		c = commit(t, j, d)
		whole[c.Revision] = true
	}
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head := bytes.IndexByte(all, '\n') + 1 + 32
	for n := range all {
		if err := os.WriteFile(path, all[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		j, c, err := catalog.Open(path)
		if n < head {
			if !errors.Is(err, hippo.ErrCorrupt) {
				t.Fatalf("%d bytes: %v", n, err)
			}
			continue
		}
		if err != nil || !whole[c.Revision] {
			t.Fatalf("%d bytes: revision %d, %v", n, c.Revision, err)
		}
		f, chunks := file("Z")
		d := c.Draft()
		d.Put("z.go", stamp("z"), f, chunks)
		next := commit(t, j, d)
		_, again, err := catalog.Open(path)
		if err != nil || again.Revision != next.Revision || again.Entry("z.go") == nil || j.Changed() {
			t.Fatalf("%d bytes: after an update revision %d, %v", n, again.Revision, err)
		}
	}
}

// A new time of a file costs some bytes, not its record, and is read again.
func TestDraft_Touch(t *testing.T) {
	t.Parallel()
	path, j, c := create(t)
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprint("Name", i))
	}
	f, chunks := file(names...)
	d := c.Draft()
	d.Put("a.go", stamp("1"), f, chunks)
	c = commit(t, j, d)
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	for i := range 10 {
		s := stamp("1")
		s.Modified = noon().Add(time.Duration(i) * time.Hour)
		d = c.Draft()
		d.Touch(c.Entry("a.go"), s)
		c = commit(t, j, d)
	}
	if grown := size() - before; grown > 1000 {
		t.Errorf("10 times take %d bytes", grown)
	}
	_, read, err := catalog.Open(path)
	if err != nil || !read.Entry("a.go").Modified.Equal(noon().Add(9*time.Hour)) || read.Entry("a.go").Symbols != 100 || read.Revision != c.Revision {
		t.Errorf("%+v, %v", read.Entry("a.go"), err)
	}
}

// A file that was written again and again is worn, and its compacted copy is not.
func TestJournal_Worn(t *testing.T) {
	t.Parallel()
	path, j, c := create(t)
	var names []string
	for i := range 2000 {
		names = append(names, fmt.Sprint("Name", i))
	}
	f, chunks := file(names...)
	for i := 0; !j.Worn(c); i++ {
		if i == 1000 {
			t.Fatal("it is never worn")
		}
		d := c.Draft()
		d.Put("a.go", stamp(fmt.Sprint(i)), f, chunks)
		c = commit(t, j, d)
	}
	compact, err := catalog.Compact(c, path+"2")
	if err != nil || compact.Worn(c) {
		t.Errorf("worn when it was compacted: %v", err)
	}
}

// A frame that is damaged is reported, and so is a file that was cut within an update, wherever that is, until the next update.
func TestJournal_damaged(t *testing.T) {
	t.Parallel()
	path, j, c := create(t)
	var ends []int
	for i := range 3 {
		f, chunks := file("A")
		d := c.Draft()
		d.Put(fmt.Sprint(i, ".go"), stamp("1"), f, chunks)
		c = commit(t, j, d)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, int(info.Size()))
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		flip int // the byte that is changed
		want int
	}{{ends[0] + 20, ends[0]}, {len(whole) - 1, ends[1]}} {
		b := slices.Clone(whole)
		b[test.flip] ^= 1
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if j, _, err := catalog.Open(path); err != nil || j.Damaged() != int64(test.want) {
			t.Errorf("byte %d: damaged at %d, %v, want %d", test.flip, j.Damaged(), err, test.want)
		}
	}
	for size := ends[0]; size <= len(whole); size++ {
		if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		want := int64(0)
		if !slices.Contains(ends, size) {
			i, _ := slices.BinarySearch(ends, size)
			want = int64(ends[i-1])
		}
		j, c, err := catalog.Open(path)
		if err != nil || j.Damaged() != want {
			t.Fatalf("cut to %d bytes: damaged at %d, %v, want %d", size, j.Damaged(), err, want)
		}
		if size%16 > 0 {
			continue
		}
		commit(t, j, c.Draft())
		if again, _, err := catalog.Open(path); err != nil || j.Damaged() != 0 || again.Damaged() != 0 {
			t.Fatalf("cut to %d bytes, after an update: damaged at %d, %v", size, again.Damaged(), err)
		}
	}
}

// Any sequence of updates gives the same state in memory, from the file, and compacted.
func TestJournal_random(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		path := filepath.Join(dir, "catalog")
		j, c, err := catalog.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		want := make(map[string]string)
		for range rapid.IntRange(1, 12).Draw(t, "updates") {
			d := c.Draft()
			touched := make(map[string]bool)
			for range rapid.IntRange(0, 3).Draw(t, "files") {
				name := rapid.SampledFrom([]string{"a", "b", "c", "dir/d"}).Draw(t, "name")
				if touched[name] {
					continue
				}
				touched[name] = true
				switch text := rapid.SampledFrom([]string{"", "1", "2", "3"}).Draw(t, "text"); {
				case text == "":
					d.Delete(name)
					delete(want, name)
				case want[name] == text:
					d.Touch(c.Entry(name), stamp(text))
				default:
					f, chunks := file(text, "common")
					d.Put(name, stamp(text), f, chunks)
					want[name] = text
				}
			}
			if c, err = j.Commit(d, noon()); err != nil {
				t.Fatal(err)
			}
		}
		_, read, err := catalog.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := catalog.Compact(c, path+"2"); err != nil {
			t.Fatal(err)
		}
		_, compact, err := catalog.Open(path + "2")
		if err != nil {
			t.Fatal(err)
		}
		for what, c := range map[string]*catalog.Catalog{"memory": c, "file": read, "compacted": compact} {
			got := make(map[string]string)
			for _, e := range c.Entries() {
				f, _, err := e.Read()
				if err != nil {
					t.Fatal(err)
				}
				got[e.Path] = f.Symbols[0].Name
			}
			if !maps.Equal(got, want) || c.Revision != read.Revision || c.Totals() != read.Totals() {
				t.Fatalf("%s: %v, want %v", what, got, want)
			}
			var last hippo.Revision
			for _, e := range c.Since(0) {
				if e.First <= last {
					t.Fatalf("%s: revisions overlap", what)
				}
				last = e.Last()
			}
		}
	})
}

func FuzzOpen(f *testing.F) {
	path, j, c := create(f)
	s, chunks := file("A", "B")
	d := c.Draft()
	d.Put("a.go", stamp("1"), s, chunks)
	commit(f, j, d)
	b, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "catalog")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		_, c, err := catalog.Open(path)
		if err != nil {
			return
		}
		for _, e := range c.Entries() {
			if f, _, err := e.ReadAll(); err == nil {
				_ = slices.Clone(f.Symbols)
			}
		}
	})
}
