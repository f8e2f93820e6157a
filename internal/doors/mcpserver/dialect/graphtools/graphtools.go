// Package graphtools holds the tools about relations between memories. They are a set of their own, so that only a client
// that wants them pays for their entries in the list.
package graphtools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// Name selects this set.
const Name = "graph"

// New returns the set.
func New() *d.System {
	return &d.System{
		Name:  Name,
		Tools: []d.Tool{relateTool(), graphTool()},
	}
}

// The actions of hippo_relate.
const (
	actionDeclare = "declare"
	actionEnd     = "end"
	actionRemove  = "remove"
	actionList    = "list"
	actionEntity  = "entity"
	actionMerge   = "merge"
	actionSplit   = "split"
	actionForget  = "forget"
)

func relateTool() d.Tool {
	return d.Tool{
		Name:        "hippo_relate",
		Description: "Declare, end, remove or list relations between insights. Of lives_in, works_at, reports_to and the like one holds at a time: a new one ends the older. entity records a person, a project, a file, or changes it; merge makes from and to one, split takes to out of from, forget removes an entity.",
		Params: verb.Table{
			{Name: "action", Values: []string{actionDeclare, actionEnd, actionRemove, actionList, actionEntity, actionMerge, actionSplit, actionForget}, Rules: verb.Schema{"default": actionDeclare}, To: verb.New[string]},
			{Name: "from", Also: "id source name", Field: "Relations name", About: "an id, or the name of an entity", Is: verb.Required, To: verb.New[string]},
			{Name: "kind", Also: "relation relation_type entity_type", About: "explains, lives_in; of an entity: person, project", To: verb.New[string]},
			{Name: "to", Also: "target", Field: "into", About: "of entity: a new name", To: verb.New[string]},
			{Name: "aliases", About: "other names", To: verb.New[[]string]},
			{Name: "without", About: "other names to take away", To: verb.New[[]string]},
			{Name: "description", To: verb.New[string]},
			{Name: "related", About: "of split: relations with these also move", To: verb.New[[]string]},
			{Name: "weight", Rules: verb.Schema{"default": 1}, To: verb.New[float64]},
			{Name: "valid_from", To: verb.New[verb.Time]},
			{Name: "valid_until", Also: "ended at", About: "default of end: now", To: verb.New[verb.Time]},
			{Name: "as_of", About: "of list: what held then", To: verb.New[verb.Time]},
			{Name: "known_at", About: "of list: what was known then", To: verb.New[verb.Time]},
			{Name: "reason", To: verb.New[string]},
		},
		Call: relate, // no Writes: action list is for readers
	}
}

func relate(ctx context.Context, c *d.Call) (d.Result, error) {
	switch c.Text("action") {
	case actionEntity, actionMerge, actionSplit, actionForget:
		return changeEntity(ctx, c)
	}
	r := hippo.Relation{Kind: c.Text("kind"), Weight: c.Number("weight", 1)}
	var err error
	if r.From, err = resolve(ctx, c, "from"); err != nil {
		return d.Result{}, err
	}
	if c.Text("action") == actionList {
		return list(ctx, c, r.From)
	}
	for _, name := range []string{"kind", "to"} {
		if !c.Has(name) {
			return d.Result{}, hippo.Fieldf(name, "is required, and must not be blank")
		}
	}
	if r.To, err = resolve(ctx, c, "to"); err != nil {
		return d.Result{}, err
	}
	if err := verb.Read(c.Now, c.Time("valid_from").Into(&r.ValidFrom), c.Time("valid_until").AheadInto(&r.ValidUntil)); err != nil {
		return d.Result{}, err
	}
	return change(ctx, c, r)
}

func change(ctx context.Context, c *d.Call, r hippo.Relation) (d.Result, error) {
	relations := engine.Because(c.Memories, c.Text("reason"))
	one := []hippo.Relation{r}
	switch c.Text("action") {
	case actionEnd:
		ended, err := knowledge.EndRelations(ctx, relations, api.EndRelations{Relations: one, At: r.ValidUntil})
		return written(c, "Ended", ended), err
	case actionRemove:
		return written(c, "Removed", one), knowledge.Unrelate(ctx, relations, one)
	}
	done, err := knowledge.Relate(ctx, relations, one)
	if err != nil {
		return d.Result{}, err
	}
	out := written(c, "Related", done.Declared)
	for _, x := range []struct {
		what string
		list []hippo.Relation
	}{{"replaces", done.Replaced}, {"ended", done.Closed}, {"conflict, stays as it is:", done.Conflicts}} {
		if len(x.list) > 0 {
			out.Text += "\n" + written(c, x.what, x.list).Text
		}
	}
	return out, nil
}

// written returns relations, a line each after a word.
func written(c *d.Call, what string, list []hippo.Relation) d.Result {
	lines := make([]string, len(list))
	var ids []hippo.ID
	for i := range list {
		ids = append(ids, list[i].From, list[i].To)
	}
	short := memory.ShortIDs(c.Memories, ids)
	for i := range list {
		lines[i] = strings.TrimSpace(what + " " + lineOf(&list[i], short, c.Now.In(c.Zone())))
	}
	return d.Result{Text: strings.Join(lines, "\n"), Count: len(list)}
}

// lineOf formats a relation with the time in which it holds.
func lineOf(r *hippo.Relation, short hippo.ShortIDs, now time.Time) string {
	line := fmt.Sprintf("%s %s %s", short.Of(r.From), termtext.Disarm(termtext.Line(r.Kind)), short.Of(r.To))
	return strings.TrimSpace(line + " " + strings.Join(wire.Periods(r, now), ", "))
}

func list(ctx context.Context, c *d.Call, id hippo.ID) (d.Result, error) {
	q := api.Relations{IDs: []hippo.ID{id}}
	if c.Has("kind") {
		q.Kinds = []string{c.Text("kind")}
	}
	var err error
	if q.At, err = momentOf(c); err != nil {
		return d.Result{}, err
	}
	found, err := knowledge.ListRelations(ctx, c.Memories, q)
	out := written(c, "", found)
	if out.Text == "" {
		out.Text = "No relations."
	}
	return out, err
}

// momentOf reads the moment as of which a call reads.
func momentOf(c *d.Call) (hippo.Moment, error) {
	m := verb.Moment{AsOf: c.Time("as_of"), KnownAt: c.Time("known_at")}
	return m.Moment(c.Now)
}

func resolve(ctx context.Context, c *d.Call, name string) (hippo.ID, error) {
	id, err := knowledge.ResolveNamed(ctx, c.Memories, c.Text(name), api.PreferLive)
	if err != nil {
		return id, verb.Renamed(err, name)
	}
	return id, nil
}
