package codeindex

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
)

// Notes says what answers lack at the moment: those of an index that is being updated are of the former state, and
// those of an index of another version of the program lack what this one reads of files.
func Notes(t *Tree) []string {
	p, running := t.state.get()
	if !running {
		if heldElsewhere(t, lockFile) {
			return []string{"the index is being updated by another process: this is the former state"}
		}
		if foreign(t) {
			return []string{"the index was made by another version of hippo: hippo code index " + termtext.Argument(t.Root.Path) + " makes it again"}
		}
		if note := damage(t); note != "" {
			return []string{note}
		}
		return nil
	}
	text := "the index is being updated (" + string(p.Phase)
	if p.Total > 0 {
		text += fmt.Sprintf(", %d %%", 100*p.Done/p.Total)
	}
	return []string{text + "): this is the former state"}
}

// foreign reports whether the content of the index that serves is that of another version of the program.
func foreign(t *Tree) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.serving != nil && t.serving.current.Load().Content != catalog.Content
}

// damage says that the index that serves lost an update; empty: it did not.
func damage(t *Tree) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.serving == nil || t.serving.journal.Damaged() == 0 {
		return ""
	}
	return "degraded: the index is damaged, or an update was interrupted: files may be missing, or be those of a former state; hippo code index " +
		termtext.Argument(t.Root.Path) + " reads them again"
}

// Status returns the state. A root without an index, or that was deleted, is a problem that it names.
func (t *Tree) Status(ctx context.Context) api.CodeStatus {
	root := rootOf(t)
	s := api.CodeStatus{Root: root.Path, Project: root.Project, Languages: make(map[string]int)}
	p, running := t.state.get()
	if running {
		s.Progress = &p
	} else {
		s.Elsewhere = heldElsewhere(t, lockFile)
	}
	s.Began, s.Failed = t.state.last()
	if folder, err := t.open(); err != nil {
		s.Problem = err.Error()
	} else {
		_ = folder.Close() // it was only opened
	}
	g, done, err := t.use(ctx)
	if err != nil {
		s.Problem = err.Error()
		return s
	}
	defer done()
	state := g.current.Load()
	s.CodeTotals, s.Updated = totalsOf(state), state.Updated
	for _, e := range state.Entries() {
		s.Languages[e.Language]++
	}
	if skips, err := t.Skips(); err == nil {
		s.Skipped = len(skips)
	}
	for _, name := range []string{catalogFile, wordsFile} {
		if info, err := os.Stat(filepath.Join(g.dir, name)); err == nil {
			s.Bytes += info.Size()
		}
	}
	if !running && !s.Elsewhere {
		s.Problem = cmp.Or(s.Problem, damage(t))
	}
	g.load(true)
	s.CodeVectors = encodingOf(t, g)
	return s
}
