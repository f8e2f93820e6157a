package codetools

import (
	"context"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/code"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/verb"
)

func reply(ctx context.Context, c *d.Call, q *question) (d.Result, error) {
	l := looker{call: c, q: q, of: q.of, page: newPage(q.tokens)}
	show := c.Text("show")
	if l.of == "" && (show == "" || show == showOutline || show == showMap) { // what is asked about may be in path
		l.of, q.tree.Path = q.tree.Path, ""
	}
	if show == "" {
		var err error
		if show, err = whatToShow(ctx, q, l.of); err != nil {
			return d.Result{}, err
		}
	}
	if l.of == "" && show != showMap {
		return d.Result{}, hippo.Fieldf("query", "is required for show %s: words, a name such as Server.Close, or the path of a file", show)
	}
	if show == showSearch { // its answer has these notes as well
		err := l.search(ctx, c.Text("detail"))
		return l.page.result(l.count), err
	}
	l.page.always(q.tree.Notes()...)
	var err error
	switch show {
	case showOutline:
		err = l.outline(ctx)
	case showMap:
		err = l.overview(ctx)
	case showCallers, showCallees:
		err = l.edges(ctx, show == showCallees)
	case showRelated:
		err = l.related(ctx)
	default:
		err = l.symbol(ctx)
	}
	return l.page.result(l.count), err
}

// whatToShow returns what fits a text: the outline of a file, the map of a folder, the definitions of a name, else a search.
func whatToShow(ctx context.Context, q *question, text string) (string, error) {
	switch {
	case text == "":
		return showMap, nil
	case q.tree == nil:
		return showSearch, nil
	}
	if path, err := q.tree.Relative(text); err == nil {
		held, err := q.tree.Holds(ctx, path)
		if err != nil {
			return "", err
		}
		if held {
			if _, err := q.tree.Outline(ctx, path); err == nil {
				return showOutline, nil
			}
			return showMap, nil
		}
	}
	if strings.ContainsAny(text, " \t\n") {
		return showSearch, nil
	}
	best := *q.tree
	best.Count = 1
	list, err := best.Named(ctx, text, false)
	if err != nil || len(list) == 0 || !isCalled(&list[0], text) {
		return showSearch, err
	}
	return showSymbol, nil
}

// isCalled reports whether a definition has a name, case aside.
func isCalled(x *api.CodeSymbol, name string) bool {
	return strings.HasSuffix(strings.ToLower("."+x.Name), "."+strings.ToLower(lastPart(name)))
}

// looker answers one question.
type looker struct {
	call  *d.Call
	q     *question
	of    string
	page  *page
	count int
}

// list adds a line or more for each of n things until the page is full.
func (l *looker) list(n int, text func(i int) string) {
	for i := range n {
		if !l.page.add(text(i)) {
			l.page.always(fmt.Sprintf("%d more do not fit: max_tokens", n-i))
			return
		}
		l.count++
	}
}

func (l *looker) symbol(ctx context.Context) error {
	list, err := l.q.tree.Named(ctx, l.of, true)
	if err != nil {
		return err
	}
	if len(list) == 0 && lastPart(l.of) != l.of { // what holds it may be wrong
		if list, err = l.q.tree.Named(ctx, lastPart(l.of), true); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("%w: nothing in %s is called %.100s", hippo.ErrNotFound, l.q.tree.Root(), l.of)
	}
	exact := isCalled(&list[0], l.of)
	if !exact {
		l.page.always(fmt.Sprintf("nothing is called %s; near are", clip(l.of)))
	}
	l.list(len(list), func(i int) string {
		x, lines := &list[i], 0
		if exact && i == 0 {
			lines = 4 * shownLines
		}
		text := definitionLine(x) + quoted(x.Doc, shownLines)
		if lines > 0 {
			text += quoted(x.Text, lines)
		}
		return text
	})
	return nil
}

// lastPart is the last part of a qualified name.
func lastPart(name string) string { return name[strings.LastIndexAny(name, ".:#/")+1:] }

func (l *looker) outline(ctx context.Context) error {
	path, err := l.q.tree.Relative(l.of)
	if err != nil {
		return verb.Renamed(err, "query")
	}
	list, err := l.q.tree.Outline(ctx, path)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		l.page.always(path + " defines nothing")
		return nil
	}
	l.page.always(placed(path, list[0].Freshness))
	l.list(len(list), func(i int) string {
		return fmt.Sprintf("%s%d %s", strings.Repeat(" ", strings.Count(list[i].Key, ".")), list[i].First, signature(&list[i]))
	})
	return nil
}

func (l *looker) overview(ctx context.Context) error {
	path, err := l.q.tree.Relative(l.of)
	if err != nil {
		return verb.Renamed(err, "query")
	}
	l.q.tree.Path = path
	m, err := l.q.tree.Overview(ctx, min(max(l.page.left, code.MinMapTokens), code.MaxMapTokens))
	if err != nil {
		return err
	}
	l.page.always(m.Root)
	for line := range strings.Lines(m.Text) {
		l.page.blocks = append(l.page.blocks, termtext.Line(strings.TrimRight(line, "\n")))
	}
	if l.count = len(m.Files); m.More > 0 {
		l.page.always(fmt.Sprintf("%d more files: max_tokens, or query with a folder", m.More))
	}
	return nil
}

func (l *looker) edges(ctx context.Context, callees bool) error {
	e, err := l.q.tree.Edges(ctx, l.of, callees, false)
	if err != nil {
		return err
	}
	l.definitions(e.Of, e.MoreOf)
	if len(e.Edges) == 0 {
		l.page.always("  none in the tree")
	}
	l.list(len(e.Edges), func(i int) string { return edgeLine(&e.Edges[i], callees) })
	if e.More > 0 {
		l.page.always(fmt.Sprintf("%d more: limit", e.More))
	}
	if len(e.Outside) > 0 {
		l.page.add("  outside of the tree: " + clip(strings.Join(e.Outside, ", ")))
	}
	return nil
}

// definitions adds what a name means.
func (l *looker) definitions(of []api.CodeSymbol, more int) {
	for i := range of {
		l.page.add(definitionLine(&of[i]))
	}
	if more > 0 {
		l.page.always(fmt.Sprintf("and %d more of that name: a qualified name or path narrows it", more))
	}
}

func edgeLine(e *api.CodeEdge, callee bool) string {
	at, name := e.Line, e.Name
	if callee {
		at = e.First
	}
	if name == "" {
		name = "(top of the file)"
	}
	line := placed(fmt.Sprintf("  %s:%d %s", e.Path, at, clip(name)), e.Freshness)
	switch {
	case e.Candidates > 1:
		line += fmt.Sprintf(" [one of %d]", e.Candidates)
	case !e.Sure:
		line += " [by name]"
	}
	return line
}

func (l *looker) related(ctx context.Context) error {
	of := l.of
	if path, err := l.q.tree.Relative(of); err == nil {
		if held, err := l.q.tree.Holds(ctx, path); err == nil && held {
			of = path
		}
	}
	r, err := l.q.tree.Related(ctx, of)
	if err != nil {
		return err
	}
	if r.File != "" {
		l.page.always(r.File)
	}
	l.definitions(r.Of, r.MoreOf)
	for _, g := range r.Groups {
		head := g.Relation + ":"
		if g.More > 0 {
			head = fmt.Sprintf("%s (%d more):", g.Relation, g.More)
		}
		l.page.add(head)
		l.list(len(g.Symbols), func(i int) string { return "  " + definitionLine(&g.Symbols[i]) })
	}
	if len(r.Groups) == 0 {
		l.page.always("nothing is related to it in the tree")
	}
	name := lastPart(of)
	if r.File != "" {
		name = r.File[strings.LastIndexByte(r.File, '/')+1:]
	}
	return l.memories(ctx, of, name)
}

const (
	// maxMemories is how many memories about code are shown; foundShare times as many are searched for.
	maxMemories, foundShare = 3, 4
	// shownMemory is how many characters of each are shown.
	shownMemory = 120
)

// memories adds those that name a definition or a file.
func (l *looker) memories(ctx context.Context, of, name string) error {
	a, err := query.Search(ctx, l.call.Memories, hippo.Query{Text: of, Ranker: hippo.RankerBM25, Count: foundShare * maxMemories, NoTouch: true, Detail: hippo.Detail{NoDistribution: true}})
	if err != nil {
		return err
	}
	var lines []string
	short := memory.ShortIDs(l.call.Memories, a.Named())
	for _, h := range a.Hits {
		if len(lines) < maxMemories && code.SpeaksOf(h.Memory.Content, name) {
			lines = append(lines, "  "+short.Of(h.Memory.ID)+" "+termtext.Line(wire.Clip(h.Memory.Content, shownMemory)))
		}
	}
	if len(lines) > 0 && l.page.add("insights that name it:") {
		l.list(len(lines), func(i int) string { return lines[i] })
	}
	return nil
}
