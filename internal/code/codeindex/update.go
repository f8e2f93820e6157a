package codeindex

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/code/codeindex/walk"
)

// UpdateOptions adjusts an update; nil is useful.
type UpdateOptions struct {
	// Rebuild parses all files again and makes a new generation.
	Rebuild bool
	// Progress is called now and then, by one goroutine at a time; nil: never.
	Progress func(api.CodeProgress)
}

// Report is what an update did.
type Report struct {
	Root Root
	// Parsed, Removed and Unchanged count files; Restored those of the changed ones that have the same
	// content as before.
	Parsed, Removed, Unchanged, Restored int
	api.CodeTotals
	// Bytes is the size of the parsed files, Errors the places in them that grammars do not accept.
	Bytes  int64
	Errors int
	Skips  []walk.Skip
	// Folders are those of the tree that files are in, or may come to be.
	Folders []string
	Took    time.Duration
}

// updateState is what is known of the update that runs, or of the last one.
type updateState struct {
	mu       sync.Mutex
	running  bool
	progress api.CodeProgress
	began    time.Time
	failed   error // of the last one; nil: it did not fail
}

func (s *updateState) begin(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began, s.failed = at, nil
}

func (s *updateState) set(p api.CodeProgress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running, s.progress = true, p
}

func (s *updateState) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running, s.progress, s.failed = false, api.CodeProgress{}, err
}

func (s *updateState) get() (api.CodeProgress, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.progress, s.running
}

// last returns when the last update began, and why it failed; empty: it did not.
func (s *updateState) last() (began time.Time, failed string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		failed = s.failed.Error()
	}
	return s.began, failed
}

const (
	// racy is how much older than an update the time of a file has to be to say that the file is the
	// same: a file may be written twice within the resolution of times.
	racy = 2 * time.Second
	// An update of more than manyFiles, and of more than one in manyShare, makes a new generation.
	manyFiles, manyShare = 64, 8
	// wornGone: a catalog with more chunks that are gone than this and than there are live ones is rebuilt.
	wornGone = 4096
)

// Update brings the index to what the tree is now. One update of a root runs at a time, in all
// processes; searches go on meanwhile and see the former state until the update is whole. An error, or
// the end of the process, leaves the former state. The error is [hippo.ErrNotFound] if the root was
// deleted or its index forgotten, or that of ctx.
func (t *Tree) Update(ctx context.Context, o *UpdateOptions) (*Report, error) {
	if o == nil {
		o = &UpdateOptions{}
	}
	t.updating.Lock()
	defer t.updating.Unlock()
	lock, err := takeLock(ctx, t)
	if err != nil {
		return nil, err
	}
	defer lock.Close() //nolint:errcheck // the system unlocks when the process ends
	u := &update{tree: t, options: o, began: t.config.Now(), report: &Report{Root: rootOf(t)}}
	t.state.begin(u.began)
	u.tell(api.CodeProgress{Phase: api.CodeWalking})
	err = u.run(ctx)
	t.state.end(err)
	if err != nil {
		return nil, err
	}
	u.report.Took = t.config.Now().Sub(u.began)
	return u.report, nil
}

// update is one run of [Tree.Update].
type update struct {
	tree    *Tree
	options *UpdateOptions
	began   time.Time
	report  *Report
	// base is the state that the update starts from; former serves it, nil: nothing does.
	base   *catalog.Catalog
	former *generation
	worn   bool // most of the catalog's file is out of date
}

func (u *update) tell(p api.CodeProgress) {
	u.tree.state.set(p)
	if u.options.Progress != nil {
		u.options.Progress(p)
	}
}

func (u *update) run(ctx context.Context) error {
	root, err := u.tree.open()
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // it was only read
	if err := u.start(ctx); err != nil {
		return err
	}
	found, err := walk.Walk(ctx, root, u.tree.Root.Path)
	if err != nil {
		return fmt.Errorf("code index: %w", err)
	}
	leaveOut(found, u.tree.Root.Path, u.tree.config.Dir)
	p, err := u.parse(ctx, root, found)
	if err != nil {
		return err
	}
	if err := u.unmoved(root); err != nil {
		return err
	}
	if err := u.repeat(ctx, p); err != nil {
		return err
	}
	return u.apply(ctx, p)
}

// start takes the generation that serves as the base; without one, or with one that is worn, cannot be read or has
// the content of another version, the update starts from nothing.
func (u *update) start(ctx context.Context) error {
	t := u.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.reopen(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if pointed(t) != "" {
			t.config.logger().Warn("the code index cannot be read and is rebuilt", "root", t.Root.Path, "error", err)
		}
		return nil
	}
	c := t.serving.current.Load()
	n := c.Totals()
	u.former = t.serving
	u.worn = u.former.journal.Worn(c)
	if !u.options.Rebuild && !u.former.journal.Cut() && c.Content == catalog.Content && n.Gone <= max(wornGone, n.Chunks) {
		u.base = c
	}
	return nil
}

// unmoved returns an error if the root is not the folder any more that was read: what was not found in
// it is not known to be deleted.
func (u *update) unmoved(root *os.Root) error {
	was, err := root.Stat(".")
	if err != nil {
		return fmt.Errorf("%w: %s was deleted while it was indexed; the former index stays", hippo.ErrNotFound, u.tree.Root.Path)
	}
	is, err := os.Stat(u.tree.Root.Path)
	if err != nil || !os.SameFile(was, is) {
		return fmt.Errorf("%w: %s was deleted or replaced while it was indexed; the former index stays", hippo.ErrNotFound, u.tree.Root.Path)
	}
	return nil
}

// apply writes what was found, in the generation that serves or, if it is much, in a new one.
func (u *update) apply(ctx context.Context, p *parsed) error {
	u.tell(api.CodeProgress{Phase: api.CodeIndexing})
	small := u.base != nil && !u.worn && (p.changes <= manyFiles || p.changes*manyShare <= p.files)
	var err error
	if small {
		err = u.amend(ctx, p)
	} else {
		err = u.renew(ctx, p)
	}
	if err != nil {
		return err
	}
	return writeSkips(u.tree, u.report.Skips)
}

// amend appends to the generation that serves.
func (u *update) amend(ctx context.Context, p *parsed) error {
	g := u.former
	g.users.RLock()
	defer g.users.RUnlock()
	state := u.base
	d, err := p.draft(u.base)
	if err != nil {
		return err
	}
	if !d.Empty() || p.settled || g.journal.Damaged() > 0 {
		if state, err = commit(u.tree, g, d, u.began); err != nil {
			return err
		}
	}
	u.count(state)
	return u.follow(ctx, g)
}

// follow brings the words to the state of the catalog and saves them.
func (u *update) follow(ctx context.Context, g *generation) error {
	if err := g.words.CatchUp(ctx); err != nil {
		return fmt.Errorf("code index: %w", err)
	}
	if err := g.words.Save(ctx); err != nil {
		return fmt.Errorf("code index: %w", err)
	}
	return nil
}

// renew makes a new generation. With a base it begins as a copy of the former one.
func (u *update) renew(ctx context.Context, p *parsed) (err error) {
	dir, err := nextFolder(u.tree)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir) // the next update does it otherwise
		}
	}()
	if u.base != nil {
		if _, err := catalog.Compact(u.base, filepath.Join(dir, catalogFile)); err != nil {
			return err
		}
		copyWords(u.former.dir, dir)
	}
	g, err := openGeneration(ctx, u.tree.config, u.tree.Root.Path, dir, u.base == nil, false)
	if err != nil {
		return err
	}
	d, err := p.draft(g.current.Load())
	var next *catalog.Catalog
	if err == nil {
		next, err = g.journal.Commit(d, u.began)
	}
	if err == nil {
		g.current.Store(next)
		u.count(next)
		err = u.follow(ctx, g)
	}
	if err == nil {
		err = u.tree.publish(g)
	}
	if err != nil {
		_ = g.close() // the first error is the one that counts
	}
	return err
}

func (u *update) count(c *catalog.Catalog) {
	u.report.CodeTotals = totalsOf(c)
}

func totalsOf(c *catalog.Catalog) api.CodeTotals {
	n := c.Totals()
	return api.CodeTotals{Files: n.Files, Chunks: n.Chunks, Symbols: n.Symbols}
}

const skipsFile = "skips.json"

// writeSkips keeps what the last update left out. A file that says so already is not written: who watches a tree
// around it would see a change with every update.
func writeSkips(t *Tree, list []walk.Skip) error {
	path := filepath.Join(t.folder, skipsFile)
	b, err := json.Marshal(list)
	if err == nil {
		if old, unread := os.ReadFile(path); unread == nil && bytes.Equal(old, b) {
			return nil
		}
		err = atomicfile.Write(path, b)
	}
	if err != nil {
		return fmt.Errorf("code index: %w", err)
	}
	return nil
}

// leaveOut takes the folder of the indexes out of a tree, if it is in it.
func leaveOut(found *walk.Tree, root, dir string) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return
	}
	rel = filepath.ToSlash(rel)
	inside := func(path string) bool { return path == rel || strings.HasPrefix(path, rel+"/") }
	folders := len(found.Folders)
	found.Folders = slices.DeleteFunc(found.Folders, inside)
	found.Files = slices.DeleteFunc(found.Files, func(f walk.File) bool { return inside(f.Path) })
	found.Skips = slices.DeleteFunc(found.Skips, func(s walk.Skip) bool { return s.Path != rel && inside(s.Path) })
	if len(found.Folders) == folders {
		return // it was left out for another reason
	}
	i, _ := slices.BinarySearchFunc(found.Skips, rel, func(s walk.Skip, path string) int { return strings.Compare(s.Path, path) })
	found.Skips = slices.Insert(found.Skips, i, walk.Skip{Path: rel, Reason: walk.Generated})
}

// Skips returns what the last update left out, in the order of paths.
func (t *Tree) Skips() ([]walk.Skip, error) {
	b, err := os.ReadFile(filepath.Join(t.folder, skipsFile))
	var list []walk.Skip
	if err == nil {
		err = json.Unmarshal(b, &list)
	}
	if err != nil {
		return nil, errNoIndex(t)
	}
	return list, nil
}
