package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

// EntityPage is what is known of an entity, as JSON.
type EntityPage struct {
	Entity   *Entity      `json:"entity"`
	Facts    []EntityNote `json:"facts"`
	Former   []EntityNote `json:"former_facts,omitempty"`
	Mentions []EntityNote `json:"mentions,omitempty"`
	// Relations hold, FormerRelations did once or will; Others are what is at their other ends.
	Relations       []json.RawMessage `json:"relations,omitempty"`
	FormerRelations []json.RawMessage `json:"former_relations,omitempty"`
	Others          []EntityNote      `json:"others,omitempty"`
	Timeline        []EntityEvent     `json:"timeline"`
	// Memories is how many name it. About: it counts those with all words of a name.
	Memories int      `json:"memories"`
	About    bool     `json:"about,omitempty"`
	Omitted  int      `json:"omitted,omitempty"`
	Degraded []string `json:"degraded,omitempty"`
}

// EntityNote is an insight of a page, with the beginning of its content.
type EntityNote struct {
	UUID    hippo.ID `json:"uuid"`
	Content string   `json:"content"`
	At      string   `json:"at"`
	// State is absent for an insight that holds.
	State hippo.State `json:"state,omitempty"`
}

// EntityEvent is a moment in the life of an entity, as JSON.
type EntityEvent struct {
	At   string   `json:"at"`
	What string   `json:"what"`
	UUID hippo.ID `json:"uuid"`
	Kind string   `json:"kind,omitempty"`
	Text string   `json:"text"`
}

// noteLength is how many characters of a content a page has.
const noteLength = 200

// EntityPageOf returns a page as JSON, for a reader of now. The error is that of [formats.EncodeRelation].
func EntityPageOf(p *api.EntityPage, now time.Time) (*EntityPage, error) {
	out := &EntityPage{
		Entity: EntityOf(p.Entity), Facts: notesOf(p.Facts, now), Former: notesOf(p.Former, now), Mentions: notesOf(p.Mentions, now), Others: notesOf(p.Others, now),
		Timeline: []EntityEvent{}, Memories: p.Memories, About: p.About, Omitted: p.Omitted, Degraded: p.Degraded,
	}
	for _, e := range p.Timeline {
		out.Timeline = append(out.Timeline, EntityEvent{e.At.UTC().Format(time.RFC3339), e.What, e.Memory, e.Kind, e.Text})
	}
	var err error
	if out.Relations, err = RelationsOf(p.Relations, now); err != nil {
		return nil, err
	}
	out.FormerRelations, err = RelationsOf(p.FormerRelations, now)
	return out, err
}

func notesOf(ms []*hippo.Memory, now time.Time) []EntityNote {
	out := make([]EntityNote, len(ms))
	for i, x := range ms {
		out[i] = EntityNote{x.ID, Clip(x.Content, noteLength), x.When().UTC().Format(time.RFC3339), StateOf(x, now)}
	}
	return out
}

// IDsOfPage returns the IDs that [EntityText] shows.
func IDsOfPage(p *api.EntityPage) []hippo.ID {
	var out []hippo.ID
	if !p.Entity.Found() {
		out = append(out, p.Entity.ID)
	}
	for _, list := range [][]*hippo.Memory{p.Facts, p.Former, p.Mentions, p.Others} {
		out = append(out, hippo.IDsOf(list...)...)
	}
	return out
}

// EntityLine formats an entity on a line.
func EntityLine(e *api.Entity, short hippo.ShortIDs) string {
	line := e.Name
	if e.Kind != "" {
		line += " (" + e.Kind + ")"
	}
	if len(e.Aliases) > 0 {
		line += ", also " + strings.Join(e.Aliases, ", ")
	}
	if line = termtext.Line(line); e.Found() {
		return line + ", found in texts"
	}
	return line + "  " + short.Of(e.ID)
}

// EntityText formats a page for a reader, a line each, of now, with days in the zone of that.
func EntityText(p *api.EntityPage, short hippo.ShortIDs, now time.Time) string {
	x := &pageText{page: p, short: short, now: now}
	x.add(EntityLine(p.Entity, short))
	if p.Entity.Description != "" {
		x.add("  " + termtext.Block(p.Entity.Description, "  "))
	}
	x.section("Now", p.Facts, p.Relations)
	x.section("Not now", p.Former, p.FormerRelations)
	x.section("Named in", p.Mentions, nil)
	if len(p.Timeline) > 0 {
		x.add("Timeline:")
	}
	for _, e := range p.Timeline {
		text := e.Text
		if e.Kind != "" {
			text = e.Kind + " " + text
		}
		x.add(fmt.Sprintf("  %s %s: %s", when.Date(e.At, now.Location()), e.What, termtext.Line(text)))
	}
	about := ""
	if p.About {
		about = "about "
	}
	name := "name"
	if p.Memories == 1 {
		name = "names"
	}
	count := fmt.Sprintf("%s%s %s it", about, Counted(p.Memories, "memory"), name)
	if p.Omitted > 0 {
		count += fmt.Sprintf("; %d more not shown", p.Omitted)
	}
	x.add(count)
	for _, note := range p.Degraded {
		x.add(note)
	}
	return strings.Join(x.lines, "\n")
}

// pageText collects the lines of a page.
type pageText struct {
	page  *api.EntityPage
	short hippo.ShortIDs
	now   time.Time
	lines []string
}

func (x *pageText) add(line string) { x.lines = append(x.lines, line) }

// section adds memories and relations below a heading, if there are any.
func (x *pageText) section(head string, ms []*hippo.Memory, rs []hippo.Relation) {
	if len(ms)+len(rs) > 0 {
		x.add(head + ":")
	}
	for i := range rs {
		x.add("  " + x.relation(&rs[i]))
	}
	for _, m := range ms {
		x.add("  " + x.short.Of(m.ID) + " " + Marked(termtext.Line(Clip(m.Content, noteLength)), m, x.now, x.short))
	}
}

// relation formats a relation from the entity, or to it, with the days between which it holds.
func (x *pageText) relation(r *hippo.Relation) string {
	other := ""
	for _, m := range x.page.Others {
		if m.ID == r.Other(x.page.Entity.ID) {
			other = x.short.Of(m.ID) + " " + termtext.Line(Clip(m.Content, noteLength))
		}
	}
	line := termtext.Line(r.Kind) + " " + other
	if r.To == x.page.Entity.ID {
		line = other + " " + termtext.Line(r.Kind) + " this"
	}
	return strings.Join(append([]string{line}, Periods(r, x.now)...), ", ")
}
