package hub

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hippo-memory/hippo"
)

// State says how much of a model is here.
type State string

const (
	// Here is a whole model.
	Here State = "here"
	// Absent is a model of which there is nothing.
	Absent State = "absent"
	// Partial is a model whose download is not finished, or is under way.
	Partial State = "partial"
	// Damaged is a model whose folder is not what was downloaded.
	Damaged State = "damaged"
)

// Entry is a model and what of it is here.
type Entry struct {
	Spec
	// State says how much of it is here.
	State State
	// Dir is its folder, whether it exists or not; empty for [Builtin].
	Dir string
	// Bytes is what it takes on the disk, unfinished downloads and other
	// revisions included.
	Bytes int64
	// Problem is what is wrong with a model that is [Damaged].
	Problem error
}

// List returns all models known by name. Files that come and go meanwhile are no
// error. Cost: the names and sizes of all files.
func (c *Cache) List() ([]Entry, error) {
	entries := make([]Entry, 0, len(c.specs))
	for _, s := range c.specs {
		e, err := c.entry(s)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func (c *Cache) entry(s Spec) (Entry, error) {
	e := Entry{Spec: s, State: Here}
	if s.ID == Builtin {
		return e, nil
	}
	e.Dir = c.folder(s)
	l, err := c.resolve(s)
	switch {
	case err == nil:
		e.Spec = l.Spec
	case !errors.Is(err, hippo.ErrUnavailable):
		e.State, e.Problem = Damaged, err
	default:
		e.State = Absent
		if _, err := os.Lstat(c.downloading(s)); err == nil {
			e.State = Partial
		}
	}
	e.Bytes, err = usage(c.home(s))
	return e, err
}

// usage sums the sizes of the files below dir.
func usage(dir string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				sum += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return sum, diskError(err)
}
