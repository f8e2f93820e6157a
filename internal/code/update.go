package code

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/code/codeindex/watch"
	"github.com/hippo-memory/hippo/internal/config"
)

// Progress is how far an update is; a Total of 0 and a Left of 0 are not known.
type Progress struct {
	Phase       string
	Done, Total int64
	Left        time.Duration
}

// reporting returns the function that package codeindex calls; nil without one.
func reporting(fn func(Progress)) func(codeindex.Progress) {
	if fn == nil {
		return nil
	}
	return func(p codeindex.Progress) {
		fn(Progress{string(p.Phase), p.Done, p.Total, p.Left})
	}
}

// Update brings the index of a root, as the user writes it, up to date, after it was added if need be. progress may be nil.
func (l Library) Update(ctx context.Context, path string, rebuild bool, progress func(Progress)) (*Tree, *codeindex.Report, error) {
	path, err := config.Expand("path", path)
	if err != nil {
		return nil, nil, err
	}
	t, err := l.Add(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	r, err := t.Update(ctx, &codeindex.UpdateOptions{Rebuild: rebuild, Progress: reporting(progress)})
	return &Tree{tree: t}, r, err
}

// Problem is what is wrong with the index of a tree.
type Problem struct{ Root, Text string }

// Problems returns what is wrong with the indexes of the trees that are there.
func (l Library) Problems(ctx context.Context) (out []Problem, err error) {
	trees, err := l.Trees()
	for _, t := range trees {
		if _, gone := os.Stat(t.Root.Path); gone != nil {
			continue // hippo code status names it
		}
		if st := t.Status(ctx); st.Problem != "" {
			out = append(out, Problem{st.Root.Path, st.Problem})
		}
	}
	return out, err
}

// MaxEncoded is the number of chunks of the largest tree whose code the encoder embeds.
const MaxEncoded = codeindex.MaxEncoded

// Encode embeds what has no vector by the encoder, for somebody who waits. progress may be nil.
func (t *Tree) Encode(ctx context.Context, progress func(Progress)) error {
	return codeindex.Encode(ctx, t.tree, &codeindex.EncodeOptions{Now: true, Progress: reporting(progress)})
}

// Change is an update of a tree that is followed.
type Change struct {
	Parsed, Removed int
	Took            time.Duration
}

// Follow follows a tree for somebody who sees every update of it; see [Follow].
func (t *Tree) Follow(ctx context.Context, log *slog.Logger, updated func(Change, error)) error {
	return Follow(ctx, t.tree, log, updated)
}

// Follow updates the index of a tree whenever its files change, and embeds what changed in the background, until ctx ends, whose error it returns.
// updated is called with the outcome of each update, by one goroutine.
func Follow(ctx context.Context, t *codeindex.Tree, log *slog.Logger, updated func(Change, error)) error {
	changed := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { codeindex.EncodeWhenever(ctx, t, changed) })
	defer work.Wait()
	defer cancel()
	return watch.Run(ctx, t.Root.Path, func(ctx context.Context) []string {
		r, err := t.Update(ctx, nil)
		if err != nil {
			if ctx.Err() == nil {
				updated(Change{}, err)
			}
			return nil
		}
		updated(Change{r.Parsed, r.Removed, r.Took}, nil)
		select {
		case changed <- struct{}{}:
		default:
		}
		return r.Folders
	}, watch.Options{Log: log})
}
