package dirstore

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// vectors are the files of vectors that were read. A file is changed under the
// lock of the directory only; whoever holds mu does not wait for Store.mu.
type vectors struct {
	mu    sync.RWMutex
	files map[string]*vectorFile
}

// close needs that nobody writes.
func (v *vectors) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, f := range v.files {
		f.close()
	}
}

// file returns a file as it is now. It needs v.mu for writing.
func (v *vectors) file(d *disk, name string) (*vectorFile, error) {
	f := v.files[name]
	if f == nil {
		f = &vectorFile{disk: d, name: name}
		if v.files == nil {
			v.files = make(map[string]*vectorFile)
		}
		v.files[name] = f
	}
	return f, f.refresh()
}

// look calls fn with a file as it is now, while nothing changes it.
func (v *vectors) look(d *disk, name string, fn func(*vectorFile) error) error {
	v.mu.RLock()
	if f := v.files[name]; f != nil && !f.moved() {
		defer v.mu.RUnlock()
		return fn(f)
	}
	v.mu.RUnlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	f, err := v.file(d, name)
	if err != nil {
		return err
	}
	return fn(f)
}

// Vectors implements [driver.Vectors]. The first call for a model reads its file
// once; then each vector is one system call.
func (s *Store) Vectors(ctx context.Context, model string, ids []hippo.ID) (found []driver.Vector, err error) {
	if err := s.current(ctx); err != nil {
		return nil, err
	}
	ids = s.existing(ids)
	err = s.vectors.look(s.disk, vectorName(model), func(f *vectorFile) error {
		found, err = f.read(ids)
		return err
	})
	return found, s.orClosed(err)
}

// existing returns those of ids that are memories.
func (s *Store) existing(ids []hippo.ID) []hippo.ID {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.DeleteFunc(slices.Clone(ids), func(id hippo.ID) bool { return s.state.rows[id].memory == nil })
}

// orClosed says why a call failed that Close overtook.
func (s *Store) orClosed(err error) error {
	if err != nil && s.closing.Err() != nil {
		return errClosed()
	}
	return err
}

// PutVectors implements [driver.Vectors]. Cost: the vectors are appended; when
// more than half of a file was replaced or purged, it is written anew.
func (s *Store) PutVectors(ctx context.Context, model string, vs []driver.Vector) error {
	if err := driver.CheckVectors(model, vs); err != nil {
		return err
	}
	return s.changeVectors(ctx, func() error {
		known := s.known(vs)
		s.vectors.mu.Lock()
		defer s.vectors.mu.Unlock()
		f, err := s.vectors.file(s.disk, vectorName(model))
		if err != nil || len(vs) == 0 {
			return err
		}
		return s.putVectors(f, model, len(vs[0].Values), known)
	})
}

// putVectors needs the lock and the mutex of the vectors.
func (s *Store) putVectors(f *vectorFile, model string, dimension int, vs []driver.Vector) error {
	if f.file != nil && len(f.places) > 0 {
		if err := driver.CheckDimension(model, f.dimension, dimension); err != nil {
			return err
		}
	}
	switch {
	case len(vs) == 0:
		return nil
	case f.file == nil || f.dimension != dimension:
		return f.create(model, vs)
	}
	if err := f.append(vs); err != nil {
		return err
	}
	if err := f.compact(); err != nil {
		s.log.Warn("vectors cannot be compacted", "file", s.disk.full(f.name), "error", err)
	}
	return nil
}

// known returns the last one of each memory that exists.
func (s *Store) known(vs []driver.Vector) []driver.Vector {
	last := make(map[hippo.ID]int, len(vs))
	for i, v := range vs {
		last[v.ID] = i
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	known := make([]driver.Vector, 0, len(last))
	for i, v := range vs {
		if last[v.ID] == i && s.state.rows[v.ID].memory != nil {
			known = append(known, v)
		}
	}
	return known
}

// changeVectors runs fn under the lock.
func (s *Store) changeVectors(ctx context.Context, fn func() error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	if s.readOnly != nil {
		return s.readOnly
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return s.orClosed(err)
	}
	defer unlock()
	return s.orClosed(fn())
}

// VectorModels implements [driver.Vectors].
func (s *Store) VectorModels(ctx context.Context) ([]driver.VectorModel, error) {
	if err := s.current(ctx); err != nil {
		return nil, err
	}
	names, err := s.disk.vectorNames()
	if err != nil {
		return nil, s.orClosed(err)
	}
	var list []driver.VectorModel
	for _, name := range names {
		var ids []hippo.ID
		m := driver.VectorModel{}
		err := s.vectors.look(s.disk, name, func(f *vectorFile) error {
			m.Name, m.Dimension = f.model, f.dimension
			ids = slices.Collect(maps.Keys(f.places))
			return nil
		})
		if err != nil {
			return nil, s.orClosed(err)
		}
		if m.Count = len(s.existing(ids)); m.Count > 0 {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b driver.VectorModel) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// DropVectors implements [driver.Vectors].
func (s *Store) DropVectors(ctx context.Context, model string) error {
	return s.changeVectors(ctx, func() error {
		s.vectors.mu.Lock()
		defer s.vectors.mu.Unlock()
		f, err := s.vectors.file(s.disk, vectorName(model))
		return errors.Join(err, f.remove())
	})
}

// purgeVectors removes what all models have of these memories, before they are
// purged: a vector that is lost is made again, one that is left could be taken
// for that of another memory. A file that cannot be written is deleted, which
// also makes room on a full disk. It needs the lock.
func (s *Store) purgeVectors(ids []hippo.ID) error {
	if len(ids) == 0 {
		return nil
	}
	names, err := s.disk.vectorNames()
	if err != nil {
		return err
	}
	s.vectors.mu.Lock()
	defer s.vectors.mu.Unlock()
	for _, name := range names {
		f, err := s.vectors.file(s.disk, name)
		if err == nil {
			err = f.purge(ids)
		}
		if err != nil {
			s.log.Warn("vectors removed, because those of purged memories cannot be", "file", s.disk.full(name), "error", err)
			if err := f.remove(); err != nil {
				return err
			}
		}
	}
	return nil
}

// purge needs the lock.
func (f *vectorFile) purge(ids []hippo.ID) error {
	var drops []driver.Vector
	for _, id := range ids {
		if _, ok := f.places[id]; ok {
			drops = append(drops, driver.Vector{ID: id})
		}
	}
	if len(drops) == 0 {
		return nil
	}
	if err := f.append(drops); err != nil {
		return err
	}
	return f.compact()
}

// vectorNames lists the files of vectors.
func (d *disk) vectorNames() ([]string, error) {
	f, err := d.root.Open(stateDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, d.failed("read", stateDir, err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	all, err := f.ReadDir(-1)
	if err != nil {
		return nil, d.failed("read", stateDir, err)
	}
	var names []string
	for _, e := range all {
		if strings.HasPrefix(e.Name(), vectorPrefix) {
			names = append(names, stateDir+"/"+e.Name())
		}
	}
	return names, nil
}
