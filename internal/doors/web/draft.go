package web

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
	"github.com/hippo-memory/hippo/internal/verb"
)

// draft holds the fields of a memory as the texts of a form, and the problem with them.
type draft struct {
	Content, Situation, Tags, Type, Importance string
	// Project is the name of a known project, or "new:" and a name; blank: none.
	Project string
	// From and Until bound the time in which the memory holds; blank: no bound.
	From, Until string
	Problem     string
	// Projects are the names of the known projects.
	Projects []string
}

// draftIn reads a draft from a form. Fields that the form lacks keep their value from before.
func draftIn(f url.Values, before draft) draft {
	for name, to := range map[string]*string{
		"content": &before.Content, "situation": &before.Situation, "tags": &before.Tags, "type": &before.Type, "importance": &before.Importance,
		"project": &before.Project, "valid_from": &before.From, "valid_until": &before.Until,
	} {
		if f.Has(name) {
			*to = f.Get(name)
		}
	}
	return before
}

// draftOf returns the draft that changes nothing in a memory. zone is that of the days.
func draftOf(m *hippo.Memory, zone *time.Location) draft {
	return draft{
		Content: m.Content, Situation: strings.Join(m.Situation, "\n"), Tags: strings.Join(m.Tags, ", "), Type: m.Type,
		Importance: strconv.FormatFloat(m.Importance.Base, 'f', -1, 64), Project: m.Project, From: bound(m.ValidFrom, zone), Until: bound(m.ValidUntil, zone),
	}
}

// bound formats a time for a field: as a date if it is the start of a day.
func bound(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return ""
	}
	t = t.In(zone)
	if h, m, s := t.Clock(); h+m+s+t.Nanosecond() == 0 {
		return when.Date(t, zone)
	}
	return t.Format(time.RFC3339)
}

// choose fills in the projects that can be chosen.
func (d *draft) choose(ctx context.Context, v *visit) error {
	names, err := memory.Projects(ctx, v.memories)
	d.Projects = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	return err
}

// situations returns the aspects of the situation, one a line.
func (d *draft) situations() []string {
	return slices.DeleteFunc(strings.Split(lines(d.Situation), "\n"), func(s string) bool { return strings.TrimSpace(s) == "" })
}

// importance returns the importance; nil if the field is blank.
func (d *draft) importance() (*float64, error) {
	in, err := fields(url.Values{"importance": {d.Importance}}, verb.Table{{Name: "importance", Rules: verb.Between(0, 1), To: verb.New[float64]}})
	if err != nil || strings.TrimSpace(d.Importance) == "" {
		return nil, err
	}
	x := in.Number("importance", 0)
	return &x, nil
}

// validity returns the bounds of the time in which the memory holds.
func (d *draft) validity() verb.Validity {
	return verb.Validity{From: verb.Time{Name: "valid_from", Text: d.From}, Until: verb.Time{Name: "valid_until", Text: d.Until}}
}

// record returns the new memory that the draft describes, for a caller at a time in the zone of the days.
func (d *draft) record(v *visit) (*hippo.Memory, error) {
	importance, err := d.importance()
	if err != nil {
		return nil, err
	}
	r := verb.Record{
		Content: lines(d.Content), Situation: d.situations(), Tags: splitList(d.Tags), Type: strings.TrimSpace(d.Type), Importance: importance, Validity: d.validity(),
		Source: verb.Source{Kind: hippo.SourceUser, Client: dashboard}, Project: verb.Project{Name: "project", Text: d.project()},
	}
	return r.In(v.r.Context(), v.memories, v.now.In(v.memories.Zone()))
}

// project returns the project as verbs take it.
func (d *draft) project() string {
	if text := strings.TrimSpace(d.Project); text != "" {
		return text
	}
	return memory.NoProject
}

// named returns the name of the project that a field means; blank: none.
func named(v *visit, field, text string) (name string, err error) {
	d := draft{Project: text}
	err = (&verb.Project{Name: field, Text: d.project()}).Into(v.r.Context(), v.memories, &name)
	return name, err
}

// change returns what the draft changes in a memory. Browsers send line breaks as "\r\n", whatever the text had.
func (d *draft) change(m *hippo.Memory, now time.Time) (c api.Change, err error) {
	before := draftOf(m, now.Location())
	if text := lines(d.Content); text != lines(m.Content) {
		c.Content = &text
	}
	if situation := d.situations(); !slices.Equal(situation, m.Situation) {
		c.Situation = &situation
	}
	if tags := splitList(d.Tags); !slices.Equal(tags, m.Tags) && strings.Join(tags, ", ") != before.Tags {
		c.Tags = &tags
	}
	if kind := strings.TrimSpace(d.Type); kind != m.Type {
		c.Type = &kind
	}
	if strings.TrimSpace(d.Project) != m.Project {
		project := d.project()
		c.Project = &project
	}
	if c.ValidFrom, c.ValidUntil, err = d.newBounds(&before, now); err != nil || d.Importance == before.Importance {
		return c, err
	}
	if c.Importance, err = d.importance(); c.Importance != nil && *c.Importance == m.Importance.Base {
		c.Importance = nil
	}
	return c, err
}

// newBounds returns the bounds that differ from those before; the zero time takes one away.
func (d *draft) newBounds(before *draft, now time.Time) (from, until *time.Time, err error) {
	v := d.validity()
	for _, end := range []struct {
		now *verb.Time
		was string
	}{{&v.From, before.From}, {&v.Until, before.Until}} {
		switch {
		case strings.TrimSpace(end.now.Text) == end.was:
			end.now.Text = ""
		case strings.TrimSpace(end.now.Text) == "":
			end.now.Text = verb.NoBound
		}
	}
	return v.Ends(now)
}

func lines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
