package dirstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// vectorFile returns the path of the only file of vectors.
func (p *place) vectorFile() string {
	p.t.Helper()
	list, err := filepath.Glob(p.path(".hippo/vectors-*"))
	if err != nil || len(list) != 1 {
		p.t.Fatalf("files of vectors: %v, %v", list, err)
	}
	return list[0]
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeFile(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestVectors_leave_the_files_of_memories_alone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1), memory(2))
	before := p.read(name(1)) + p.read(name(2))
	putVectors(t, s, vector(1, 4, 0), vector(2, 4, 0))
	putVectors(t, s, vector(1, 4, 1))
	if err := s.DropVectors(t.Context(), "model"); err != nil {
		t.Fatal(err)
	}
	putVectors(t, s, vector(2, 4, 1))
	equal(t, "files", p.read(name(1))+p.read(name(2)), before)
	info, err := os.Stat(p.vectorFile())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("file of vectors: %v, %v", info, err)
	}
}

// A file that ends anywhere holds the writes before that, and can be written.
func TestVectors_torn_end_is_cut(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1), memory(2), memory(3))
	putVectors(t, s, vector(1, 2, 0), vector(2, 2, 0))
	first := len(readFile(t, p.vectorFile()))
	putVectors(t, s, vector(2, 2, 1), vector(3, 2, 1))
	path := p.vectorFile()
	whole := readFile(t, path)
	for size := range len(whole) {
		writeFile(t, path, whole[:size])
		var want []driver.Vector
		if size >= first {
			want = []driver.Vector{vector(1, 2, 0), vector(2, 2, 0)}
		}
		writer, reader := p.open(), p.open()
		equal(t, fmt.Sprintf("vectors in %d bytes", size), vectors(t, reader), want)
		putVectors(t, writer, vector(3, 2, 2))
		want = append(want, vector(3, 2, 2))
		for _, s := range []*dirstore.Store{writer, reader} {
			equal(t, fmt.Sprintf("vectors put behind %d bytes", size), vectors(t, s), want)
		}
	}
}

// A flipped bit costs vectors, never gives wrong ones.
func TestVectors_damage_is_noticed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1), memory(2))
	all := []driver.Vector{vector(1, 2, 0), vector(2, 2, 0)}
	putVectors(t, s, all[0])
	putVectors(t, s, all[1])
	path := p.vectorFile()
	whole := readFile(t, path)
	for i := range whole {
		b := slices.Clone(whole)
		b[i] ^= 0x10
		writeFile(t, path, b)
		got := vectors(t, p.open())
		if len(got) == 2 {
			t.Errorf("byte %d is not checked", i)
		}
		for _, v := range append(got, vectors(t, s)...) { // s knows the places from before
			equal(t, fmt.Sprintf("vector beside the damage at %d", i), []driver.Vector{v}, []driver.Vector{all[v.ID[1]-1]})
		}
	}
	other := p.open()
	for round := range 2 {
		putVectors(t, other, vector(1, 2, round), vector(2, 2, round))
		equal(t, "vectors made again", vectors(t, other), []driver.Vector{vector(1, 2, round), vector(2, 2, round)})
		equal(t, "vectors of the older handle", vectors(t, s), vectors(t, other))
	}
}

func TestVectors_other_files_are_not_read(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1))
	putVectors(t, s, vector(1, 2, 0))
	ours := p.vectorFile()
	b := readFile(t, ours)
	for what, spoil := range map[string]func() error{
		"text":        func() error { return os.WriteFile(ours, []byte("these are no vectors"), 0o600) },
		"another's":   func() error { return os.Rename(ours, strings.TrimSuffix(ours, ours[len(ours)-4:])+"0000") },
		"a directory": func() error { return errors.Join(os.Remove(ours), os.Mkdir(ours, 0o700)) },
		"deleted":     func() error { return os.Remove(ours) },
	} {
		writeFile(t, ours, b)
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*dirstore.Store{s, p.open()} {
			equal(t, what, vectors(t, s), []driver.Vector(nil))
			ms, err := s.VectorModels(t.Context())
			if err != nil || len(ms) != 0 {
				t.Errorf("%s: models %v, %v", what, ms, err)
			}
		}
		if what != "a directory" {
			putVectors(t, s, vector(1, 2, 1))
			equal(t, what, vectors(t, p.open()), []driver.Vector{vector(1, 2, 1)})
		} else if err := os.Remove(ours); err != nil {
			t.Fatal(err)
		}
	}
}

func TestVectors_are_compacted(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s, other := p.open(), p.open()
	put(t, s, memory(1), memory(2), memory(3))
	putVectors(t, s, vector(3, 1000, 0))
	for round := range 100 {
		want := []driver.Vector{vector(1, 1000, round), vector(2, 1000, round), vector(3, 1000, 0)}
		putVectors(t, s, want[:2]...)
		equal(t, "vectors", vectors(t, s), want)
		equal(t, "vectors of the other", vectors(t, other), want)
		s, other = other, s
		if size := len(readFile(t, p.vectorFile())); size > 64<<10+3*4032 {
			t.Fatalf("after %d rounds the file has %d bytes", round, size)
		}
	}
	equal(t, "temporary files", p.leftovers(), []string(nil))
	putVectors(t, s, vector(1, 1000, 0))
	update(t, other, func(tx driver.Tx) error { return tx.Purge(id(1), id(2)) })
	equal(t, "vectors left", vectors(t, p.open()), []driver.Vector{vector(3, 1000, 0)})
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

// Vectors are lost rather than that they outlive a purge, and a full disk does
// not prevent one.
func TestVectors_of_purged_memories_go_whatever_happens(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	f := &failing{op: "append", err: syscall.ENOSPC}
	s := p.openWith(p.options().WithFault(f.fault))
	put(t, s, memory(1), memory(2))
	putVectors(t, s, vector(1, 2, 0), vector(2, 2, 0))
	f.turn(true)
	err := s.PutVectors(t.Context(), "model", []driver.Vector{vector(1, 2, 1)})
	if !errors.Is(err, hippo.ErrFull) || !strings.Contains(err.Error(), p.dir) {
		t.Errorf("put returned %v", err)
	}
	equal(t, "vectors", vectors(t, s), []driver.Vector{vector(1, 2, 0), vector(2, 2, 0)})
	update(t, s, func(tx driver.Tx) error { return tx.Purge(id(1)) })
	f.turn(false)
	put(t, s, memory(1))
	equal(t, "vectors after the purge", vectors(t, s), []driver.Vector(nil))
	putVectors(t, s, vector(1, 2, 3))
	equal(t, "vectors made again", vectors(t, p.open()), []driver.Vector{vector(1, 2, 3)})
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
	derr := s.DropVectors(t.Context(), "model")
	if !errors.Is(perr, hippo.ErrReadOnly) || !errors.Is(derr, hippo.ErrReadOnly) {
		t.Errorf("got errors %v, %v", perr, derr)
	}
	putVectors(t, w, vector(2, 2, 0))
	equal(t, "vectors put by another", vectors(t, s), []driver.Vector{vector(1, 2, 0), vector(2, 2, 0)})
	ms, err := s.VectorModels(t.Context())
	if err != nil || len(ms) != 1 || ms[0] != (driver.VectorModel{Name: "model", Dimension: 2, Count: 2}) {
		t.Errorf("models %v, %v", ms, err)
	}
}

func TestVectors_end_with_the_store(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1))
	putVectors(t, s, vector(1, 2, 0))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, verr := s.Vectors(t.Context(), "model", []hippo.ID{id(1)})
	_, merr := s.VectorModels(t.Context())
	perr := s.PutVectors(t.Context(), "model", []driver.Vector{vector(1, 2, 0)})
	derr := s.DropVectors(t.Context(), "model")
	for _, err := range []error{verr, merr, perr, derr} {
		if !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("got error %v", err)
		}
	}
}
