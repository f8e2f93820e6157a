package graphtools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

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

// changeEntity carries out the actions of hippo_relate that change entities.
func changeEntity(ctx context.Context, c *d.Call) (d.Result, error) {
	m := engine.Because(c.Memories, c.Text("reason"))
	switch c.Text("action") {
	case actionMerge:
		if err := c.Require("action merge", "to"); err != nil {
			return d.Result{}, err
		}
		done, err := knowledge.MergeEntities(ctx, m, api.MergeEntities{From: c.Text("from"), Into: c.Text("to")})
		return movedText(c, "Merged into", done), err
	case actionSplit:
		return split(ctx, c, m)
	case actionForget:
		e, err := knowledge.RemoveEntity(ctx, m, knowledge.EntityRemoval{Entity: c.Text("from")})
		return entityText(c, "Removed", e), err
	}
	change := api.ModifyEntity{Entity: c.Text("from"), Aliases: c.Texts("aliases"), Without: c.Texts("without")}
	for name, to := range map[string]**string{"to": &change.Name, "kind": &change.Kind, "description": &change.Description} {
		if c.Has(name) {
			text := c.Text(name)
			*to = &text
		}
	}
	e, err := knowledge.ModifyEntity(ctx, m, change)
	if errors.Is(err, hippo.ErrNotFound) && !c.Has("to") && !c.Has("without") {
		e, err = knowledge.AddEntity(ctx, m, knowledge.EntityDraft{Entity: hippo.Entity{
			Name: c.Text("from"), Kind: c.Text("kind"), Aliases: c.Texts("aliases"), Description: c.Text("description"),
		}})
	}
	return entityText(c, "Recorded", e), err
}

func split(ctx context.Context, c *d.Call, m *engine.Memories) (d.Result, error) {
	if err := c.Require("action split", "to"); err != nil {
		return d.Result{}, err
	}
	q := api.SplitEntity{Entity: c.Text("from"), New: hippo.Entity{
		Name: c.Text("to"), Kind: c.Text("kind"), Aliases: c.Texts("aliases"), Description: c.Text("description"),
	}}
	for _, ref := range c.Texts("related") {
		id, err := knowledge.ResolveNamed(ctx, m, ref, api.PreferLive)
		if err != nil {
			return d.Result{}, verb.Renamed(err, "related")
		}
		q.Related = append(q.Related, id)
	}
	done, err := knowledge.SplitEntity(ctx, m, q)
	return movedText(c, "Split off", done), err
}

func movedText(c *d.Call, what string, done *api.EntityMoved) d.Result {
	if done == nil {
		return d.Result{}
	}
	out := entityText(c, what, done.Entity)
	out.Text += "; " + wire.Counted(done.Moved, "relation") + " moved"
	if done.Stayed > 0 {
		out.Text += fmt.Sprintf(", %d stayed: learned, or with another project", done.Stayed)
	}
	return out
}

// entityText returns an entity on a line after a word.
func entityText(c *d.Call, what string, e *api.Entity) d.Result {
	if e == nil {
		return d.Result{}
	}
	return d.Result{Text: what + " " + entityLine(c, e), Count: 1}
}

func entityLine(c *d.Call, e *api.Entity) string {
	return termtext.Disarm(wire.EntityLine(e, memory.ShortIDs(c.Memories, []hippo.ID{e.ID})))
}

// page shows what is known of an entity.
func page(ctx context.Context, c *d.Call, at hippo.Moment) (d.Result, error) {
	p, err := knowledge.ShowEntity(ctx, c.Memories, api.ShowEntity{Entity: c.Text("from"), At: at})
	if err != nil {
		return d.Result{}, err
	}
	return d.Result{Text: termtext.Disarm(wire.EntityText(p, memory.ShortIDs(c.Memories, wire.IDsOfPage(p)), c.Now.In(c.Zone()))), Count: p.Memories}, nil
}

// shownEntities is how many entities an answer lists.
const shownEntities = 50

// entities lists the recorded entities, or those that texts name if there is none of them.
func entities(ctx context.Context, c *d.Call) (d.Result, error) {
	q := api.ListEntities{Count: shownEntities}
	if kinds := c.Texts("kinds"); len(kinds) > 0 {
		q.Kind = kinds[0]
	}
	l, err := knowledge.ListEntities(ctx, c.Memories, q)
	if err != nil {
		return d.Result{}, err
	}
	if q.Found = l.Total == 0; q.Found {
		if l, err = knowledge.ListEntities(ctx, c.Memories, q); err != nil {
			return d.Result{}, err
		}
	}
	var lines []string
	for _, e := range l.Entities {
		line := entityLine(c, e.Entity)
		if q.Found {
			line += fmt.Sprintf(" %d times", e.Memories)
		}
		lines = append(lines, line)
	}
	switch more := l.Total - len(l.Entities); {
	case l.Total == 0:
		lines = []string{"No entities."}
	case more > 0:
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return d.Result{Text: strings.Join(lines, "\n"), Count: len(l.Entities)}, nil
}

// communities shows the groups of insights that are related to each other.
func communities(ctx context.Context, c *d.Call, filter api.GraphFilter) (d.Result, error) {
	const shown, members = 10, 5
	l, err := knowledge.Communities(ctx, c.Memories, api.Communities{GraphFilter: filter, Count: shown})
	if err != nil {
		return d.Result{}, err
	}
	if l.Total == 0 {
		return d.Result{Text: "No relations."}, nil
	}
	lines := []string{fmt.Sprintf("%s of %s with %s", wire.Counted(l.Total, "group"), wire.Counted(l.Memories, "insight"), wire.Counted(l.Relations, "relation"))}
	for _, x := range l.Communities {
		lines = append(lines, fmt.Sprintf("%s, %s:", cmp.Or(strings.Join(x.Label, ", "), "no common words"), wire.Counted(x.Size, "insight")))
		lines = append(lines, nodeLines(c, x.Nodes[:min(len(x.Nodes), members)])...)
	}
	return d.Result{Text: joinedLines(append(lines, l.Degraded...)), Count: len(l.Communities)}, nil
}
