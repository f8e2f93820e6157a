package dirstore

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
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

// maxFile bounds the files that are read: the limits of a memory with every
// character escaped leave room below it.
const maxFile = 8 << 20

// disk is the directory. Every access goes through an [os.Root], so that no
// symbolic link leads out of it.
type disk struct {
	path string
	// fault, if set, is asked before every change; tests make it fail or crash.
	fault func(op, name string) error

	opened atomic.Pointer[os.Root]
	mu     sync.Mutex
	old    []*os.Root // of directories that were replaced
}

func (d *disk) root() *os.Root { return d.opened.Load() }

// open opens the directory that is at the path, unless it is open already.
func (d *disk) open() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, err := os.Stat(d.path)
	if err != nil {
		return fmt.Errorf("%w: the directory %s was deleted or moved while it was open: put it back", hippo.ErrUnavailable, d.path)
	}
	was := d.root()
	if was != nil {
		if i, err := was.Stat("."); err == nil && os.SameFile(i, at) {
			return nil
		}
		d.old = append(d.old, was)
	}
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return d.failed("open", ".", err)
	}
	d.opened.Store(root)
	return nil
}

func (d *disk) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.root().Close()
	for _, r := range d.old {
		err = errors.Join(err, r.Close())
	}
	return err
}

// errIrregular stands for a directory, a symbolic link, a device.
var errIrregular = errors.New("not a regular file")

// errMoving means that a file changed while it was read.
var errMoving = errors.New("changed while it was read")

func (d *disk) at(op, name string) error {
	if d.fault == nil {
		return nil
	}
	return d.fault(op, name)
}

// full returns the path of a name, for messages and for people.
func (d *disk) full(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// failed names operation and path, and the sentinel where one fits.
func (d *disk) failed(op, name string, err error) error {
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
	default:
		return err
	}
}

func readOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

// stat returns the stamp of a regular file; else [errIrregular] or
// [fs.ErrNotExist].
func (d *disk) stat(name string) (stamp, error) {
	i, err := d.root().Lstat(name)
	if err != nil {
		return stamp{}, err
	}
	if !i.Mode().IsRegular() {
		return stamp{}, errIrregular
	}
	return stampOf(i), nil
}

// read returns a file's content and the stamp it had before and after.
func (d *disk) read(name string) ([]byte, stamp, error) { return d.readUpTo(name, maxFile) }

// readLong is read for a file of any size.
func (d *disk) readLong(name string) ([]byte, stamp, error) { return d.readUpTo(name, math.MaxInt64) }

func (d *disk) readUpTo(name string, limit int64) ([]byte, stamp, error) {
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
		err = errMoving
	}
	return b, st, err
}

// readAll appends the rest of r to b, which grows only if r is longer than said.
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

// temp writes a new file of this program's own and returns its name.
func (d *disk) temp(b []byte) (string, stamp, error) {
	name := stateDir + "/" + tempPrefix + rand.Text()
	if err := d.at("write", name); err != nil {
		return name, stamp{}, d.failed("write", name, err)
	}
	st, err := d.create(name, b)
	if err != nil {
		d.root().Remove(name) //nolint:errcheck // best effort: the next Open removes it
		return name, stamp{}, d.failed("write", name, err)
	}
	return name, st, nil
}

func (d *disk) create(name string, b []byte) (stamp, error) {
	f, err := d.root().OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return stamp{}, err
	}
	if _, err = f.Write(b); err == nil {
		err = f.Sync()
	}
	var st stamp
	if i, serr := f.Stat(); serr == nil {
		st = stampOf(i)
	}
	return st, errors.Join(err, f.Close())
}

func (d *disk) rename(from, to string) error {
	err := d.at("rename", to)
	if err == nil {
		err = d.root().Rename(from, to)
	}
	return d.failed("write", to, err)
}

// remove deletes a file; one that is not there is fine.
func (d *disk) remove(name string) error {
	err := d.at("remove", name)
	if err == nil {
		err = d.root().Remove(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return d.failed("remove", name, err)
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

// syncDir makes renames in a directory durable. Windows has no such call, and
// needs none.
func (d *disk) syncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	if err := d.at("sync", name); err != nil {
		return d.failed("sync", name, err)
	}
	f, err := d.root().Open(name)
	if err != nil {
		return d.failed("sync", name, err)
	}
	return d.failed("sync", name, errors.Join(f.Sync(), f.Close()))
}

// copyAside keeps a copy of a file that is about to be replaced or removed, for a person to
// look at, and returns its name.
func (d *disk) copyAside(name string) (string, error) {
	b, _, err := d.read(name)
	if err != nil && !errors.Is(err, hippo.ErrInvalid) {
		return "", d.failed("read", name, err)
	}
	if err := d.root().MkdirAll(corruptDir, 0o700); err != nil {
		return "", d.failed("create", corruptDir, err)
	}
	sum := sha256.Sum256(b)
	aside := fmt.Sprintf("%s/%s.%x", corruptDir, name, sum[:4])
	from := name
	if err == nil { // else it is too large to be copied, or to be a memory
		if from, _, err = d.temp(b); err != nil {
			return "", err
		}
	}
	return aside, d.rename(from, aside)
}

// entries lists a folder; one that does not exist is empty.
func (d *disk) entries(name string) ([]fs.DirEntry, error) {
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

// temps lists what a commit that is under way, or was killed, has written.
func (d *disk) temps() (names []string, err error) {
	all, err := d.entries(stateDir)
	for _, e := range all {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			names = append(names, stateDir+"/"+e.Name())
		}
	}
	return names, err
}

// makeState creates what has to be in .hippo.
func (d *disk) makeState() error {
	if err := d.root().Mkdir(stateDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return d.failed("create", stateDir, err)
	}
	if _, err := d.root().Lstat(ignoreName); err == nil {
		return nil
	}
	return d.failed("create", ignoreName, d.root().WriteFile(ignoreName, []byte("*\n"), 0o600))
}

// writable tries to write, which says more than permissions do.
func (d *disk) writable() error {
	if err := d.makeState(); err != nil {
		return err
	}
	name, _, err := d.temp(nil)
	if err != nil {
		return err
	}
	return d.remove(name)
}

// nameOf returns the file name of a memory.
func nameOf(id hippo.ID) string { return id.String() + ".json" }

// idOf returns the ID that a file name stands for, if it is that of a memory.
func idOf(name string) (hippo.ID, bool) {
	stem, ok := strings.CutSuffix(name, ".json")
	if !ok {
		return hippo.ID{}, false
	}
	id, err := hippo.ParseID(stem)
	return id, err == nil
}
