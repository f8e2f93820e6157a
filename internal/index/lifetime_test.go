package index_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hippo-memory/hippo/internal/index"
)

// What a search kept to be used again must not hold the base that it was made on: its
// file would stay mapped.
func TestView_lets_go_of_the_base(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	for n := range 50 {
		s.put(note(n, "some words of a note", "here"))
	}
	x := open(t, s, &index.Options{SnapshotPath: filepath.Join(t.TempDir(), "i")})
	x.Embed(few)
	embed(s, x, few, 50)
	if err := x.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	q := index.Query{Text: "some words", Situation: []string{"here"}, Vector: vectorOf("some", few), Model: few.ID, Nearest: 20}
	if list, _ := search(x, q); len(list) != 50 {
		t.Fatalf("found %d notes", len(list))
	}
	alive := x.BaseAlive()
	s.put(note(50, "one note more"))
	catchUp(t, x)
	if err := x.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.GC()
	if alive() {
		t.Error("the base is in memory after another has taken its place")
	}
}
