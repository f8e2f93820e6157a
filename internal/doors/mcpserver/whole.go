package mcpserver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/agents/cited"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

const (
	// maxRelations is how many relations of a memory are shown, the strongest.
	maxRelations = 10
	// relatedLength is how many characters of a related memory are shown.
	relatedLength = 60
)

// whole shows memories with all their fields.
type whole struct {
	memories   []*hippo.Memory
	excerpt    func(hippo.ID) []hippo.Span
	links      map[hippo.ID][]api.CodeLink
	files      *cited.Check
	relations  []hippo.Relation
	others     map[hippo.ID]*hippo.Memory // at the ends of relations
	ids        hippo.ShortIDs
	day        hippo.Day
	now        time.Time
	importance func(*hippo.Memory, hippo.Day) float64
	title      func(project string) string // for people
}

// of returns the relations of a memory, those that hold now before the others, the strongest first.
func (w *whole) of(m *hippo.Memory) []hippo.Relation {
	var out []hippo.Relation
	for _, r := range w.relations {
		if r.From == m.ID || r.To == m.ID {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b hippo.Relation) int {
		if now := a.ValidAt(w.now); now != b.ValidAt(w.now) {
			return map[bool]int{true: -1, false: 1}[now]
		}
		return cmp.Compare(b.Weight, a.Weight)
	})
	return out[:min(len(out), maxRelations)]
}

// show returns a memory with at most n characters of its content, see [wire.Part]: a line of facts, one of the
// situation, the content, whose lines all begin with a mark, and a line for each relation.
func (w *whole) show(m *hippo.Memory, n int) string {
	var b strings.Builder
	b.WriteString(w.ids.Of(m.ID) + " " + strings.Join(w.facts(m), ", "))
	if len(m.Situation) > 0 {
		b.WriteString("\nsituation: " + forModel(strings.Join(m.Situation, "; ")))
	}
	if wire.Flags(m) != nil {
		b.WriteString("\n" + wire.InstructionsNote)
	}
	content := wire.Part(m.Content, w.excerpt(m.ID), n)
	if content.More > 0 {
		fmt.Fprintf(&b, "\n+%s chars: get it again with more max_tokens", grouped(content.More))
	}
	b.WriteString("\n" + termtext.Continuation + termtext.Disarm(termtext.Block(content.Text, "")))
	for _, l := range w.links[m.ID] {
		b.WriteString("\ncode: " + wire.CodeLinkText(&l, w.now.Location()))
	}
	for _, r := range w.of(m) {
		b.WriteString("\n" + w.related(m, &r))
	}
	return b.String()
}

// facts are the fields of a memory that say something.
func (w *whole) facts(m *hippo.Memory) []string {
	out := []string{when.Day(m.When(), w.now), "importance " + decimal(w.importance(m, w.day))}
	add := func(is bool, format string, args ...any) {
		if is {
			out = append(out, forModel(fmt.Sprintf(format, args...)))
		}
	}
	add(m.Pinned, "pinned")
	add(m.Type != "", "%s", m.Type)
	for _, t := range m.Tags {
		add(true, "#%s", t)
	}
	add(m.Source.Kind != "", "by %s", strings.TrimSpace(string(m.Source.Kind)+" "+m.Source.Author))
	add(m.Project != "", "project %s", w.title(m.Project))
	add(m.Version > 1, "version %d of %s", m.Version, when.Day(m.UpdatedAt, w.now))
	begins := "holds from %s"
	if m.StateAt(w.now) == hippo.NotYet {
		begins = "not before %s"
	}
	add(!m.ValidFrom.IsZero(), begins, when.Day(m.ValidFrom, w.now))
	add(!m.ValidUntil.IsZero(), "holds until %s", when.Day(m.ValidUntil, w.now))
	add(m.StateAt(w.now) == hippo.Ended, "ended")
	add(!m.SupersededBy.IsZero(), "superseded by %s", w.ids.Of(m.SupersededBy))
	add(!m.ForgottenAt.IsZero(), "forgotten %s", when.Day(m.ForgottenAt, w.now))
	note := cited.Note(w.files.Missing(m))
	add(note != "", "%s", note)
	return out
}

// related returns the line of a relation of a memory.
func (w *whole) related(m *hippo.Memory, r *hippo.Relation) string {
	kind, other := forModel(r.Kind)+" ->", r.Other(m.ID)
	switch {
	case r.Kind == hippo.CoRecalled:
		kind = "found with"
	case r.To == m.ID:
		kind = "<- " + forModel(r.Kind)
	}
	content := ""
	if x := w.others[other]; x != nil {
		content = wire.Marked(forModel(wire.Clip(x.Content, relatedLength)), x, w.now, w.ids)
	}
	period := wire.RelationNote(r, w.now)
	if period != "" {
		period = " (" + period + ")"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", kind, w.ids.Of(other), content)) + period
}
