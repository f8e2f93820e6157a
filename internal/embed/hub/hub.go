// Package hub provides the embedding models: which there are, how to get their
// files from a hub or a folder, and where those are on this machine.
//
// It refuses to show a model that is not whole: a model is there or it is not.
// It runs no model and knows nothing of vectors but what names them.
//
// Invariant: a folder that [Cache.Resolve] returns holds exactly the files that
// its manifest records, each once verified by its SHA-256 sum.
//
// # Folder
//
//	DIR/ID/REVISION/            a whole model
//	    hippo-model.json        the manifest: format 1, id, repo, revision and
//	                            files, each with name, size and sha256
//	    config.json tokenizer.json model.safetensors
//	DIR/ID/REVISION.partial/    a download that is not finished: the same, and
//	    NAME.partial            the beginning of a file
//	    NAME.ticket             what the hub said of that file
//	DIR/ID/REVISION.copy/       a copy from a folder that is not finished
//	DIR/ID.lock                 held by the process that changes DIR/ID
//
// A download becomes a model by one rename, after all of it was verified and
// synced. Sums come from the registry; where that does not know one, the hub's
// word is taken at the first download and recorded.
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

	"github.com/adrg/xdg"
	"github.com/gofrs/flock"

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

// Cache is the models on this machine. It is safe for concurrent use, also by
// several processes.
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
		c.dir = filepath.Join(xdg.CacheHome, "hippo", "models")
	}
	return c
}

// Dir is the directory of the models; it may not exist yet.
func (c *Cache) Dir() string { return c.dir }

// Lookup returns the model with that ID or alias, or describes the model in that
// folder ([SpecOf]) if id has a slash in it. The error is [hippo.ErrInvalid] for
// an unknown name.
func (c *Cache) Lookup(id string) (Spec, error) {
	if isPath(id) {
		return SpecOf(id)
	}
	return find(c.specs, id)
}

func isPath(id string) bool {
	return id == "." || id == ".." || strings.ContainsRune(id, '/') || strings.ContainsRune(id, filepath.Separator)
}

// home is where all revisions of a model are, folder where this one is, and
// downloading and copying where it is made. Those are two, for without known sums
// files of different origin must not come together.
func (c *Cache) home(s Spec) string        { return filepath.Join(c.dir, s.ID) }
func (c *Cache) folder(s Spec) string      { return filepath.Join(c.home(s), s.Revision) }
func (c *Cache) downloading(s Spec) string { return c.folder(s) + partSuffix }
func (c *Cache) copying(s Spec) string     { return c.folder(s) + ".copy" }

// Local is a model whose files are here.
type Local struct {
	// Spec says what it is. Its Files have their true sizes and sums.
	Spec
	// Dir is the folder of the files; empty for [Builtin].
	Dir string
}

// Identity names the model and everything that decides its vectors: the name,
// the first 12 digits of the sum of the weights, and 8 digits of a sum of the
// other files, pooling, prefixes and length. Vectors of equal identities are
// interchangeable. It is stable across machines and costs nothing to speak of.
func (l Local) Identity() string {
	if l.ID == Builtin {
		return Builtin
	}
	h := sha256.New()
	fmt.Fprintf(h, "1\n%s\n%q\n%q\n%d\n", l.Pooling, l.QueryPrefix, l.PassagePrefix, l.MaxTokens)
	files := slices.SortedFunc(slices.Values(l.Files), func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range files {
		if f.Name != WeightsFile {
			fmt.Fprintf(h, "%s %s\n", f.Name, f.SHA256)
		}
	}
	name, weights := l.ID, l.weights()
	if l.Repo == "" { // a folder may be renamed
		name = "folder"
	}
	return fmt.Sprintf("%s@%s-%s", name, weights[:min(12, len(weights))], hex.EncodeToString(h.Sum(nil))[:8])
}

// Resolve finds the files of a model, given by ID, alias or path of a folder.
// The error is [hippo.ErrInvalid] for an unknown name, [hippo.ErrUnavailable]
// with the command to get it if it is not here, [hippo.ErrCorrupt] if its folder
// is damaged. Cost: a small file and the sizes of the others; for the path of a
// folder all its bytes are read.
func (c *Cache) Resolve(ctx context.Context, id string) (Local, error) {
	if isPath(id) {
		return custom(ctx, id)
	}
	s, err := find(c.specs, id)
	if err != nil {
		return Local{}, err
	}
	return c.resolve(s)
}

func (c *Cache) resolve(s Spec) (_ Local, err error) {
	if s.ID == Builtin {
		return Local{Spec: s}, nil
	}
	root, err := os.OpenRoot(c.folder(s))
	if errors.Is(err, fs.ErrNotExist) {
		return Local{}, fmt.Errorf("model %s is not here: %w: get it with: %s", s.ID, hippo.ErrUnavailable, s.command())
	}
	if err != nil {
		return Local{}, diskError(err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	m, err := readManifest(root)
	if err == nil {
		err = errors.Join(m.of(s), m.sizes(root))
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = corruptManifest("it is missing")
		}
		return Local{}, fmt.Errorf("model %s in %s: get it anew with: %s: %w", s.ID, root.Name(), s.command(), err)
	}
	s.Files = m.Files
	return Local{Spec: s, Dir: root.Name()}, nil
}

// Verify reads every byte of a model that is here. Errors are those of
// [Cache.Resolve]; [hippo.ErrCorrupt] names the file, what its sum is and should
// be. Cost: about a second per gigabyte.
func (c *Cache) Verify(ctx context.Context, id string) (err error) {
	l, err := c.Resolve(ctx, id)
	if err != nil || l.Dir == "" {
		return err
	}
	if isPath(id) { // it has no record to compare with
		for _, f := range l.Files {
			if err := checkForm(os.Open, filepath.Join(l.Dir, f.Name), f.Name); err != nil {
				return fmt.Errorf("model %s: %w", l.Dir, err)
			}
		}
		return nil
	}
	root, err := os.OpenRoot(l.Dir)
	if err != nil {
		return diskError(err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := (manifest{Files: l.Files}).sums(ctx, root); err != nil {
		return fmt.Errorf("model %s in %s: %w; remove it with: hippo model rm %s, and get it anew with: %s", l.ID, l.Dir, err, l.ID, l.command())
	}
	return nil
}

// Remove deletes all revisions of a model and its unfinished downloads, and
// waits for a download that is under way. A program that has the files open
// keeps them, where the system allows that; where not, the error is
// [hippo.ErrConflict]. It is [hippo.ErrInvalid] for [Builtin] and for a path,
// and no error if there is nothing to remove.
func (c *Cache) Remove(ctx context.Context, id string) (err error) {
	if isPath(id) {
		return hippo.Fieldf("model", "%q is a folder of yours: remove it yourself", id)
	}
	s, err := find(c.specs, id)
	if err != nil {
		return err
	}
	if s.ID == Builtin {
		return hippo.Fieldf("model", "%s is part of the program", s.ID)
	}
	if _, err := os.Lstat(c.home(s)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, err := c.lock(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return discard(c.home(s))
}

// discard removes a directory such that at no time a part of it is there under
// its name.
func discard(dir string) error {
	trash := dir + ".removed"
	if err := os.RemoveAll(trash); err != nil {
		return diskError(err)
	}
	err := os.Rename(dir, trash)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		return diskError(os.RemoveAll(trash))
	}
	if err := diskError(err); errors.Is(err, hippo.ErrReadOnly) {
		return err
	}
	return fmt.Errorf("%w: %s is in use: %w", hippo.ErrConflict, dir, err)
}

// lockEvery is how often a process that waits for another looks again.
const lockEvery = 100 * time.Millisecond

// lock waits until no other process or goroutine changes the model's folders.
func (c *Cache) lock(ctx context.Context, s Spec) (unlock func() error, err error) {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return nil, diskError(err)
	}
	path := c.home(s) + ".lock"
	l := flock.New(path, flock.SetPermissions(0o600))
	if _, err := l.TryLockContext(ctx, lockEvery); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, diskError(err))
	}
	return l.Unlock, nil
}
