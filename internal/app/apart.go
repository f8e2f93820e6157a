package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
)

// Apart refuses a path for the output of a command that is a part of a store: its file by any name, a file that lies beside it, or
// anything in the directory of one. The error is [hippo.ErrConflict].
func Apart(s config.Store, path string) error {
	if !s.Files() {
		return nil
	}
	at, in := resolved(path), resolved(s.Path)
	part := at == in || sameFile(path, s.Path)
	if s.Kind == "dir" {
		rel, err := filepath.Rel(in, at)
		part = part || err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	} else {
		part = part || slices.ContainsFunc([]string{"-wal", "-shm", "-owner", "-damaged", "-journal", ".index", ".index.lock", ".embedding.lease", ".consolidation.lease"}, func(suffix string) bool {
			return at == in+suffix || sameFile(path, s.Path+suffix)
		})
	}
	if part {
		return fmt.Errorf("%w: %s is a part of the store %s, which is read: name a file outside of it", hippo.ErrConflict, path, s)
	}
	return nil
}

// Same reports whether two stores are one, also by different names.
func Same(a, b config.Store) bool {
	if !a.Files() || !b.Files() {
		return a.String() == b.String()
	}
	return resolved(a.Path) == resolved(b.Path) || sameFile(a.Path, b.Path)
}

// resolved follows the links of a path, whose end need not exist.
func resolved(path string) string {
	full, err := filepath.EvalSymlinks(path)
	if err == nil {
		return full
	}
	if next, err := os.Readlink(path); err == nil { // a link to what does not exist
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(path), next)
		}
		path = next
	}
	dir := filepath.Dir(path)
	if !errors.Is(err, os.ErrNotExist) || dir == path {
		return filepath.Clean(path)
	}
	return filepath.Join(resolved(dir), filepath.Base(path))
}
