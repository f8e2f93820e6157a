// Package hub provides the files of embedding models: which models are known, how to
// download them from a hub or copy them from a folder, and where they are on this
// machine. It runs no model.
//
// Invariant: a folder that [Cache.Resolve] returns holds the files that its manifest
// lists, each verified once by its SHA-256 checksum.
//
// # Layout
//
//	DIR/ID/REVISION/            a complete model
//	    hippo-model.json        the manifest: format 1, id, repo, revision and files, each
//	                            with name, size and sha256
//	    config.json tokenizer.json model.safetensors
//	DIR/ID/REVISION.partial/    an unfinished download: verified files, and
//	    NAME.partial            the beginning of a file
//	DIR/ID/REVISION.copy/       an unfinished copy of a folder
//	DIR/ID.lock                 held by the process that changes DIR/ID
//
// A download becomes a model by one rename, after all of it was verified.
// Checksums come from the registry; where that has none, the hub's own one is trusted at
// the first download, and recorded.
package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/hippo-memory/hippo/internal/base/userdir"

	"github.com/hippo-memory/hippo"
)

// Options say where the models are. The zero value is the user's cache.
type Options struct {
	// Dir holds the models; empty means the environment's HIPPO_MODELS, or else
	// hippo/models in the user's cache directory.
	Dir string
	// Specs are the models known by name; nil means [Specs].
	Specs []Spec
	// Getenv reads the environment; nil means os.Getenv.
	Getenv func(string) string
}

// Cache is the models on this machine. It is safe for concurrent use, also by several
// processes.
type Cache struct {
	dir    string
	specs  []Spec
	getenv func(string) string
}

// New returns the cache. It touches no file.
func New(o *Options) *Cache {
	if o == nil {
		o = &Options{}
	}
	c := &Cache{dir: o.Dir, specs: o.Specs, getenv: o.Getenv}
	if c.getenv == nil {
		c.getenv = os.Getenv
	}
	if c.specs == nil {
		c.specs = Specs()
	}
	if c.dir == "" {
		c.dir = c.getenv("HIPPO_MODELS")
	}
	if c.dir == "" {
		c.dir = filepath.Join(userdir.Cache(), "hippo", "models")
	}
	return c
}

// Lookup returns the model with that ID or alias, in any case. The error is
// [hippo.ErrInvalid] for an unknown name.
func (c *Cache) Lookup(id string) (Spec, error) {
	known := make([]string, len(c.specs))
	for i, s := range c.specs {
		if slices.ContainsFunc(append(s.Aliases, s.ID), func(name string) bool { return strings.EqualFold(name, id) }) {
			return s, nil
		}
		known[i] = s.ID
	}
	return Spec{}, hippo.Fieldf("model", "%q is not known: want %s, or the path of a folder", id, strings.Join(known, ", "))
}

func isPath(id string) bool {
	return id == "." || id == ".." || strings.ContainsRune(id, '/') || strings.ContainsRune(id, filepath.Separator)
}

// The directories of a model: of all its revisions, of this one, and where this one is
// downloaded or copied to. The latter are two, because without known checksums files of
// different origin must not be mixed.
func (c *Cache) modelDir(s Spec) string    { return filepath.Join(c.dir, s.ID) }
func (c *Cache) revisionDir(s Spec) string { return filepath.Join(c.modelDir(s), s.Revision) }
func (c *Cache) downloadDir(s Spec) string { return c.revisionDir(s) + partSuffix }
func (c *Cache) copyDir(s Spec) string     { return c.revisionDir(s) + ".copy" }

// Local is a model whose files are on this machine.
type Local struct {
	// Spec describes the model. Its Files have their true sizes and checksums.
	Spec
	// Dir is the folder of the files; empty for [Builtin].
	Dir string
}

// Identity names the model and everything that determines its vectors: the name, the
// first 12 digits of the checksum of the weights, and 8 digits of a checksum of the other
// files, pooling, prefixes and length. Vectors of equal identities are interchangeable.
// It is the same on every machine.
func (l Local) Identity() string {
	if l.ID == Builtin {
		return Builtin
	}
	h, weights := sha256.New(), ""
	fmt.Fprintf(h, "1\n%s\n%q\n%q\n%d\n", l.Pooling, l.QueryPrefix, l.PassagePrefix, l.MaxTokens)
	for _, f := range slices.SortedFunc(slices.Values(l.Files), func(a, b File) int { return strings.Compare(a.Name, b.Name) }) {
		if f.Name == WeightsFile {
			weights = f.SHA256
		} else {
			fmt.Fprintf(h, "%s %s\n", f.Name, f.SHA256)
		}
	}
	name := l.ID
	if l.Repo == "" { // a folder may be renamed
		name = "folder"
	}
	return fmt.Sprintf("%s@%s-%s", name, weights[:min(12, len(weights))], hex.EncodeToString(h.Sum(nil))[:8])
}

// Resolve finds the files of a model, given by ID, alias or path of a folder. The error
// is [hippo.ErrInvalid] for an unknown name, [hippo.ErrUnavailable] with the command that
// downloads it if it is absent, [hippo.ErrCorrupt] if its folder is damaged. Cost: the
// manifest and the sizes of the files; all bytes of the files for the path of a folder.
func (c *Cache) Resolve(ctx context.Context, id string) (Local, error) {
	if isPath(id) {
		return resolveFolder(ctx, id)
	}
	s, err := c.Lookup(id)
	if err != nil {
		return Local{}, err
	}
	return c.resolve(s)
}

func (c *Cache) resolve(s Spec) (Local, error) {
	if s.ID == Builtin {
		return Local{Spec: s}, nil
	}
	dir := c.revisionDir(s)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return Local{}, fmt.Errorf("model %s is not here: %w: get it with: %s", s.ID, hippo.ErrUnavailable, s.pullCommand())
	}
	files, err := readManifest(dir, s)
	if err != nil {
		return Local{}, fmt.Errorf("model %s in %s: get it again with: %s: %w", s.ID, dir, s.pullCommand(), err)
	}
	s.Files = files
	return Local{Spec: s, Dir: dir}, nil
}

// Verify reads every byte of a model. Errors are those of [Cache.Resolve];
// [hippo.ErrCorrupt] names the file with its checksum and the right one. Cost: about a
// second per gigabyte.
func (c *Cache) Verify(ctx context.Context, id string) error {
	l, err := c.Resolve(ctx, id)
	if err != nil {
		return err
	}
	for _, want := range l.Files {
		if _, err := verified(ctx, filepath.Join(l.Dir, want.Name), want); err != nil {
			if !isPath(id) {
				err = fmt.Errorf("%w; remove it with: hippo model rm %s, and get it again with: %s", err, l.ID, l.pullCommand())
			}
			return fmt.Errorf("model %s in %s: %w", l.ID, l.Dir, err)
		}
	}
	return nil
}

// State says how much of a model is on this machine.
type State string

// The states.
const (
	Here    State = "here"    // complete
	Absent  State = "absent"  // nothing
	Partial State = "partial" // a download is under way or was interrupted
	Damaged State = "damaged" // the folder is not what was downloaded
)

// Entry is a model in a list.
type Entry struct {
	Spec
	State State
	// Problem is what is wrong with a model that is [Damaged].
	Problem error
}

// List returns all models known by name. Cost: the names and sizes of their files.
func (c *Cache) List() []Entry {
	entries := make([]Entry, len(c.specs))
	for i, s := range c.specs {
		l, err := c.resolve(s)
		switch e := &entries[i]; {
		case err == nil:
			*e = Entry{Spec: l.Spec, State: Here}
		case !errors.Is(err, hippo.ErrUnavailable):
			*e = Entry{Spec: s, State: Damaged, Problem: err}
		default:
			*e = Entry{Spec: s, State: Absent}
			if _, err := os.Lstat(c.downloadDir(s)); err == nil {
				e.State = Partial
			}
		}
	}
	return entries
}

// Remove deletes all revisions of a model and its unfinished downloads; it waits for a
// download that is under way. A program that has the files open keeps them, where the
// system allows that. The error is [hippo.ErrInvalid] for [Builtin] and for a path; it is
// nil if there is nothing to remove.
func (c *Cache) Remove(ctx context.Context, id string) (err error) {
	if isPath(id) {
		return hippo.Fieldf("model", "%q is a folder of yours: remove it yourself", id)
	}
	s, err := c.Lookup(id)
	if err != nil {
		return err
	}
	if s.ID == Builtin {
		return hippo.Fieldf("model", "%s is part of the program", s.ID)
	}
	if _, err := os.Lstat(c.modelDir(s)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, err := c.lock(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return errors.Join(removeModel(c.revisionDir(s)), removeModel(c.modelDir(s)))
}

// removeModel deletes a directory, first of all the manifest, without which what is left
// is no model.
func removeModel(dir string) error {
	err := os.Remove(filepath.Join(dir, manifestName))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = os.RemoveAll(dir)
	}
	return diskError(err)
}

// lockPoll is how often a process that waits for the lock of another tries again.
const lockPoll = 100 * time.Millisecond

// lock waits until no other process or goroutine changes the model's directories.
func (c *Cache) lock(ctx context.Context, s Spec) (unlock func() error, err error) {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return nil, diskError(err)
	}
	path := c.modelDir(s) + ".lock"
	l := flock.New(path, flock.SetPermissions(0o600))
	if _, err := l.TryLockContext(ctx, lockPoll); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, diskError(err))
	}
	return l.Unlock, nil
}
