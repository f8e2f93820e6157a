package dirstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/hippo-memory/hippo"
)

const (
	metadataName = "metadata.json"
	stateDir     = ".hippo"
	ignoreName   = stateDir + "/.gitignore"
	derivedName  = stateDir + "/derived.db"
	journalName  = stateDir + "/journal"
	indexName    = stateDir + "/index"
	corruptDir   = stateDir + "/corrupt"
	tempPrefix   = "tmp-"
)

// maxFile is the limit of the size of a file, in bytes. A memory at all its limits, with every
// character escaped, is smaller.
const maxFile = 8 << 20

// directory is the folder with the files. It is accessed through an [os.Root], so that symbolic
// links cannot lead out of it.
type directory struct {
	path string
	// readOnly is why nothing can be written; nil if it can.
	readOnly error
	// fault, if set, is called before every change; tests make it fail or crash.
	fault func(op, name string) error
	// replaced, if set, is called after another directory was opened at the path.
	replaced func()

	opened atomic.Pointer[os.Root]
	mu     sync.Mutex
	old    []*os.Root // of directories that were replaced
}

// openDirectory opens the directory dir and creates it if it does not exist.
func openDirectory(dir string, fault func(op, name string) error) (*directory, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", hippo.ErrInvalid, dir, err)
	}
	d := &directory{path: path, fault: fault}
	if i, err := os.Stat(path); err == nil && !i.IsDir() {
		return nil, fmt.Errorf("%w: %s is not a directory", hippo.ErrInvalid, path)
	}
	if err := makeDir(path); err != nil {
		return nil, d.failed("create", ".", err)
	}
	if err := d.open(); err != nil {
		return nil, err
	}
	err = tryWrite(d)
	if errors.Is(err, hippo.ErrReadOnly) || errors.Is(err, hippo.ErrFull) {
		d.readOnly, err = err, nil
	}
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

func (d *directory) root() *os.Root { return d.opened.Load() }

// open opens the directory that is at the path, unless it is open already.
func (d *directory) open() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, err := os.Stat(d.path)
	if err != nil {
		return fmt.Errorf("%w: the directory %s was deleted or moved while it was open: put it back", hippo.ErrUnavailable, d.path)
	}
	before := d.root()
	if before != nil {
		if i, err := before.Stat("."); err == nil && os.SameFile(i, at) {
			return nil
		}
		d.old = append(d.old, before)
	}
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return d.failed("open", ".", err)
	}
	d.opened.Store(root)
	if before != nil && d.replaced != nil {
		d.replaced()
	}
	return nil
}

func (d *directory) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	if r := d.root(); r != nil {
		errs = append(errs, r.Close())
	}
	for _, r := range d.old {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

// errIrregular means that a file is a directory, a symbolic link or a device.
var errIrregular = errors.New("not a regular file")

// errChanging means that a file changed while it was read.
var errChanging = errors.New("changed while it was read")

// permit returns the injected fault of a change.
func (d *directory) permit(op, name string) error {
	if d.fault == nil {
		return nil
	}
	return d.fault(op, name)
}

// full returns the path of a name, for messages.
func (d *directory) full(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// failed adds operation, path and, where one fits, a sentinel of package hippo to an error.
func (d *directory) failed(op, name string, err error) error {
	if err == nil {
		return nil
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		err = l.Err
	}
	err = fmt.Errorf("%s %s: %w", op, d.full(name), err)
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: %w", hippo.ErrFull, err)
	case readOnly(err):
		return fmt.Errorf("%w: %w", hippo.ErrReadOnly, err)
	case errors.Is(err, syscall.EIO):
		return fmt.Errorf("%w: %w (the disk may be failing)", hippo.ErrUnavailable, err)
	default:
		return err
	}
}

func readOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

// stat returns the stamp of a regular file; else [errIrregular] or
// [fs.ErrNotExist].
func (d *directory) stat(name string) (stamp, error) {
	i, err := d.root().Lstat(name)
	if err != nil {
		return stamp{}, err
	}
	if !i.Mode().IsRegular() {
		return stamp{}, errIrregular
	}
	return stampOf(i), nil
}

// read returns the content of a file and its stamp, which was the same before and after; a file
// of more than limit bytes is [hippo.ErrInvalid].
func (d *directory) read(name string, limit int64) ([]byte, stamp, error) {
	if _, err := d.stat(name); err != nil { // never opens a pipe or follows a link
		return nil, stamp{}, err
	}
	f, err := d.root().Open(name)
	if err != nil {
		return nil, stamp{}, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	before, err := f.Stat()
	if err != nil {
		return nil, stamp{}, err
	}
	st := stampOf(before)
	if st.size > limit {
		return nil, st, fmt.Errorf("%w: must be at most %d bytes, is %d", hippo.ErrInvalid, limit, st.size)
	}
	b := make([]byte, 0, st.size+1)
	b, err = readAll(f, b)
	if err != nil {
		return nil, st, err
	}
	after, err := f.Stat()
	if err == nil && stampOf(after) != st {
		err = errChanging
	}
	return b, st, err
}

// readAll appends the rest of r to b, which grows only if its capacity is too small.
func readAll(r io.Reader, b []byte) ([]byte, error) {
	for {
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if errors.Is(err, io.EOF) {
			return b, nil
		}
		if err != nil {
			return b, err
		}
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
	}
}

func (d *directory) rename(from, to string) error {
	err := d.permit("rename", to)
	if err == nil {
		err = d.root().Rename(from, to)
	}
	return d.failed("write", to, err)
}

// remove deletes a file, if it exists.
func (d *directory) remove(name string) error {
	err := d.permit("remove", name)
	if err == nil {
		err = d.root().Remove(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return d.failed("remove", name, err)
}

// overwrite replaces the content of a file in place.
func (d *directory) overwrite(name string, b []byte, flush bool) error {
	f, err := d.root().OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil && flush {
		if err = d.permit("sync", name); err == nil {
			err = f.Sync()
		}
	}
	return errors.Join(err, f.Close())
}

// makeDir creates a directory with its parents, durably.
func makeDir(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	parent := filepath.Dir(path)
	if parent != path {
		if err := makeDir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil // by another process at the same time
		}
		return err
	}
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(parent)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// flushAll makes renames in several folders durable, side by side: a file system writes those of
// one moment together.
func flushAll(d *directory, folders ...string) error {
	errs := make([]error, len(folders))
	var running sync.WaitGroup
	for i, name := range folders[1:] {
		running.Go(func() { errs[i+1] = d.flush(name) })
	}
	errs[0] = d.flush(folders[0])
	running.Wait()
	return errors.Join(errs...)
}

// flush makes renames in a folder durable. Windows has no such call, and needs none.
func (d *directory) flush(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	if err := d.permit("sync", name); err != nil {
		return d.failed("sync", name, err)
	}
	f, err := d.root().Open(name)
	if err != nil {
		return d.failed("sync", name, err)
	}
	return d.failed("sync", name, errors.Join(f.Sync(), f.Close()))
}

// list returns the entries of a folder; none if it does not exist.
func (d *directory) list(name string) ([]fs.DirEntry, error) {
	f, err := d.root().Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, d.failed("read", name, err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	all, err := f.ReadDir(-1)
	return all, d.failed("read", name, err)
}

// temporaryFiles returns the temporary files of commits that are running or were killed.
func temporaryFiles(d *directory) (names []string, err error) {
	all, err := d.list(stateDir)
	for _, e := range all {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			names = append(names, stateDir+"/"+e.Name())
		}
	}
	return names, err
}

// makeState creates .hippo with its .gitignore.
func makeState(d *directory) error {
	if err := d.root().Mkdir(stateDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return d.failed("create", stateDir, err)
	}
	if _, err := d.root().Lstat(ignoreName); err == nil {
		return nil
	}
	return d.failed("create", ignoreName, d.root().WriteFile(ignoreName, []byte("*\n"), 0o600))
}

// makeAttributes creates the file by which Git finds the merge driver, unless there is one.
func makeAttributes(d *directory) error {
	if _, err := d.root().Lstat(AttributesName); err == nil {
		return nil
	}
	return d.failed("create", AttributesName, d.root().WriteFile(AttributesName, []byte(Attributes()), 0o600))
}

// tryWrite writes and removes a file, because permissions alone do not say whether that is
// possible.
func tryWrite(d *directory) error {
	if err := makeState(d); err != nil {
		return err
	}
	name, err := writeWhole(d, nil)
	if err != nil {
		return err
	}
	return d.remove(name)
}

// managed reports whether this program may change a file of the directory by this name.
func managed(name string) bool {
	_, ok := idOf(name)
	_, past := historyID(name)
	return ok || past || name == metadataName || name == relationsName
}

// nameOf returns the file name of a memory.
func nameOf(id hippo.ID) string { return id.String() + ".json" }

// idOf returns the ID in the file name of a memory.
func idOf(name string) (hippo.ID, bool) {
	stem, ok := strings.CutSuffix(name, ".json")
	if !ok {
		return hippo.ID{}, false
	}
	id, err := hippo.ParseID(stem)
	return id, err == nil
}
