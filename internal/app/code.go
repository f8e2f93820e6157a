package app

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/adrg/xdg"

	"github.com/hippo-memory/hippo/internal/codeindex"
	"github.com/hippo-memory/hippo/internal/codeindex/grammar"
	"github.com/hippo-memory/hippo/internal/codeindex/symbols"
	"github.com/hippo-memory/hippo/internal/codeindex/watch"
	"github.com/hippo-memory/hippo/internal/embed/static"
	"github.com/hippo-memory/hippo/internal/rank"
	"github.com/hippo-memory/hippo/models"
)

// OpenCode returns the code indexes of the user, in the cache directory. The caller closes them.
func OpenCode(o *Options) (*codeindex.Library, error) { return OpenCodeIn(codeFolder(), o) }

// OpenCodeIn is OpenCode for indexes in another folder.
func OpenCodeIn(dir string, o *Options) (*codeindex.Library, error) {
	own, err := static.Open(models.Builtin())
	if err != nil {
		return nil, err
	}
	tokens, err := static.OpenWithCode(own, models.Code())
	if err != nil {
		return nil, err
	}
	weights := rank.DefaultWeights()
	now := o.Now
	if now == nil {
		now = time.Now //nolint:forbidigo // the default clock
	}
	return codeindex.NewLibrary(codeindex.Config{
		Dir: dir, Parser: symbols.New(filepath.Join(xdg.CacheHome, "hippo", "grammars"), grammar.Limits{}), Model: static.Functions{WithCode: tokens}, Tokens: tokens,
		Weights: &weights, Now: now, Log: o.Log,
	}), nil
}

// codeFolder is where the code indexes are.
func codeFolder() string { return filepath.Join(xdg.CacheHome, "hippo", "code") }

// Code opens the code indexes of the user when they are first needed, and keeps those up to date that are asked. It is safe for
// concurrent use.
type Code struct {
	options *Options
	dir     string

	mu       sync.Mutex
	library  *codeindex.Library // nil: not opened
	followed map[*codeindex.Tree]bool
	stop     context.CancelFunc
	running  context.Context // that of the goroutines which follow trees
	work     sync.WaitGroup
}

// NewCode returns a Code that opened nothing. dir is the folder that the caller works in; empty: it is not known.
func NewCode(dir string, o *Options) *Code {
	c := &Code{options: o, dir: dir, followed: make(map[*codeindex.Tree]bool)}
	c.running, c.stop = context.WithCancel(context.Background())
	return c
}

// Dir returns the folder that the caller works in.
func (c *Code) Dir() string { return c.dir }

// Indexed is [CodeIndexed].
func (*Code) Indexed() bool { return CodeIndexed() }

// CodeIndexed reports whether there may be a code index, without opening any.
func CodeIndexed() bool {
	list, err := os.ReadDir(codeFolder())
	return err == nil && len(list) > 0
}

// Library returns the indexes. An error is not kept: the next call tries again.
func (c *Code) Library() (*codeindex.Library, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.library == nil {
		l, err := OpenCode(c.options)
		if err != nil {
			return nil, err
		}
		c.library = l
	}
	return c.library, nil
}

// Follow updates the index of a tree now and whenever its files change, in the background, until Close.
func (c *Code) Follow(t *codeindex.Tree) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.followed[t] || c.running.Err() != nil {
		return
	}
	c.followed[t] = true
	c.work.Go(func() {
		_ = watch.Run(c.running, t.Root.Path, func(ctx context.Context) []string { // it ends with Close
			r, err := t.Update(ctx, nil)
			if err != nil {
				if ctx.Err() == nil && c.options.Log != nil {
					c.options.Log.Debug("code index", "root", t.Root.Path, "error", err)
				}
				return nil
			}
			return r.Folders
		}, watch.Options{Log: c.options.Log})
	})
}

// Close ends what runs in the background, and closes the indexes.
func (c *Code) Close() error {
	c.stop()
	c.work.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.library == nil {
		return nil
	}
	return c.library.Close()
}
