package app

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code"

	"github.com/hippo-memory/hippo/internal/base/userdir"

	"github.com/hippo-memory/hippo/internal/base/power"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/code/codeindex/grammar"
	"github.com/hippo-memory/hippo/internal/code/codeindex/symbols"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/models"
)

// OpenCode returns the code indexes of the user, in the cache directory. The caller closes them.
func OpenCode(o *Options) (code.Library, error) { return OpenCodeIn(codeFolder(), o) }

// OpenCodeIn is OpenCode for indexes in another folder.
func OpenCodeIn(dir string, o *Options) (code.Library, error) {
	own, err := static.Open(models.Builtin())
	if err != nil {
		return code.Library{}, err
	}
	tokens, err := static.OpenWithCode(own, models.Code())
	if err != nil {
		return code.Library{}, err
	}
	encoder, err := codeEncoder(&o.CodeModel)
	if err != nil {
		return code.Library{}, err
	}
	weights := rank.CodeWeights()
	now := o.Now
	if now == nil {
		now = time.Now //nolint:forbidigo // the default clock
	}
	return code.Library{Library: codeindex.NewLibrary(codeindex.Config{
		Dir: dir, Parser: symbols.New(filepath.Join(userdir.Cache(), "hippo", "grammars"), grammar.Limits{}), Model: static.Functions{WithCode: tokens}, Encoder: encoder, OnBattery: power.OnBattery, Tokens: tokens,
		Weights: &weights, Now: now, Log: o.Log,
	})}, nil
}

// codeEncoder returns the encoder of code for the setting of the model; nil: there is none.
func codeEncoder(m *config.Model) (embed.Embedder, error) {
	if m.Name == config.Static || m.Name == config.NoModel {
		return nil, nil
	}
	c, err := contextual()
	return c.Embedder, err
}

// codeFolder is where the code indexes are.
func codeFolder() string { return filepath.Join(userdir.Cache(), "hippo", "code") }

// Code opens the code indexes of the user when they are first needed, and keeps those up to date that are asked. It is safe for
// concurrent use.
type Code struct {
	options *Options
	dir     string

	mu      sync.Mutex
	library code.Library         // without one inside: not opened
	trees   map[string]*followed // by root
	stop    context.CancelFunc
	running context.Context // that of all that runs in the background
	work    sync.WaitGroup
}

// followed is what runs in the background for a tree.
type followed struct {
	ctx    context.Context
	cancel context.CancelFunc
	// watched: its changes are followed. update is the one that somebody waits for; nil: none.
	watched bool
	update  *codeUpdate
}

// codeUpdate is an update that was asked for. Its report and error may be read when done is closed.
type codeUpdate struct {
	done   chan struct{}
	report *api.CodeReport
	err    error
}

// NewCode returns a Code that opened nothing. dir is the folder that the caller works in; empty: it is not known.
func NewCode(dir string, o *Options) *Code {
	c := &Code{options: o, dir: dir, trees: make(map[string]*followed)}
	c.running, c.stop = context.WithCancel(context.Background())
	return c
}

// Dir returns the folder that the caller works in.
func (c *Code) Dir() string { return c.dir }

// UnwatchedCode is the source trees of a [Code] as they are: to ask one does not keep it up to date.
type UnwatchedCode struct {
	*Code
	// Folder is the one that the caller works in; empty: it is not known.
	Folder string
}

// Dir returns the folder that the caller works in.
func (s UnwatchedCode) Dir() string { return s.Folder }

// Follow does nothing.
func (UnwatchedCode) Follow(*code.Tree) {}

// Indexed is [CodeIndexed].
func (*Code) Indexed() bool { return CodeIndexed() }

// CodeIndexed reports whether there may be a code index, without opening any.
func CodeIndexed() bool {
	list, err := os.ReadDir(codeFolder())
	return err == nil && len(list) > 0
}

// Library returns the indexes. An error is not kept: the next call tries again.
func (c *Code) Library() (code.Library, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.library.Library == nil {
		l, err := OpenCode(c.options)
		if err != nil {
			return code.Library{}, err
		}
		c.library = l
	}
	return c.library, nil
}

// Project returns the root of the working tree of git that the caller works in; empty: none, or one that holds the home directory
// of the user, which is more than a project.
func (c *Code) Project() string {
	if c.dir == "" {
		return ""
	}
	root, ok := project.Root(c.dir)
	if home, err := filepath.EvalSymlinks(userdir.Home()); !ok || err == nil && holdsPath(root, home) {
		return ""
	}
	return root
}

func holdsPath(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// of returns what runs for a tree. It is called with c.mu held.
func (c *Code) of(t *code.Tree) *followed {
	f := c.trees[t.Root()]
	if f == nil {
		f = &followed{}
		f.ctx, f.cancel = context.WithCancel(c.running)
		c.trees[t.Root()] = f
	}
	return f
}

// Follow updates the index of a tree now and whenever its files change, in the background, until Stop or Close.
func (c *Code) Follow(t *code.Tree) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watch(t, c.of(t))
}

// watch is called with c.mu held.
func (c *Code) watch(t *code.Tree, f *followed) {
	if f.watched || f.ctx.Err() != nil {
		return
	}
	f.watched = true
	c.work.Go(func() {
		_ = t.Follow(f.ctx, c.options.Log, func(_ code.Change, err error) { // it ends with Stop or Close
			if err != nil && c.options.Log != nil {
				c.options.Log.Debug("code index", "root", t.Root(), "error", err)
			}
		})
	})
}

// Update updates the index of a tree in the background, and follows the tree from then on. It waits for the end of the update; if ctx
// ends first, the error is that of ctx and the update goes on. A tree that is updated already is waited for. rebuild parses all files
// again.
func (c *Code) Update(ctx context.Context, t *code.Tree, rebuild bool) (*api.CodeReport, error) {
	u := c.begin(t, rebuild)
	select {
	case <-u.done:
		return u.report, u.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *Code) begin(t *code.Tree, rebuild bool) *codeUpdate {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.of(t)
	if f.update != nil {
		return f.update
	}
	u := &codeUpdate{done: make(chan struct{})}
	if u.err = f.ctx.Err(); u.err != nil {
		close(u.done)
		return u
	}
	f.update = u
	c.work.Go(func() {
		u.report, u.err = t.Update(f.ctx, rebuild)
		c.mu.Lock()
		defer c.mu.Unlock()
		if f.update = nil; u.err == nil {
			c.watch(t, f)
		}
		close(u.done)
	})
	return u
}

// Stop ends what runs in the background for a tree, until the next call of Follow or Update. An update under way leaves the former
// state.
func (c *Code) Stop(t *code.Tree) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.trees[t.Root()]; f != nil {
		delete(c.trees, t.Root())
		f.cancel()
	}
}

// Close ends what runs in the background, and closes the indexes.
func (c *Code) Close() error {
	c.stop()
	c.work.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.library.Library == nil {
		return nil
	}
	return c.library.Close()
}
