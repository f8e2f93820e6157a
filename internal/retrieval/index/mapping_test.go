package index_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	modelof "github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
)

// fill stores notes of these numbers.
func fill(s *source, from, to int) {
	for n := from; n < to; n++ {
		s.put(note(n, fmt.Sprintf("word number%d and some text", n)))
	}
}

// unmap has the collector find the mappings that nothing refers to, and unmaps them.
func unmap() {
	for range 4 {
		runtime.GC()
		runtime.Gosched()
	}
	released := make(chan struct{})
	runtime.AddCleanup(new([16]byte), func(c chan struct{}) { close(c) }, released) // cleanups run in turn
	for {
		runtime.GC()
		select {
		case <-released:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// Vectors that came after others were saved are read from the file that has the first.
func TestMapping_of_vectors_outlives_additions(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	fill(s, 0, 3000)
	x := open(t, s, &index.Options{Path: filepath.Join(t.TempDir(), "index"), Models: []modelof.Model{whole}, SaveEvery: 1 << 30})
	save(t, x)
	embed(s, x, whole, 2000)
	save(t, x)
	for range 5 {
		embed(s, x, whole, 100)
	}
	unmap()
	got, _ := search(x, query{Text: "word", Vector: vectorOf("q", whole), Model: whole.ID, Nearest: 100, MinCosine: -1})
	if len(got) != 3000 {
		t.Errorf("found %d, want 3000", len(got))
	}
}

// What was read from a file that has been replaced since stays readable.
func TestMapping_outlives_its_file(t *testing.T) {
	t.Parallel()
	for _, models := range [][]modelof.Model{nil, {whole}} {
		s := newSource("s")
		fill(s, 0, 3000)
		path := filepath.Join(t.TempDir(), "index")
		o := &index.Options{Path: path, Models: models, SaveEvery: 1 << 30}
		x := open(t, s, o)
		embed(s, x, whole, 5000)
		save(t, x)
		x = open(t, s, o)
		for i := range 2 { // the second save compares with what the first one read
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			fill(s, 5000+10*i, 5010+10*i)
			catchUp(t, x)
			save(t, x)
			unmap()
		}
		got, _ := search(x, query{Text: "word", Vector: vectorOf("q", whole), Model: whole.ID, Nearest: 100, MinCosine: -1})
		if len(got) != 3020 {
			t.Errorf("%v: found %d, want 3020", models, len(got))
		}
	}
}

// A file that is cut while accesses are pending leaves no lock behind.
func TestFile_cut_with_accesses_pending(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	fill(s, 0, 3000)
	path := filepath.Join(t.TempDir(), "index")
	x := open(t, s, &index.Options{Path: path, SaveEvery: 1 << 30})
	save(t, x)
	x.Touch([]hippo.ID{id(3), id(99)}, 3)
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	_ = x.Guard(func() error { search(x, query{Text: "word"}); return nil }) // whether it meets the damage depends on the system
	catchUp(t, x)
	if got, _ := search(x, query{Text: "word"}); len(got) != 3000 {
		t.Errorf("found %d, want 3000", len(got))
	}
}

// A model that joins while segments are merged has a place in all of them.
func TestVectors_Keep_during_a_merge(t *testing.T) {
	t.Parallel()
	rounds, n := 20, 1500
	if testing.Short() {
		rounds, n = 3, 500
	}
	for round := range rounds {
		s := newSource("s")
		x := open(t, s, &index.Options{SaveEvery: 1 << 30})
		for k := range 5 {
			fill(s, k*n, (k+1)*n)
			catchUp(t, x)
		}
		for range 1000 / rounds * round {
			runtime.Gosched()
		}
		x.Vectors.Keep(whole)
		save(t, x)
		if have, all := x.Vectors.Embedded(nil, whole.ID); have != 0 || all != 5*n {
			t.Fatalf("have %d of %d, want none of %d", have, all, 5*n)
		}
	}
}

// A bug of the program is no damage, also where another process has written to the file since.
func TestGuard_passes_on_other_panics(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	fill(s, 0, 3000)
	path := filepath.Join(t.TempDir(), "index")
	o := &index.Options{Path: path, SaveEvery: 1 << 30}
	x := open(t, s, o)
	save(t, x)
	x = open(t, s, o)
	other := open(t, s, o)
	fill(s, 3000, 3100)
	catchUp(t, other)
	save(t, other)
	defer func() {
		if recover() == nil {
			t.Error("the panic was taken for damage")
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}()
	var none []int
	_ = x.Guard(func() error { _ = none[len(none)]; return nil })
}
