package codeindex

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
	"github.com/hippo-memory/hippo/internal/code/project"
)

// rootFile is the name of the file that says which root a folder is for.
const rootFile = "root.json"

// Root is a source tree that the user named.
type Root struct {
	// Path is absolute, without links. It identifies the root: two working trees of one repository,
	// and two repositories of one name, are different roots.
	Path string `json:"path"`
	// Project is the identity of its project for people to read; empty: none.
	Project string `json:"project,omitempty"`
}

// Library holds the indexes of all roots. It is safe for concurrent use.
type Library struct {
	config Config

	mu    sync.Mutex
	trees map[string]*Tree // by path of the root
}

// NewLibrary returns a Library. It reads nothing yet.
func NewLibrary(c Config) *Library { return &Library{config: c, trees: make(map[string]*Tree)} }

// Close closes all trees, and the parser and the encoder if they can be closed.
func (l *Library) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	for _, t := range l.trees {
		err = errors.Join(err, t.close())
	}
	clear(l.trees)
	for _, part := range []any{l.config.Parser, l.config.Encoder} {
		if c, ok := part.(io.Closer); ok {
			err = errors.Join(err, c.Close())
		}
	}
	return err
}

// folder returns the folder of a root.
func (l *Library) folder(path string) string {
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(l.config.Dir, hex.EncodeToString(sum[:10]))
}

// Resolve returns the absolute path of a folder, without links. The error is [hippo.ErrNotFound] or
// [hippo.ErrInvalid].
func Resolve(path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("%w: %w", hippo.ErrInvalid, err)
	}
	real, err := filepath.EvalSymlinks(full)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w: no folder %s", hippo.ErrNotFound, full)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", hippo.ErrInvalid, err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", fmt.Errorf("%w: %w", hippo.ErrInvalid, err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%w: %s is not a folder", hippo.ErrInvalid, full)
	}
	return real, nil
}

// Add returns the tree of a root that the user names, and remembers it.
func (l *Library) Add(ctx context.Context, path string) (*Tree, error) {
	real, err := Resolve(path)
	if err != nil {
		return nil, err
	}
	r := Root{Path: real, Project: project.Identify(ctx, real).Name}
	dir := l.folder(real)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("code index: %w", err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("code index: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(dir, rootFile), b); err != nil {
		return nil, fmt.Errorf("code index: %w", err)
	}
	return l.tree(r), nil
}

func (l *Library) tree(r Root) *Tree {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.trees[r.Path]
	if t == nil {
		t = newTree(&l.config, r, l.folder(r.Path))
		l.trees[r.Path] = t
	}
	t.project.Store(&r.Project)
	return t
}

// Roots lists the roots that were added, in the order of paths.
func (l *Library) Roots() ([]Root, error) {
	entries, err := os.ReadDir(l.config.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("code index: %w", err)
	}
	var list []Root
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(l.config.Dir, e.Name(), rootFile))
		var r Root
		if err != nil || json.Unmarshal(b, &r) != nil || filepath.Base(l.folder(r.Path)) != e.Name() {
			continue // what a forgotten root has left, or no root
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b Root) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// Trees returns the trees of all roots.
func (l *Library) Trees() ([]*Tree, error) {
	roots, err := l.Roots()
	out := make([]*Tree, len(roots))
	for i, r := range roots {
		out[i] = l.tree(r)
	}
	return out, err
}

// Holding returns the tree whose root holds a path, the innermost one if there are several. The error
// is [hippo.ErrNotFound] if there is none, and says what to run.
func (l *Library) Holding(path string) (*Tree, error) {
	real, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", hippo.ErrInvalid, err)
	}
	if resolved, err := filepath.EvalSymlinks(real); err == nil {
		real = resolved
	}
	roots, err := l.Roots()
	if err != nil {
		return nil, err
	}
	best := Root{}
	for _, r := range roots {
		if within(r.Path, real) && len(r.Path) > len(best.Path) {
			best = r
		}
	}
	if best.Path == "" {
		return nil, fmt.Errorf("%w: %s is in no source tree that is indexed; run hippo code index PATH with the root of the tree", hippo.ErrNotFound, real)
	}
	return l.tree(best), nil
}

func within(root, path string) bool {
	return path == root || strings.HasPrefix(path, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator))
}

// Forget deletes the index of a root, once an update under way has ended. The files of the tree stay as they are. The
// error is [hippo.ErrNotFound] if the path is no root, or that of ctx.
func (l *Library) Forget(ctx context.Context, path string) (Root, error) {
	roots, err := l.Roots()
	if err != nil {
		return Root{}, err
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return Root{}, fmt.Errorf("%w: %w", hippo.ErrInvalid, err)
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		full = real
	}
	i := slices.IndexFunc(roots, func(r Root) bool { return r.Path == full })
	if i < 0 {
		return Root{}, fmt.Errorf("%w: %s is not the root of an index; hippo code status lists them", hippo.ErrNotFound, full)
	}
	t := l.tree(roots[i])
	lock, err := takeLock(ctx, t)
	if err != nil {
		return Root{}, err
	}
	defer lock.Close() //nolint:errcheck // its file is gone
	l.mu.Lock()
	delete(l.trees, full)
	l.mu.Unlock()
	err = t.close()
	// Without this file the folder is that of no root, should the rest stay.
	if removed := errors.Join(os.Remove(filepath.Join(t.folder, rootFile)), os.RemoveAll(t.folder)); removed != nil {
		err = errors.Join(err, fmt.Errorf("code index: %w", removed))
	}
	return roots[i], err
}
