package dirstore_test

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// vector is of memory n; round varies it.
func vector(n, dimension, round int) driver.Vector {
	v := driver.Vector{ID: id(n), Text: uint64(round), Values: make([]float32, dimension)}
	for i := range v.Values {
		v.Values[i] = float32(n) + float32(round)/8 + float32(i)/1024
	}
	return v
}

func putVectors(t testing.TB, s *dirstore.Store, vs ...driver.Vector) {
	t.Helper()
	if err := s.PutVectors(t.Context(), "model", vs); err != nil {
		t.Fatal(err)
	}
}

// vectors returns those of memories 1 to 9 that are there.
func vectors(t testing.TB, s *dirstore.Store) []driver.Vector {
	t.Helper()
	var ids []hippo.ID
	for n := 1; n < 10; n++ {
		ids = append(ids, id(n))
	}
	vs, err := s.Vectors(t.Context(), "model", ids)
	if err != nil {
		t.Fatal(err)
	}
	return append([]driver.Vector(nil), vs...) // nil for none
}

func TestVectors_leave_the_files_of_memories_alone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1), memory(2))
	before := p.read(name(1)) + p.read(name(2))
	putVectors(t, s, vector(1, 4, 0), vector(2, 4, 0))
	putVectors(t, s, vector(1, 4, 1))
	putVectors(t, s, vector(2, 4, 1))
	equal(t, "files", p.read(name(1))+p.read(name(2)), before)
	info, err := os.Stat(p.path(".hippo/derived.db"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("file of vectors: %v, %v", info, err)
	}
}

func TestVectors_may_be_deleted_while_open(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s, other := p.open(), p.open()
	put(t, s, memory(1), memory(2))
	putVectors(t, s, vector(1, 2, 0))
	equal(t, "vectors", vectors(t, other), []driver.Vector{vector(1, 2, 0)})
	p.remove(".hippo")
	equal(t, "deleted vectors", vectors(t, other), []driver.Vector(nil))
	putVectors(t, s, vector(2, 2, 0))
	for _, s := range []*dirstore.Store{s, other, p.open()} {
		equal(t, "new vectors", vectors(t, s), []driver.Vector{vector(2, 2, 0)})
	}
}

// A file that another program deletes is a purged memory.
func TestVectors_go_with_a_deleted_file(t *testing.T) {
	t.Parallel()
	for _, open := range []bool{true, false} {
		p := newPlace(t)
		s := p.open()
		put(t, s, memory(1), memory(2))
		putVectors(t, s, vector(1, 2, 0), vector(2, 2, 0))
		if !open {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		p.remove(name(1))
		if !open {
			s = p.open()
		}
		rescan(t, s)
		missing(t, s, 1)
		put(t, s, memory(1))
		equal(t, "vectors", vectors(t, s), []driver.Vector{vector(2, 2, 0)})
	}
}

func TestVectors_of_a_directory_that_cannot_be_written(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	w := p.open()
	put(t, w, memory(1), memory(2))
	putVectors(t, w, vector(1, 2, 0))
	o := p.options()
	s := p.openWith(o.WithFault(func(op, _ string) error { return syscall.EROFS }))
	equal(t, "vectors", vectors(t, s), []driver.Vector{vector(1, 2, 0)})
	perr := s.PutVectors(t.Context(), "model", []driver.Vector{vector(2, 2, 0)})
	if !errors.Is(perr, hippo.ErrReadOnly) {
		t.Errorf("got error %v", perr)
	}
	ms, err := s.VectorModels(t.Context())
	if err != nil || len(ms) != 1 || ms[0] != (driver.VectorModel{Name: "model", Dimension: 2, Count: 1}) {
		t.Errorf("models %v, %v", ms, err)
	}
}
