package project

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

// Cache remembers in a folder what the repositories of this machine are called, and were called. An entry counts while the
// settings of its repository, which have its remotes, are the same file of the same time: then no git runs. It outlives the
// repository, so that the project of a folder that is gone is still known.
type Cache struct {
	// Dir is the folder; it is created when it is needed. Empty: nothing is remembered.
	Dir string
}

const (
	// maxNames bounds how many names of a repository are remembered.
	maxNames = 16
	// maxEntry bounds the size of an entry in bytes.
	maxEntry = 64 << 10
	// patience is how much longer than last time a caller must wait for git to be asked again.
	patience = 2
	// askAgain is after which time git is asked again anyhow.
	askAgain = time.Hour
)

// entry is what is known of a repository.
type entry struct {
	Common string
	Stamp  string `json:",omitempty"`
	Remote string `json:",omitempty"` // normalised
	Root   string `json:",omitempty"` // the first commit, whole
	// Made is when the repository was made, by a file that nothing changes, in ns since 1970; 0: unknown.
	Made int64 `json:",omitempty"`
	// Names are the names that it has had, the newest first.
	Names []string
	// Waited is how long git was waited for in vain; 0: it answered.
	Waited time.Duration `json:",omitempty"`
	Asked  time.Time     `json:",omitzero"`
}

// Identify returns the identity of a folder. Git, if it is asked, may take until the deadline of ctx, 2 seconds if it has none.
func (c Cache) Identify(ctx context.Context, dir string) Identity {
	if full, err := filepath.Abs(dir); err == nil {
		dir = full
	}
	if _, err := os.Stat(dir); err != nil {
		return c.gone(ctx, dir)
	}
	r, ok := Find(dir)
	if !ok {
		return Identity{}
	}
	return c.of(ctx, r)
}

// of returns the identity of a repository.
func (c Cache) of(ctx context.Context, r Repository) Identity {
	ctx, cancel := limited(ctx)
	defer cancel()
	old, stamp := c.load(r.Common), stampOf(r)
	if old.Stamp == stamp && len(old.Names) > 0 && !old.worthTrying(ctx) {
		c.noteTree(r)
		return old.identity(r)
	}
	e := inspect(ctx, r, &old, 0)
	e.Stamp = stamp
	if e.continues(&old) {
		for _, n := range old.Names {
			if !slices.Contains(e.Names, n) && len(e.Names) < maxNames {
				e.Names = append(e.Names, n)
			}
		}
	}
	c.save(&e, r)
	return e.identity(r)
}

// worthTrying reports whether git did not answer last time and may have longer now.
func (e *entry) worthTrying(ctx context.Context) bool {
	until, ok := ctx.Deadline()
	return e.Waited > 0 && (ok && time.Until(until) > patience*e.Waited || time.Since(e.Asked) > askAgain)
}

// continues reports whether an entry is of the repository that an older one of the same place was of: it was made then, or still
// has its remote or its first commit. Where nothing of it is known it is.
func (e *entry) continues(old *entry) bool {
	if e.Made != 0 && e.Made == old.Made || e.Remote != "" && e.Remote == old.Remote || e.Root != "" && e.Root == old.Root {
		return true
	}
	return (e.Made == 0 || old.Made == 0) && (old.Remote == "" && old.Root == "" || e.Remote == "" && e.Root == "")
}

func (e *entry) identity(r Repository) Identity {
	folder := filepath.Base(r.Common)
	if folder == ".git" {
		folder = filepath.Base(filepath.Dir(r.Common))
	}
	return Identity{Name: e.Names[0], Former: e.Names[1:], Folder: strings.TrimSuffix(folder, ".git"), Tree: r.Tree}
}

// gone returns the identity of a folder that is not there: that of the repository that it was in, as far as that is remembered,
// or that is still there around it.
func (c Cache) gone(ctx context.Context, dir string) Identity {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil {
			if r, ok := Find(at); ok && !isTop(at) {
				return c.of(ctx, r)
			}
			return Identity{Name: hippo.Unassigned}
		}
		for _, common := range []string{c.load(at).Common, filepath.Join(at, ".git")} {
			e := c.load(common)
			if common == "" || len(e.Names) == 0 {
				continue
			}
			r := Repository{Dir: common, Common: common}
			if _, err := os.Stat(filepath.Join(common, "config")); err == nil {
				return c.of(ctx, r)
			}
			return e.identity(r)
		}
		if at == filepath.Dir(at) {
			return Identity{Name: hippo.Unassigned}
		}
	}
}

// stampOf identifies a state of a repository in which its identity is the same.
func stampOf(r Repository) string {
	at, size := int64(0), int64(0)
	if info, err := os.Stat(filepath.Join(r.Common, "config")); err == nil {
		at, size = info.ModTime().UnixNano(), info.Size()
	}
	return fmt.Sprintf("%d %d %t %t", at, size, r.Shallow(), r.Born())
}

// path returns the file of an entry.
func (c Cache) path(place string) string { return filepath.Join(c.Dir, digest(place)[:24]) }

// load returns the entry of a place: a repository by its common folder, or a worktree, of which only the repository is known.
// Zero: there is none.
func (c Cache) load(place string) (e entry) {
	if c.Dir == "" || place == "" {
		return e
	}
	text, err := readTail(c.path(place), maxEntry)
	if err != nil || json.Unmarshal([]byte(text), &e) != nil {
		return entry{}
	}
	return e
}

// save remembers an entry, and the worktree in which it was found. That it cannot is no error: the next call asks again.
func (c Cache) save(e *entry, r Repository) {
	if c.Dir == "" {
		return
	}
	c.write(e.Common, e)
	c.noteTree(r)
}

// noteTree remembers which repository a worktree belongs to.
func (c Cache) noteTree(r Repository) {
	if c.Dir == "" || r.Tree == "" || r.Dir == r.Common {
		return
	}
	if _, err := os.Stat(c.path(r.Tree)); err != nil {
		c.write(r.Tree, &entry{Common: r.Common})
	}
}

// write replaces an entry at once: others may read it meanwhile.
func (c Cache) write(place string, e *entry) {
	if text, err := json.Marshal(e); err == nil && os.MkdirAll(c.Dir, 0o700) == nil {
		_ = atomicfile.Write(c.path(place), text)
	}
}
