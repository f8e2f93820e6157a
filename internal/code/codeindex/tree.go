package codeindex

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
)

// Tree is the index of one root. It is safe for concurrent use.
type Tree struct {
	// Root has the project of which this process first found the tree; [ProjectOf] says what it is now.
	Root    Root
	config  *Config
	folder  string
	project atomic.Pointer[string] // nil: that of Root

	mu       sync.Mutex
	serving  *generation // nil: none was opened
	updating sync.Mutex  // held by an update of this process
	state    updateState
	encoding encoding
	// left are the files that the last update left out because of what they contain. It is for the update.
	left map[string]leftOut
}

// pointerFile names the generation that serves.
const pointerFile = "current"

func newTree(c *Config, r Root, folder string) *Tree {
	return &Tree{Root: r, config: c, folder: folder}
}

// ProjectOf is the identity of the project of the tree, as it was when the tree was added last, by any process; empty: none.
// A repository has none before its first commit, and another one with another remote.
func ProjectOf(t *Tree) string {
	if p := t.project.Load(); p != nil {
		return *p
	}
	return t.Root.Project
}

// rootOf is the root of a tree with its project as it is now.
func rootOf(t *Tree) Root { return Root{t.Root.Path, ProjectOf(t)} }

func (t *Tree) close() error {
	t.mu.Lock()
	g := t.serving
	t.serving = nil
	t.mu.Unlock()
	if g == nil {
		return nil
	}
	return g.close()
}

// pointed returns the name of the generation that serves; empty: none does.
func pointed(t *Tree) string {
	b, err := os.ReadFile(filepath.Join(t.folder, pointerFile))
	name := strings.TrimSpace(string(b))
	if err != nil || name != filepath.Base(name) {
		return ""
	}
	return name
}

// errNoIndex is the error of a root without an index.
func errNoIndex(t *Tree) error {
	return fmt.Errorf("%w: %s has no index yet; run hippo code index %s", hippo.ErrNotFound, t.Root.Path, termtext.Argument(t.Root.Path))
}

// use returns the generation that serves, as it is on the disk now. The caller calls done.
func (t *Tree) use(ctx context.Context) (g *generation, done func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.reopen(ctx); err != nil {
		return nil, nil, err
	}
	g = t.serving
	g.users.RLock()
	return g, g.users.RUnlock, nil
}

// reopen opens the generation that serves, unless it is open. It is called with t.mu held.
func (t *Tree) reopen(ctx context.Context) error {
	name := pointed(t)
	if name == "" {
		return errNoIndex(t)
	}
	dir := filepath.Join(t.folder, name)
	if t.serving != nil && t.serving.dir == dir {
		return t.serving.refresh()
	}
	g, err := openGeneration(ctx, t.config, t.Root.Path, dir, false, false)
	if errors.Is(err, catalog.ErrFormat) {
		return fmt.Errorf("%w; run hippo code index %s, which makes it again", err, termtext.Argument(t.Root.Path))
	}
	if err != nil {
		return err
	}
	t.replace(g)
	return nil
}

// replace makes a generation serve and closes the former one behind those who use it. It is called with t.mu held.
func (t *Tree) replace(g *generation) {
	old := t.serving
	t.serving = g
	if old != nil {
		go func() {
			if err := old.close(); err != nil {
				t.config.logger().Warn("a former code index cannot be closed", "error", err)
			}
		}()
	}
}

// publish makes a generation the one that serves, for all processes, and deletes the others.
func (t *Tree) publish(g *generation) error {
	name := filepath.Base(g.dir)
	if err := atomicfile.Write(filepath.Join(t.folder, pointerFile), []byte(name+"\n")); err != nil {
		return fmt.Errorf("code index: %w", err)
	}
	t.mu.Lock()
	t.replace(g)
	t.mu.Unlock()
	sweep(t, name)
	return nil
}

// sweep deletes generations that do not serve: those of the past, and those of updates that were
// killed. It is called with the lock of the root.
func sweep(t *Tree, keep string) {
	entries, err := os.ReadDir(t.folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != keep {
			_ = os.RemoveAll(filepath.Join(t.folder, e.Name())) // the next update tries again
		}
	}
}

// nextFolder makes the folder of the next generation.
func nextFolder(t *Tree) (string, error) {
	n, _ := strconv.Atoi(strings.TrimPrefix(pointed(t), "g")) // 0 if there is none
	dir := filepath.Join(t.folder, "g"+strconv.Itoa(n+1))
	if err := os.RemoveAll(dir); err != nil {
		return "", fmt.Errorf("code index: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("code index: %w", err)
	}
	return dir, nil
}

// open opens the root. The error is [hippo.ErrNotFound] if it was deleted.
func (t *Tree) open() (*os.Root, error) {
	root, err := os.OpenRoot(t.Root.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: the folder %s was deleted; hippo code forget %s removes its index", hippo.ErrNotFound, t.Root.Path, termtext.Argument(t.Root.Path))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", hippo.ErrUnavailable, err)
	}
	return root, nil
}
