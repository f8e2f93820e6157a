package index_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"testing"
	"time"

	modelof "github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
)

// Vectors that come while the index merges are those of the right memories.
func TestVectors_during_a_merge(t *testing.T) {
	t.Parallel()
	const n = 4000 // enough for a merge in the background
	s := newSource("s")
	for i := range n {
		s.put(note(i, fmt.Sprint("word", i)))
	}
	values := make(map[string][]float32)
	for _, m := range s.live() {
		values[m.Content] = vectorOf(m.Content, few)
	}
	tries := 30
	if testing.Short() {
		tries = 8
	}
	for try := range tries {
		x := open(t, s, &index.Options{Models: []modelof.Model{few}}) // a merge begins
		<-time.After(time.Duration(try) * 200 * time.Microsecond)     // at another point of it each time
		var list []index.Vector
		for _, id := range x.Vectors.Unembedded(few.ID, n) {
			m := s.get(id)
			list = append(list, index.Vector{ID: id, Text: index.TextKey(m), Values: values[m.Content]})
		}
		x.Vectors.Set(few.ID, list)
		if err := x.Save(t.Context()); err != nil { // after the merge
			t.Fatal(err)
		}
		q := vectorOf("q", few)
		found, _ := search(x, query{Text: "unknown", Vector: q, Model: few.ID, Nearest: n, MinCosine: -1})
		wrong := 0
		for _, f := range found {
			want := 0.0
			for i, v := range values[s.get(f.ID).Content] {
				want += float64(v) * float64(q[i])
			}
			if math.Abs(f.Exact-max(0, want)) > 1e-3 {
				wrong++
			}
		}
		if wrong > 0 || len(found) != n {
			t.Fatalf("try %d: %d of %d memories have the vector of another", try, wrong, len(found))
		}
	}
}

// Vectors that come while the file is written do not get into it by half.
func TestSave_WhileVectorsCome(t *testing.T) {
	t.Parallel()
	for range 10 {
		saveWhileVectorsCome(t, 1500)
	}
}

func saveWhileVectorsCome(t *testing.T, n int) {
	t.Helper()
	s := newSource("s")
	for i := range n {
		s.put(note(i, fmt.Sprint("word", i)))
	}
	var log bytes.Buffer
	o := &index.Options{Path: filepath.Join(t.TempDir(), "index"), SaveEvery: 10, Log: slog.New(slog.NewTextHandler(&log, nil)), Models: []modelof.Model{few}}
	x := open(t, s, o) // saves in the background, again and again
	for embed(s, x, few, 16) > 0 {
	}
	if err := x.Save(t.Context()); err != nil {
		t.Error(err)
	}
	if log.Len() > 0 {
		t.Errorf("got log %s", log.String())
	}
	y := open(t, s, o)
	q := vectorOf("q", few)
	found, _ := search(y, query{Text: "unknown", Vector: q, Model: few.ID, Nearest: n, MinCosine: -1})
	if len(found) != n {
		t.Errorf("found %d of %d", len(found), n)
	}
	for _, f := range found {
		want := 0.0
		for i, v := range vectorOf(s.get(f.ID).Content, few) {
			want += float64(v) * float64(q[i])
		}
		if math.Abs(f.Exact-max(0, want)) > 1e-3 {
			t.Fatalf("memory %v: cosine %v, want %v", f.ID, f.Exact, want)
		}
	}
}
