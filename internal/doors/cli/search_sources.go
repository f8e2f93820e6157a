package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

// searchSources searches code, and insights beside it, and prints what it finds.
func searchSources(ctx context.Context, s *shell, m *client.Client, names []string, q api.Search) error {
	dir, _ := os.Getwd() // without it no tree is preferred
	a, err := m.SearchSources(ctx, api.SearchSources{Search: q, Sources: names, Dir: dir})
	switch {
	case errors.Is(err, hippo.ErrNotFound): // no tree is indexed: the store is not what is missing
		return sourceError{err}
	case err != nil:
		return err
	}
	return printSources(s, a, &q.Query, filesOf(ctx, s, m, momentOf(&q.Query), foundIn(&a.Memory)))
}

func printSources(s *shell, a *api.SourcesAnswer, q *hippo.Query, files missingFiles) error {
	for _, d := range a.Memory.Degraded {
		s.warn("degraded: %s", d)
	}
	for _, n := range a.Notes {
		s.warn("%s", n)
	}
	if a.Weak != "" {
		s.warn("these may not answer the question (%s)", a.Weak)
	}
	s.count = len(a.Hits)
	v := wire.View{Offset: q.Offset, Now: s.now(), Full: true, Importance: client.ImportanceOn}
	shown := wire.View{Offset: q.Offset, Preview: hitPreview}
	if s.json {
		out, err := v.Sources(a)
		if err != nil {
			return err
		}
		return s.printJSON(out)
	}
	ids := shortIDs(s, a.Memory.Named()...)
	if !s.lines {
		printAnsweredFacts(s, a.Memory.Facts)
	}
	switch {
	case s.lines, len(a.Hits) == 0 && len(a.Memory.Facts) > 0:
	case len(a.Hits) == 0:
		fmt.Fprintln(s.out, "Nothing found. Try fewer or other words, or no filter.")
	default:
		fmt.Fprintf(s.out, "%d of %d: %s, code %d\n", len(a.Hits), a.Total(), memories(a.Insights), a.Chunks)
	}
	v.Full = false
	insight := 0
	for i := range a.Hits {
		h := &a.Hits[i]
		switch {
		case h.Code != nil:
			printCodeHit(s, h, score(a.Weak, q, h.Relevance), a.Trees > 1)
			continue
		case s.lines:
			fmt.Fprintln(s.out, hitLine(s, h.Insight, ids))
		default:
			printHit(s, h.Insight, score(a.Weak, q, h.Relevance), shown.Shown(&a.Memory, insight), ids, files)
		}
		insight++
	}
	if s.lines {
		factLines(s, a.Memory.Facts)
	} else {
		printConflicts(s, &a.Memory, ids)
	}
	return nil
}

// printCodeHit prints code among insights: its first line, then where it is, marked as code.
func printCodeHit(s *shell, h *api.SourceHit, score string, several bool) {
	c := h.Code
	place := fmt.Sprintf("%s:%d", c.Path, c.First)
	if several {
		place = strings.TrimSuffix(c.Root, string(os.PathSeparator)) + string(os.PathSeparator) + place
	}
	if s.lines {
		fmt.Fprintln(s.out, strings.Join([]string{field(place), "", "code", field(c.Kind), preview(wire.CodeName(c), previewLength)}, "|"))
		return
	}
	notes := "code · " + place
	if c.Freshness != api.CodeFresh {
		notes += " · " + string(c.Freshness)
	}
	fmt.Fprintf(s.out, "\n%s  %s\n%s\n", score, preview(wire.CodeName(c), previewLength), indent+dim(s, termtext.Line(notes)))
}
