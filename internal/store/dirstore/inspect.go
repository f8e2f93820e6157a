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
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// inspection is what was found at the path of one memory file.
type inspection struct {
	name   string
	stamp  stamp
	recent bool
	sum    sum
	// missing: there is no regular file. same: the content is the known one.
	missing, same bool
	err           error
	// broken: the content is invalid; else err may be temporary.
	broken  bool
	memory  *hippo.Memory
	oldKeys bool // the content has only the keys of the first Hippo program
}

// parallel calls fn with 0 to n-1, two at a time on each processor.
func parallel(n int, fn func(i int)) {
	workers := min(n, 2*runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				fn(i)
			}
		})
	}
	wg.Wait()
}

// listFiles returns the stamps of the regular files that this program reads. It reads names
// only, and stats the files in parallel: an [os.Root] stats the entries one by one.
func listFiles(d *directory) (map[string]stamp, error) {
	f, err := d.root().Open(".")
	if err != nil {
		return nil, d.failed("read", ".", err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, d.failed("read", ".", err)
	}
	if i, err := d.root().Lstat(historyDir); err == nil && i.IsDir() {
		past, err := d.list(historyDir)
		if err != nil {
			return nil, err
		}
		for _, e := range past {
			names = append(names, historyDir+"/"+e.Name())
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !managed(name) })
	stamps := make([]stamp, len(names))
	parallel(len(names), func(i int) {
		if st, err := d.stat(names[i]); err == nil {
			stamps[i] = st
		}
	})
	found := make(map[string]stamp, len(names))
	for i, name := range names {
		if stamps[i] != (stamp{}) { // else it is no regular file, or was removed just now
			found[name] = stamps[i]
		}
	}
	return found, nil
}

// unchanged reports whether a file with this stamp is certain to have the content of its entry.
func (e *entry) unchanged(st stamp) bool { return e.fault == "" && !e.recent && e.stamp == st }

// inspect compares a file with its entry. If the stamp is unchanged the content is read only if
// ignoreStamp is true.
func inspect(s *synchronizer, name string, known entry, ignoreStamp bool) inspection {
	v := inspection{name: name}
	if !ignoreStamp {
		if st, err := s.dir.stat(name); err == nil && known.unchanged(st) {
			v.stamp, v.same = st, true
			return v
		}
	}
	b, st, err := s.dir.read(name, maxFile)
	v.stamp, v.recent = st, st.recent(s.now())
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errIrregular) {
		v.missing = true
		return v
	}
	if err != nil {
		v.err, v.broken = err, errors.Is(err, hippo.ErrInvalid)
		return v
	}
	v.sum = sha256.Sum256(b)
	if known.name != "" && known.fault == "" && v.sum == known.sum {
		v.same = true
		return v
	}
	v.memory, err = formats.DecodeInsight(b)
	if err != nil {
		v.err, v.broken = err, true
		return v
	}
	// Only an object without this key, which most have, is parsed again.
	v.oldKeys = !bytes.Contains(b, []byte(`"importance_set_day"`)) && formats.OnlyLegacyKeys(b)
	return v
}
