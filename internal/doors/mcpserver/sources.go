package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/base/tokencount"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/sources"
)

// codeLength is how many characters of the name and the first line of a hit of code are shown.
const codeLength = 160

// mixed is a page of insights and code. The embedded page is that of the insights among them.
type mixed struct {
	page
	all *api.SourcesAnswer
}

// callSources answers a search of code, and of insights beside it.
func (in *searchInput) callSources(ctx context.Context, s *session, asked sources.Set, q hippo.Query, limit int) (reply, error) {
	a, err := sources.Search(ctx, &sources.Asked{Sources: asked, Scope: s.scope, Insights: sources.InsightsOf(s.Memories), Trees: s.server.Code}, q)
	if err != nil {
		return reply{}, err
	}
	m := mixed{page: in.page(s, &a.Memory, &q, limit), all: a}
	if s.json {
		data, shown, err := m.data()
		s.conversation.showed(q.Text, a.Memory.IDs()[:m.insights(shown)])
		return reply{data: data, meta: m.meta(shown), count: shown}, err
	}
	m.ids = memory.ShortIDs(s.Memories, a.Memory.Named())
	text, shown := m.text()
	s.conversation.showed(q.Text, a.Memory.IDs()[:m.insights(shown)])
	return reply{text: text, meta: m.meta(shown), count: shown}, nil
}

// insights counts those among the first hits.
func (m *mixed) insights(shown int) (n int) {
	for _, h := range m.all.Hits[:shown] {
		if h.Insight != nil {
			n++
		}
	}
	return n
}

// text is the page for a model: as that of insights, with lines of code among them.
func (m *mixed) text() (text string, shown int) {
	facts := m.facts()
	left := budget(m.limit - tokencount.Of(m.heading(len(m.all.Hits))+facts+m.conflicts(len(m.answer.Hits))))
	var b strings.Builder
	for shown < len(m.all.Hits) {
		line := m.line(shown)
		if !left.take(line) {
			if shown > 0 {
				break
			}
			if m.all.Hits[0].Insight != nil {
				line = m.shortened(left)
			}
			left = 0
		}
		b.WriteString(line)
		shown++
	}
	return m.heading(shown) + facts + b.String() + m.conflicts(m.insights(shown)), shown
}

// heading says how much was found in each source, and what takes no part.
func (m *mixed) heading(shown int) string {
	a := m.all
	var b strings.Builder
	switch {
	case a.Total() == 0 && len(m.answer.Facts) > 0:
		b.WriteString("No insight or code, but facts")
	case a.Total() == 0:
		b.WriteString("Nothing found. Try fewer or other words, or no filter.")
	default:
		fmt.Fprintf(&b, "%d of %d: %s, code %s", shown, a.Total(), insights(a.Insights), grouped(a.Chunks))
	}
	if next := a.Next(m.view.Offset, shown); next > 0 {
		fmt.Fprintf(&b, ", next offset %d", next)
	}
	if a.Weak != "" {
		fmt.Fprintf(&b, ". Weak: these may not answer the question (%s). detail full shows the whole texts", note(a.Weak))
	}
	if len(m.answer.Degraded) > 0 {
		b.WriteString("; degraded: " + note(strings.Join(m.answer.Degraded, "; ")))
	}
	for _, n := range a.Notes {
		b.WriteString("\nnote: " + termtext.Line(n))
	}
	return b.String()
}

// line is the line of a hit: as in a page of insights, or the place, name and first line of code after a mark that no id has.
func (m *mixed) line(i int) string {
	h := &m.all.Hits[i]
	if h.Insight != nil {
		n := m.insights(i)
		return m.page.line(n, m.view.Shown(m.answer, n))
	}
	c := h.Code
	line := fmt.Sprintf("\n[code] %s %s %s", m.place(c), score(m.all.Weak, h.Relevance, false), termtext.Clip(termtext.Line(wire.CodeName(c)), codeLength))
	if c.Freshness != api.CodeFresh {
		line += " [" + string(c.Freshness) + "]"
	}
	if m.view.Full {
		line += quotedCode(c.Text)
	}
	return line
}

// place is where code is: with the root of its tree if several were asked.
func (m *mixed) place(c *api.CodeHit) string {
	path := c.Path
	if m.all.Trees > 1 {
		path = strings.TrimSuffix(c.Root, "/") + "/" + path
	}
	return fmt.Sprintf("%s:%d", termtext.Line(path), c.First)
}

// quotedCode is a text of a file, each line below the one before with a mark: it is no part of the answer.
func quotedCode(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("\n" + termtext.Continuation + termtext.Block(strings.TrimRight(line, "\r\n"), ""))
	}
	return b.String()
}

// data is the page as JSON.
func (m *mixed) data() (out *wire.SourcesAnswer, shown int, err error) {
	out, err = m.view.Sources(m.all)
	if err != nil || len(out.Results) == 0 {
		return out, 0, err
	}
	hits := out.Results
	out.Results, out.NextOffset = nil, m.all.Total()
	left := budget(m.limit)
	if !left.take(jsonOf(out)) {
		return nil, 0, tooFewTokens(jsonOf(out))
	}
	for shown < len(hits) && left.take(jsonOf(hits[shown])+",") {
		shown++
	}
	if shown == 0 {
		return nil, 0, tooFewTokens(jsonOf(out) + jsonOf(hits[0]))
	}
	out.Results, out.ReturnedCount, out.NextOffset = hits[:shown], shown, m.all.Next(m.view.Offset, shown)
	return out, shown, nil
}

// meta is what a program reads of the page: the IDs are those of insights.
func (m *mixed) meta(shown int) wire.Meta {
	out := wire.Meta{Total: m.all.Total(), NextOffset: m.all.Next(m.view.Offset, shown), Weak: m.all.Weak}
	for i := range m.answer.Hits[:m.insights(shown)] {
		out.IDs = append(out.IDs, m.answer.Hits[i].Memory.ID)
	}
	return out
}
