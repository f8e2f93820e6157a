package index_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hippo-memory/hippo"
	modelof "github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
)

// stored returns a function that has the vectors of all memories but some: one for each memory with an even number, two
// for one with an odd number.
func stored(leftOut func(m *hippo.Memory) bool) func(context.Context, []modelof.Model, []*hippo.Memory) ([][][]float32, error) {
	return func(_ context.Context, models []modelof.Model, ms []*hippo.Memory) ([][][]float32, error) {
		out := make([][][]float32, len(models))
		for k, m := range models {
			out[k] = make([][]float32, len(ms))
			for i, memory := range ms {
				if leftOut(memory) {
					continue
				}
				out[k][i] = vectorOf(memory.Content, m)
				if memory.ID[15]%2 == 1 {
					out[k][i] = append(out[k][i], vectorOf(memory.Content+" more", m)...)
				}
			}
		}
		return out, nil
	}
}

// cosines returns what a query finds by the vectors of a model.
func cosines(x *index.Index, m modelof.Model) map[hippo.ID]float64 {
	list, _ := search(x, query{Text: "unknown", Vector: vectorOf("query", m), Model: m.ID, Nearest: 100_000, MinCosine: -1})
	out := make(map[hippo.ID]float64)
	for _, f := range list {
		out[f.ID] = f.Exact
	}
	return out
}

// An index that takes stored vectors while it is built has those that it would have been given later.
func TestStored(t *testing.T) {
	t.Parallel()
	for _, n := range []int{64, 700, 5000} {
		for name, leftOut := range map[string]func(m *hippo.Memory) bool{
			"all":  func(*hippo.Memory) bool { return false },
			"some": func(m *hippo.Memory) bool { return m.ID[15]%5 == 0 },
			"late": func(m *hippo.Memory) bool { return m.ID.Compare(id(600)) < 0 },
		} {
			t.Run(fmt.Sprint(n, " ", name), func(t *testing.T) {
				t.Parallel()
				s := newSource("s")
				for i := range n {
					s.put(note(i, fmt.Sprintf("note %d", i)))
				}
				models, get := []modelof.Model{whole, few}, stored(leftOut)
				later, atOnce := open(t, s, &index.Options{Models: models}), open(t, s, &index.Options{Path: filepath.Join(t.TempDir(), "index"), Models: models, Stored: get})
				for _, m := range models {
					var list []index.Vector
					for _, memory := range s.live() {
						if values, _ := get(t.Context(), []modelof.Model{m}, []*hippo.Memory{memory}); values[0][0] != nil {
							list = append(list, index.Vector{ID: memory.ID, Text: index.TextKey(memory), Values: values[0][0]})
						}
					}
					later.Vectors.Set(m.ID, list)
				}
				save(t, atOnce)
				for _, m := range models {
					if got, want := cosines(atOnce, m), cosines(later, m); !maps.Equal(got, want) {
						t.Errorf("%s: %d are found, want %d, each with the same cosine", m.ID, len(got), len(want))
					}
				}
			})
		}
	}
}

// Memories that are indexed again keep their vectors, without a second one from the store.
func TestStored_again(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	for i := range 100 {
		s.put(note(i, fmt.Sprintf("note %d", i)))
	}
	x := open(t, s, &index.Options{Models: []modelof.Model{whole}, Stored: stored(func(m *hippo.Memory) bool { return m.ID == id(3) })})
	if embed(s, x, whole, 10) != 1 {
		t.Fatal("want one memory without a vector")
	}
	want := cosines(x, whole)
	for i := range 100 {
		m := note(i, fmt.Sprintf("note %d", i))
		m.Project = "other"
		s.put(m)
	}
	catchUp(t, x)
	if got := cosines(x, whole); !maps.Equal(got, want) || len(want) != 100 {
		t.Errorf("got %d, want the same %d", len(got), len(want))
	}
}

// An index is built without the vectors that a store fails to return, or returns half. Few memories are not looked up.
func TestStored_fails(t *testing.T) {
	t.Parallel()
	calls := 0
	var answer [][]float32
	fails := func(_ context.Context, _ []modelof.Model, ms []*hippo.Memory) ([][][]float32, error) {
		calls++
		if answer == nil {
			return nil, errors.New("gone")
		}
		return [][][]float32{slices.Repeat(answer, len(ms))}, nil
	}
	for name, values := range map[string][][]float32{"error": nil, "half": {make([]float32, whole.Dimension/2)}} {
		s := newSource("s")
		for i := range 100 {
			s.put(note(i, fmt.Sprintf("note %d", i)))
		}
		calls, answer = 0, values
		x := open(t, s, &index.Options{Models: []modelof.Model{whole}, Stored: fails})
		if have, all := x.Vectors.Embedded(nil, whole.ID); have != 0 || all != 100 || calls != 1 {
			t.Errorf("%s: %d of %d have a vector after %d calls, want none of 100 after 1", name, have, all, calls)
		}
		s.put(note(1000, "one more"))
		if catchUp(t, x); calls != 1 {
			t.Errorf("%s: one new memory was looked up", name)
		}
	}
}
