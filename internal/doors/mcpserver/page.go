package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/agents/cited"
	"github.com/hippo-memory/hippo/internal/base/tokencount"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
	"github.com/hippo-memory/hippo/internal/verb"
)

const (
	// previewLength is how many characters of a content a hit shows.
	previewLength = 300
	// situationLength is how many characters of the situation a hit shows.
	situationLength = 60
	// noteLength is how many characters a note in the heading has: why an answer is weak, or
	// what is degraded.
	noteLength = 120
	// maxConflicts is how many conflicts a page shows.
	maxConflicts = 5
)

// page is an answer within a limit of tokens.
type page struct {
	answer *hippo.Answer
	view   wire.View
	ids    hippo.ShortIDs
	limit  int
	// files says which files that a memory names are gone.
	files *cited.Check
	// bare leaves out the situation and the explanation of hits.
	bare bool
	// advice says what to do if nothing was found.
	advice string
}

// text returns the page for a model: a heading, a line a hit, and the conflicts among them. shown
// is how many hits it has. At least one is shown, shortened if it has to be.
func (p *page) text() (text string, shown int) {
	a := p.answer
	facts := p.facts()
	left := budget(p.limit - tokencount.Of(p.heading(len(a.Hits)-1)+facts+p.conflicts(len(a.Hits))))
	var b strings.Builder
	for shown < len(a.Hits) {
		line := p.line(shown, p.view.Shown(a, shown))
		if !left.take(line) {
			if shown > 0 {
				break
			}
			line = p.shortened(left)
			left = 0
		}
		b.WriteString(line)
		shown++
	}
	return p.heading(shown) + facts + b.String() + p.conflicts(shown), shown
}

// facts returns a line for each fact of the entities that the query names, as many as fit in a quarter of the limit.
func (p *page) facts() string {
	const share = 4
	left := budget(p.limit / share)
	var b strings.Builder
	for i := range p.answer.Facts {
		if line := "\n" + oneLine(knowledge.FactText(&p.answer.Facts[i], p.view.Now)); left.take(line) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// shortened returns the line of the first hit with as much of its content as fits.
func (p *page) shortened(left budget) string {
	h := &p.answer.Hits[0]
	one := func(n int) string { return p.line(0, wire.PreviewOf(h, n+1)) }
	line := left.shortened(len(h.Memory.Content), one)
	if !left.take(line) {
		p.bare = true
		line = left.shortened(len(h.Memory.Content), one)
	}
	return line
}

// next returns where the page after one with some hits begins; 0 if that is the last.
func (p *page) next(shown int) int {
	if end := p.view.Offset + shown; shown > 0 && end < p.answer.Total {
		return end
	}
	return 0
}

// heading says how much was found, how sure that is, and where the next page begins.
func (p *page) heading(shown int) string {
	a := p.answer
	var b strings.Builder
	switch outside := a.Distribution.Sum(); {
	case a.Total == 0 && len(a.Facts) > 0:
		b.WriteString("No insight, but facts")
	case a.Total == 0 && outside > 0:
		fmt.Fprintf(&b, "No insight in this relevance range; %d match outside of it.", outside)
	case a.Total == 0:
		b.WriteString("No insight found. Try fewer or other words, or no filter." + p.advice)
	default:
		fmt.Fprintf(&b, "%d of %d", shown, a.Total)
	}
	if period := wire.PeriodText(a, p.view.Now); period != "" {
		b.WriteString(" " + period)
	}
	if next := p.next(shown); next > 0 {
		fmt.Fprintf(&b, ", next offset %d", next)
	}
	switch {
	case a.Weak != "":
		fmt.Fprintf(&b, ". Weak: these may not answer the question (%s). detail full shows the whole texts", note(a.Weak))
	case a.Confidence > 0 && a.Total > 0:
		b.WriteString(", confidence " + decimal(a.Confidence))
	}
	if a.Elsewhere > 0 {
		fmt.Fprintf(&b, `; %d more in other projects: project "*"`, a.Elsewhere)
	}
	if len(a.Degraded) > 0 {
		b.WriteString("; degraded: " + note(strings.Join(a.Degraded, "; ")))
	}
	return b.String()
}

// note returns a text of the program as a part of the heading.
func note(s string) string { return forModel(wire.Clip(s, noteLength)) }

// score returns the relevance of a hit. In a weak answer only an explanation shows it: a high number would deny what the heading says.
func score(weak string, relevance float64, explained bool) string {
	if weak != "" && !explained {
		return wire.WeakScore
	}
	return decimal(relevance)
}

// line returns the line of a hit: id, score, content, situation, date.
func (p *page) line(i int, shown wire.Preview) string {
	h := &p.answer.Hits[i]
	m, id := h.Memory, p.ids.Of(h.Memory.ID)
	var b strings.Builder
	b.WriteString("\n" + id + " " + score(p.answer.Weak, h.Relevance, h.Explanation != nil) + " ")
	if wire.Flags(m) != nil {
		b.WriteString("(" + wire.InstructionsNote + ") ")
	}
	b.WriteString(oneLine(shown.Text))
	if shown.More > 0 && !shown.Ends {
		b.WriteString(" ...")
	}
	if len(m.Situation) > 0 && !p.bare {
		b.WriteString(" (" + oneLine(wire.Clip(strings.Join(m.Situation, "; "), situationLength)) + ")")
	}
	b.WriteString(" | " + when.Day(m.When(), p.view.Now))
	if m.Archived() {
		b.WriteString(", archived")
	}
	if note := wire.StateNote(m, p.view.Now, p.ids); note != "" {
		b.WriteString(", " + note)
	}
	if note := query.ContradictionNote(h.ContradictedBy, p.view.Now); note != "" {
		b.WriteString(", " + note)
	}
	if m.Project == "" && m.UserPreference() {
		b.WriteString(", " + wire.PreferenceNote)
	}
	if note := cited.Note(p.files.Missing(m)); note != "" {
		b.WriteString(", " + forModel(note))
	}
	if note := wire.SameNote(h.Same, p.ids); note != "" {
		b.WriteString(", " + note)
	}
	if shown.More > 0 {
		fmt.Fprintf(&b, ", +%s chars: get %s", grouped(shown.More), id)
	}
	if h.Explanation != nil && !p.bare {
		b.WriteString("\n   " + why(h))
	}
	return b.String()
}

// conflicts returns a line for each of the first contradictions among the first hits.
func (p *page) conflicts(shown int) string {
	var b strings.Builder
	among := func(id hippo.ID) bool {
		return slices.ContainsFunc(p.answer.Hits[:shown], func(h hippo.Hit) bool { return h.Memory.ID == id })
	}
	n := 0
	for _, c := range p.answer.Conflicts {
		if n < maxConflicts && among(c.A) && among(c.B) {
			fmt.Fprintf(&b, "\nconflict: %s, %s: %s", p.ids.Of(c.A), p.ids.Of(c.B), note(c.Reason))
			n++
		}
	}
	return b.String()
}

// data returns the page as JSON. The first hit is shown even if it has to be shortened; one whose
// other fields alone pass the limit is an error that names the limit it needs.
func (p *page) data() (out *wire.Answer, shown int, err error) {
	out, err = p.view.Answer(p.answer)
	if err != nil || len(out.Results) == 0 {
		return out, 0, err
	}
	hits := out.Results
	out.Results, out.NextOffset = nil, p.answer.Total
	left := budget(p.limit)
	if !left.take(jsonOf(out)) {
		return nil, 0, tooFewTokens(jsonOf(out))
	}
	for shown < len(hits) && left.take(jsonOf(hits[shown])+",") {
		shown++
	}
	if shown == 0 {
		first := left.shortened(len(p.answer.Hits[0].Memory.Content), func(n int) string {
			v := p.view
			v.Full, v.Preview = false, n+1
			short, err := v.Answer(&hippo.Answer{Hits: p.answer.Hits[:1], Day: p.answer.Day})
			if err == nil {
				hits[0] = short.Results[0]
			}
			return jsonOf(hits[0])
		})
		if !left.take(first) {
			return nil, 0, tooFewTokens(first)
		}
		shown = 1
	}
	out.Results, out.ReturnedCount, out.NextOffset = hits[:shown], shown, p.next(shown)
	return out, shown, nil
}

// jsonOf returns a value as JSON; empty if it has none, which nothing here has.
func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// tooFewTokens is the error for a limit that not even a part of a result fits.
func tooFewTokens(part string) error {
	return hippo.Fieldf("max_tokens", "is too few for the JSON of one result: give %d, or leave out format", max(2*tokencount.Of(part), verb.MinTokens))
}

// meta returns what a program reads of a page with some hits.
func (p *page) meta(shown int) wire.Meta {
	m := wire.Meta{Total: p.answer.Total, NextOffset: p.next(shown), Weak: p.answer.Weak, Confidence: wire.Round(p.answer.Confidence, 4)}
	for i := range p.answer.Hits[:shown] {
		m.IDs = append(m.IDs, p.answer.Hits[i].Memory.ID)
	}
	return m
}
