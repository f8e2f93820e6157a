package index_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	modelof "github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
)

// What a search keeps to be used again must not hold the snapshot that it was made on: its
// file would stay mapped.
func TestSearch_releases_the_snapshot(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	for n := range 50 {
		s.put(note(n, "some words of a note", "here"))
	}
	x := open(t, s, &index.Options{Path: filepath.Join(t.TempDir(), "i"), Models: []modelof.Model{few}})
	embed(s, x, few, 50)
	if err := x.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	q := query{Text: "some words", Situation: []string{"here"}, Vector: vectorOf("some", few), Model: few.ID, Nearest: 20}
	if list, _ := search(x, q); len(list) != 50 {
		t.Fatalf("found %d notes", len(list))
	}
	alive := index.SegmentAlive(x)
	for n := range 50 {
		s.put(note(n, "other words of a note"))
	}
	catchUp(t, x)
	if err := x.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.GC()
	if alive() {
		t.Error("a segment is in memory after another has taken its place")
	}
}

// An index counts what it has in memory, which is less once its file is mapped, and grows with its words.
func TestResident(t *testing.T) {
	t.Parallel()
	size := func(text func(n int) string) (before, after int64) {
		s := newSource("s")
		for n := range 200 {
			s.put(note(n, text(n)))
		}
		x := open(t, s, &index.Options{Path: filepath.Join(t.TempDir(), "i")})
		catchUp(t, x)
		before = x.Resident()
		if err := x.Save(t.Context()); err != nil {
			t.Fatal(err)
		}
		return before, x.Resident()
	}
	before, after := size(func(int) string { return "the same few words" })
	_, more := size(func(n int) string { return fmt.Sprintf("word%d and%d another%d", n, n, n) })
	if before-after < 200*2048 || more-after < 500*16 {
		t.Errorf("200 notes take %d bytes, mapped %d, with other words each %d", before, after, more)
	}
}
