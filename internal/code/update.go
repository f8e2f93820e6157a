package code

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/code/codeindex/watch"
	"github.com/hippo-memory/hippo/internal/config"
)

// Update brings the index of a root, as the user writes it, up to date, after it was added if need be. progress may be nil.
func (l Library) Update(ctx context.Context, path string, rebuild bool, progress func(api.CodeProgress)) (*Tree, *api.CodeReport, error) {
	path, err := config.Expand("path", path)
	if err != nil {
		return nil, nil, err
	}
	t, err := l.Add(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	r, err := t.tree.Update(ctx, &codeindex.UpdateOptions{Rebuild: rebuild, Progress: progress})
	return t, reportOf(r), err
}

// Update brings the index of the tree up to date; rebuild parses all files again.
func (t *Tree) Update(ctx context.Context, rebuild bool) (*api.CodeReport, error) {
	r, err := t.tree.Update(ctx, &codeindex.UpdateOptions{Rebuild: rebuild})
	return reportOf(r), err
}

func reportOf(r *codeindex.Report) *api.CodeReport {
	if r == nil {
		return nil
	}
	out := &api.CodeReport{
		Root: r.Root.Path, Project: r.Root.Project, Parsed: r.Parsed, Removed: r.Removed, Unchanged: r.Unchanged, CodeTotals: r.CodeTotals,
		Bytes: r.Bytes, Errors: r.Errors, MS: r.Took.Milliseconds(), Skips: make([]api.CodeSkip, len(r.Skips)),
	}
	for i, s := range r.Skips {
		out.Skips[i] = api.CodeSkip{Path: s.Path, Reason: string(s.Reason), Detail: s.Detail}
	}
	return out
}

// Problem is what is wrong with the index of a tree.
type Problem struct{ Root, Text string }

// Problems returns what is wrong with the indexes of the trees that are there.
func (l Library) Problems(ctx context.Context) (out []Problem, err error) {
	trees, err := l.Trees()
	for _, t := range trees {
		if _, gone := os.Stat(t.Root()); gone != nil {
			continue // hippo code status names it
		}
		if st := t.Status(ctx); st.Problem != "" {
			out = append(out, Problem{st.Root, st.Problem})
		}
	}
	return out, err
}

// MaxEncoded is the number of chunks of the largest tree whose code the encoder embeds.
const MaxEncoded = codeindex.MaxEncoded

// Encode embeds what has no vector by the encoder, for somebody who waits. progress may be nil.
func (t *Tree) Encode(ctx context.Context, progress func(api.CodeProgress)) error {
	return codeindex.Encode(ctx, t.tree, &codeindex.EncodeOptions{Now: true, Progress: progress})
}

// Change is an update of a tree that is followed.
type Change struct {
	Parsed, Removed int
	Took            time.Duration
}

// Follow updates the index of a tree whenever its files change, and embeds what changed in the background, until ctx ends, whose error it returns.
// updated is called with the outcome of each update, by one goroutine.
func (t *Tree) Follow(ctx context.Context, log *slog.Logger, updated func(Change, error)) error {
	changed := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { codeindex.EncodeWhenever(ctx, t.tree, changed) })
	defer work.Wait()
	defer cancel()
	return watch.Run(ctx, t.Root(), func(ctx context.Context) []string {
		r, err := t.tree.Update(ctx, nil)
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
