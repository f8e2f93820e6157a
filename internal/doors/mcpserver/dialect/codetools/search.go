package codetools

import (
	"context"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/verb"
)

// defaultHits is how many hits are shown by default, shownLines how many lines of each.
const defaultHits, shownLines = 5, 5

func (l *looker) search(ctx context.Context, detail string) error {
	if l.limit == 0 {
		l.limit = defaultHits
	}
	dir := l.call.Code.Dir()
	a, err := codeindex.SearchAll(ctx, l.q.trees, dir, codeindex.Query{Text: l.of, Count: l.limit, Filter: l.q.filter})
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
	l.list(len(a.Hits), func(i int) string { return hitText(&a.Hits[i], a.PlaceOf(&a.Hits[i], dir), lines) })
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
