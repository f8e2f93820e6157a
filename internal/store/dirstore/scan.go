package dirstore

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/formats"
)

// sight is what a look at one file found.
type sight struct {
	name  string
	stamp stamp
	sum   sum
	// gone: there is no regular file. same: the content is the one known.
	gone, same bool
	err        error
	// broken: err is about the content, not about reaching it.
	broken  bool
	memory  *hippo.Memory
	oldKeys bool // the content has only the keys of the first Hippo program
}

// names returns every memory file there is or was.
func (s *Store) names() ([]string, error) {
	names, err := s.disk.list()
	if err != nil {
		return nil, err
	}
	s.mu.RLock()
	for name := range s.state.files {
		names = append(names, name)
	}
	s.mu.RUnlock()
	slices.Sort(names)
	return slices.Compact(names), nil
}

// scan looks at files, on all processors. Unless contents are asked for, a file
// whose size and time are the known ones is taken to be the same.
func (s *Store) scan(names []string, contents bool) []sight {
	sights := make([]sight, len(names))
	known := make([]file, len(names))
	s.mu.RLock()
	for i, name := range names {
		known[i] = s.state.files[name]
	}
	s.mu.RUnlock()
	workers := min(len(names), 2*runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(names); i += workers {
				sights[i] = s.disk.look(names[i], known[i], contents)
			}
		})
	}
	wg.Wait()
	return sights
}

// look compares a file with what is known of it; the zero file is not known.
func (d *disk) look(name string, known file, contents bool) sight {
	v := sight{name: name}
	if !contents && known.err == nil && known.stamp != (stamp{}) {
		if st, err := d.stat(name); err == nil && st == known.stamp {
			v.stamp, v.same = st, true
			return v
		}
	}
	b, st, err := d.read(name)
	v.stamp = st
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errIrregular) {
		v.gone = true
		return v
	}
	if err != nil {
		v.err, v.broken = err, errors.Is(err, hippo.ErrInvalid)
		return v
	}
	v.sum = sha256.Sum256(b)
	if known.err == nil && known.stamp != (stamp{}) && v.sum == known.sum {
		v.same = true
		return v
	}
	v.memory, err = formats.DecodeInsight(b)
	if err != nil {
		v.err, v.broken = err, true
		return v
	}
	// Told by one of our keys: an object that lacks it is looked at closely.
	v.oldKeys = !bytes.Contains(b, []byte(`"importance_set_day"`)) && formats.OnlyLegacyKeys(b)
	return v
}

// changed reports which of these files are not as known, by size and time.
func (s *Store) changed(names []string) []string {
	var list []string
	for _, name := range names {
		st, err := s.disk.stat(name)
		s.mu.RLock()
		f, had := s.state.files[name]
		s.mu.RUnlock()
		if f.err != nil || had != (err == nil) || had && f.stamp != st {
			list = append(list, name)
		}
	}
	return list
}
