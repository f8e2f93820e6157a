package codetools

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/verb"
)

// defaultHits is how many hits are shown by default, shownLines how many lines of each.
const defaultHits, shownLines = 5, 5

func (l *looker) search(ctx context.Context, detail string) error {
	l.q.trees.Count = cmp.Or(l.q.trees.Count, defaultHits)
	if l.q.tree != nil {
		l.q.trees.Path = l.q.tree.Path
	}
	a, places, err := l.q.trees.Search(ctx, l.of)
	if err != nil {
		return err
	}
	lines := shownLines
	if detail == verb.DetailFull {
		lines = wholeText
	}
	l.page.always(a.Notes...)
	if len(a.Hits) == 0 {
		l.page.always("No code found. Try fewer or other words, or no filter.")
		return nil
	}
	if a.Weak != "" {
		l.page.always("weak answer: " + a.Weak)
	}
	l.list(len(a.Hits), func(i int) string { return hitText(&a.Hits[i], places[i], lines) })
	return nil
}

// hitText is the path of a hit and its lines, its relevance and signature, and the first lines of its text.
func hitText(h *api.CodeHit, path string, lines int) string {
	head := fmt.Sprintf("%s:%d-%d %s", path, h.First, h.Last, strings.TrimPrefix(fmt.Sprintf("%.2f", h.Relevance), "0"))
	if h.Signature != "" {
		head += " " + clip(h.Signature)
	}
	return placed(head, h.Freshness) + quoted(h.Text, lines)
}
