package drivertest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func vectorChecks() []check {
	return []check{
		{"come_back_bit_by_bit", vectorBits},
		{"in_the_order_of_the_ids", vectorOrder},
		{"a_later_one_replaces", vectorReplace},
		{"of_one_memory_the_last_counts", vectorTwice},
		{"models_are_apart", vectorsOfModels},
		{"model_names_are_any_text", vectorNames},
		{"models_are_listed_with_counts", vectorModels},
		{"what_breaks_a_limit_is_refused", vectorLimits},
		{"a_model_has_one_dimension", vectorDimension},
		{"unknown_memories_are_left_out", vectorUnknown},
		{"thousands_at_once", vectorMany},
		{"what_is_put_is_copied", vectorOwnPut},
		{"what_is_returned_is_the_callers", vectorOwnGet},
	}
}

// vector returns a vector of memory n, which v varies.
func vector(n, dimension, v int) driver.Vector {
	values := make([]float32, dimension)
	for i := range values {
		values[i] = float32(math.Sin(float64(n*7919 + v*104729 + i)))
	}
	return driver.Vector{ID: id(n), Text: uint64(n)<<56 | uint64(v), Values: values}
}

// vectors returns those of memories from to to-1.
func vectors(from, to, dimension, v int) []driver.Vector {
	var vs []driver.Vector
	for n := from; n < to; n++ {
		vs = append(vs, vector(n, dimension, v))
	}
	return vs
}

func putVectors(t testing.TB, b driver.Backend, model string, vs ...driver.Vector) {
	t.Helper()
	if err := b.PutVectors(t.Context(), model, vs); err != nil {
		t.Fatalf("put vectors: %v", err)
	}
}

func findVectors(t testing.TB, b driver.Backend, model string, ids ...hippo.ID) []driver.Vector {
	t.Helper()
	vs, err := b.Vectors(t.Context(), model, ids)
	if err != nil {
		t.Fatalf("vectors: %v", err)
	}
	return vs
}

func models(t testing.TB, b driver.Backend) []driver.VectorModel {
	t.Helper()
	ms, err := b.VectorModels(t.Context())
	if err != nil {
		t.Fatalf("vector models: %v", err)
	}
	return ms
}

// diffVectors compares the bits of the numbers.
func diffVectors(got, want []driver.Vector) string {
	if len(got) != len(want) {
		return fmt.Sprintf("length is %d, want %d", len(got), len(want))
	}
	for i, w := range want {
		if g := got[i]; g.ID != w.ID || g.Text != w.Text || !slices.Equal(bits(g.Values), bits(w.Values)) {
			return fmt.Sprintf("element %d is the first of %d that differs: %+v, want %+v", i, len(got), g, w)
		}
	}
	return ""
}

func bits(values []float32) []uint32 {
	list := make([]uint32, len(values))
	for i, f := range values {
		list[i] = math.Float32bits(f)
	}
	return list
}

func sameVectors(t testing.TB, what string, got, want []driver.Vector) {
	t.Helper()
	if d := diffVectors(got, want); d != "" {
		t.Errorf("%s: %s", what, d)
	}
}

func vectorBits(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	odd := []float32{
		0, float32(math.Copysign(0, -1)), 1, -1, math.MaxFloat32, -math.MaxFloat32,
		math.SmallestNonzeroFloat32, 1e-40, 1.0 / 3, math.Pi,
	}
	want := []driver.Vector{
		{ID: id(0), Text: 0, Values: odd},
		{ID: id(1), Text: math.MaxUint64, Values: make([]float32, len(odd))},
		{ID: id(2), Text: 1 << 63, Values: slices.Repeat([]float32{-0.1}, len(odd))},
	}
	putVectors(t, b, "model", want...)
	sameVectors(t, "vectors", findVectors(t, b, "model", idRange(3)...), want)
	for _, dimension := range []int{1, 2, 384, driver.MaxDimension} {
		model := fmt.Sprintf("model of %d", dimension)
		want := vectors(0, 3, dimension, 1)
		putVectors(t, b, model, want...)
		sameVectors(t, model, findVectors(t, b, model, idRange(3)...), want)
	}
}

func vectorOrder(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 20)...)
	if vs := findVectors(t, b, "model", idRange(20)...); len(vs) != 0 {
		t.Errorf("there are vectors that nobody put: %v", vs)
	}
	putVectors(t, b, "model", vectors(0, 15, 3, 0)...)
	got := findVectors(t, b, "model", id(7), id(99), id(3), id(17), id(14), id(3), id(0))
	sameVectors(t, "vectors", got, []driver.Vector{
		vector(7, 3, 0), vector(3, 3, 0), vector(14, 3, 0), vector(3, 3, 0), vector(0, 3, 0),
	})
	if vs := findVectors(t, b, "model"); len(vs) != 0 {
		t.Errorf("no ids are answered with %v", vs)
	}
	putVectors(t, b, "model") // none
}

func vectorReplace(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 4)...)
	putVectors(t, b, "model", vectors(0, 3, 4, 0)...)
	putVectors(t, b, "model", vector(3, 4, 1), vector(1, 4, 1))
	sameVectors(t, "vectors", findVectors(t, b, "model", idRange(4)...),
		[]driver.Vector{vector(0, 4, 0), vector(1, 4, 1), vector(2, 4, 0), vector(3, 4, 1)})
	same(t, "models", models(t, b), []driver.VectorModel{{Name: "model", Dimension: 4, Count: 4}})
}

func vectorTwice(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plain(1), plain(2))
	putVectors(t, b, "model", vector(1, 2, 0), vector(2, 2, 0), vector(1, 2, 1), vector(1, 2, 2))
	sameVectors(t, "vectors", findVectors(t, b, "model", id(1), id(2)), []driver.Vector{vector(1, 2, 2), vector(2, 2, 0)})
}

func vectorsOfModels(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	putVectors(t, b, "b", vectors(0, 3, 2, 0)...)
	putVectors(t, b, "a", vectors(1, 3, 5, 1)...)
	putVectors(t, b, "b", vector(1, 2, 2))
	sameVectors(t, "a", findVectors(t, b, "a", idRange(3)...), vectors(1, 3, 5, 1))
	sameVectors(t, "b", findVectors(t, b, "b", idRange(3)...),
		[]driver.Vector{vector(0, 2, 0), vector(1, 2, 2), vector(2, 2, 0)})
	if vs := findVectors(t, b, "c", idRange(3)...); len(vs) != 0 {
		t.Errorf("an unknown model has %v", vs)
	}
}

func vectorNames(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plain(0))
	names := []string{
		"minilm", "MiniLM", "a/b@1", "../x", "C:\\con", " ", "ü🦛", "a'b\"c%_?*", "line\nbreak\x00zero",
		strings.Repeat("n", driver.MaxModelName),
	}
	slices.Sort(names)
	var want []driver.VectorModel
	for i, name := range names {
		putVectors(t, b, name, vector(0, i+1, i))
		want = append(want, driver.VectorModel{Name: name, Dimension: i + 1, Count: 1})
	}
	same(t, "models", models(t, b), want)
	for i, name := range names {
		sameVectors(t, name, findVectors(t, b, name, id(0)), []driver.Vector{vector(0, i+1, i)})
	}
}

func vectorModels(t *testing.T, h Harness) {
	b := h.fresh(t)
	if ms := models(t, b); len(ms) != 0 {
		t.Errorf("an empty store has models %v", ms)
	}
	put(t, b, plains(0, 5)...)
	putVectors(t, b, "two", vectors(0, 2, 2, 0)...)
	putVectors(t, b, "one", vector(3, 7, 0))
	putVectors(t, b, "none", vector(99, 7, 0)) // of an unknown memory
	same(t, "models", models(t, b), []driver.VectorModel{{Name: "one", Dimension: 7, Count: 1}, {Name: "two", Dimension: 2, Count: 2}})
	purge(t, b, id(3), id(0))
	same(t, "models after a purge", models(t, b), []driver.VectorModel{{Name: "two", Dimension: 2, Count: 1}})
}

// vectorLimits also checks that a put is all or nothing.
func vectorLimits(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	putVectors(t, b, "model", vector(0, 2, 0))
	for name, bad := range map[string]driver.Vector{
		"no values": {ID: id(2)},
		"too many":  {ID: id(2), Values: make([]float32, driver.MaxDimension+1)},
		"infinite":  {ID: id(2), Values: []float32{1, float32(math.Inf(1))}},
		"minus":     {ID: id(2), Values: []float32{float32(math.Inf(-1)), 1}},
		"no number": {ID: id(2), Values: []float32{float32(math.NaN()), 1}},
		"longer":    {ID: id(2), Values: []float32{1, 2, 3}},
	} {
		for _, vs := range [][]driver.Vector{{vector(0, 2, 1), vector(1, 2, 1), bad}, {bad, vector(0, 2, 1)}} {
			if err := b.PutVectors(t.Context(), "model", vs); !errors.Is(err, hippo.ErrInvalid) {
				t.Errorf("%s: put returned %v", name, err)
			}
		}
	}
	for _, model := range []string{"", strings.Repeat("n", driver.MaxModelName+1), "\xff"} {
		if err := b.PutVectors(t.Context(), model, vectors(0, 1, 2, 0)); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("model %q: put returned %v", model, err)
		}
		if vs := findVectors(t, b, model, id(0)); len(vs) != 0 {
			t.Errorf("model %q has %v", model, vs)
		}
	}
	sameVectors(t, "vectors", findVectors(t, b, "model", idRange(3)...), vectors(0, 1, 2, 0))
	same(t, "models", models(t, b), []driver.VectorModel{{Name: "model", Dimension: 2, Count: 1}})
}

func vectorDimension(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	putVectors(t, b, "model", vectors(0, 2, 384, 0)...)
	for _, vs := range [][]driver.Vector{vectors(2, 3, 768, 1), vectors(0, 2, 768, 1), vectors(99, 100, 768, 0)} {
		err := b.PutVectors(t.Context(), "model", vs)
		if !errors.Is(err, hippo.ErrInvalid) || !strings.Contains(err.Error(), "384") || !strings.Contains(err.Error(), "768") {
			t.Errorf("put returned %v, want invalid with both dimensions", err)
		}
	}
	sameVectors(t, "vectors", findVectors(t, b, "model", idRange(3)...), vectors(0, 2, 384, 0))
	purge(t, b, id(0), id(1))
	putVectors(t, b, "model", vector(2, 768, 1)) // no others are left
	sameVectors(t, "vectors", findVectors(t, b, "model", idRange(3)...), vectors(2, 3, 768, 1))
}

func vectorUnknown(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plain(0), plain(1), plain(3))
	purge(t, b, id(1))
	putVectors(t, b, "model", vectors(0, 4, 3, 0)...)
	sameVectors(t, "vectors", findVectors(t, b, "model", idRange(4)...), []driver.Vector{vector(0, 3, 0), vector(3, 3, 0)})
	put(t, b, plain(1), plain(2))
	sameVectors(t, "vectors of memories put later", findVectors(t, b, "model", id(1), id(2)), nil)
}

func vectorMany(t *testing.T, h Harness) {
	b := h.fresh(t)
	n := many(1500, 400)
	put(t, b, plains(0, n)...)
	want := vectors(0, n, 24, 0)
	putVectors(t, b, "model", want...)
	sameVectors(t, "vectors", findVectors(t, b, "model", idRange(n)...), want)
	purge(t, b, idRange(n-10)...)
	sameVectors(t, "vectors left", findVectors(t, b, "model", idRange(n)...), want[n-10:])
}

func vectorOwnPut(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plain(1))
	v := vector(1, 3, 0)
	putVectors(t, b, "model", v)
	v.Values[0] = 99
	sameVectors(t, "stored vector", findVectors(t, b, "model", id(1)), vectors(1, 2, 3, 0))
}

func vectorOwnGet(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plain(1))
	putVectors(t, b, "model", vector(1, 3, 0))
	got := findVectors(t, b, "model", id(1), id(1))
	if len(got) != 2 {
		t.Fatalf("an id given twice is answered with %v", got)
	}
	got[0].Values[0] = 99
	sameVectors(t, "the other answer", got[1:], vectors(1, 2, 3, 0))
	sameVectors(t, "a later answer", findVectors(t, b, "model", id(1)), vectors(1, 2, 3, 0))
}
