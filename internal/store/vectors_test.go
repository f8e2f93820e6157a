package store_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func TestStore_Vectors(t *testing.T) {
	t.Parallel()
	s := open(t, start())
	m, gone := memory("one"), memory("two")
	add(t, s, m, gone)
	before, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v := driver.Vector{ID: m.ID, Text: 7, Values: []float32{.6, .8}}
	if err := s.Vectors().Put(t.Context(), "model", []driver.Vector{v, {ID: hippo.ID{1}, Values: []float32{1, 0}}}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Vectors().Get(t.Context(), "model", []hippo.ID{gone.ID, m.ID}); err != nil || cmp.Diff([]driver.Vector{v}, got) != "" {
		t.Errorf("got %v (%v), want %v", got, err, v)
	}
	want := []driver.VectorModel{{Name: "model", Dimension: 2, Count: 1}}
	if got, err := s.Vectors().Models(t.Context()); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("got models %v (%v), want %v", got, err, want)
	}
	if after, err := s.Head(t.Context()); err != nil || after != before {
		t.Errorf("head is %+v (%v), was %+v", after, err, before)
	}
}

func TestStore_VectorsErrors(t *testing.T) {
	t.Parallel()
	s := open(t, start())
	m := memory("one")
	add(t, s, m)
	bad := []driver.Vector{{ID: m.ID, Values: []float32{float32(math.NaN())}}}
	if err := s.Vectors().Put(t.Context(), "model", bad); !errors.Is(err, hippo.ErrInvalid) || strings.HasPrefix(err.Error(), "store:") {
		t.Errorf("got %v, want what is wrong with the input", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Vectors().Get(ctx, "model", []hippo.ID{m.ID}); !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "store: vectors: ") {
		t.Errorf("got %v, want canceled with the operation", err)
	}
	if got, err := s.Vectors().Get(ctx, "model", nil); err != nil || got != nil {
		t.Errorf("got %v (%v) for no ids", got, err)
	}
	if err := s.Vectors().Put(ctx, "model", nil); err != nil {
		t.Errorf("no vectors: %v", err)
	}
}
