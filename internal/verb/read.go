package verb

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// IDsArg is the argument that names memories. The command line takes them as words.
func IDsArg(to Value) Arg {
	return Arg{Name: "id", As: map[Door]string{MCP: "ids", REST: "uuids", Shell: ""}, Also: "ids id uuids uuid refs ref hash content_hash", Field: "IDs", Is: Required | Listed, Rules: Schema{"minItems": 1}, To: to}
}

// IDArg is the argument that names one memory.
func IDArg(to *Ref) Arg {
	a := IDsArg(to)
	a.As, a.Rules = lacking(Shell), nil
	return a
}

// Get asks for memories by ID.
type Get struct {
	IDs Refs
	// Query is what they were looked for; nil: it is unknown.
	Query *string
	At    Moment
	// NoTouch: a program looks at them, which is no opening.
	NoTouch bool
}

// Args are the arguments that fill a Get.
func (g *Get) Args() []Arg {
	return append([]Arg{
		IDsArg(&g.IDs),
		{Name: "query", As: lacking(Script), Also: "q text search question", Field: "Query", About: "the question that led to these memories: of a long memory, show the sentences that answer it", Is: Listed | Words, To: &g.Query},
		{Name: "no_touch", As: lacking(REST, Script, Shell), To: &g.NoTouch},
	}, g.At.unlisted()...)
}

// Request returns the request, for a time in the zone of its days. Errors have the names that the caller used.
func (g *Get) Request(ctx context.Context, m *engine.Memories, now time.Time) (q api.Get, err error) {
	if q.IDs, err = g.IDs.Resolve(ctx, m, api.PreferLive); err != nil {
		return q, err
	}
	if q.Question, err = memory.Question(g.Query); err == nil {
		q.At, err = g.At.Moment(now)
	}
	return q, err
}

// Resolve asks which memories references mean.
type Resolve struct {
	IDs    Refs
	prefer string
}

// Args are the arguments that fill a Resolve.
func (r *Resolve) Args() []Arg {
	return []Arg{IDsArg(&r.IDs), {
		Name: "prefer", About: "which memories a short form means if it fits live and forgotten ones", Values: []string{"live", "forgotten", "any"},
		Rules: Schema{"default": "live"}, To: &r.prefer,
	}}
}

// Request returns the IDs. Errors have the names that the caller used.
func (r *Resolve) Request(ctx context.Context, m *engine.Memories) ([]hippo.ID, error) {
	return r.IDs.Resolve(ctx, m, map[string]api.Preference{"forgotten": api.PreferForgotten, "any": api.PreferNone}[r.prefer])
}

// Forget asks to hide memories, to show them again, or to delete them for good.
type Forget struct {
	IDs            Refs
	Restore, Purge bool
}

// Args are the arguments that fill a Forget. Programs and REST have a verb for each, and the command line one to restore.
func (f *Forget) Args() []Arg {
	ids := IDsArg(&f.IDs)
	ids.As[MCP], ids.Brief = "uuids", "ids"
	return []Arg{
		ids,
		{Name: "restore", As: lacking(REST, Script, Shell), Is: Listed, To: &f.Restore},
		{Name: "purge", As: lacking(REST, Script), About: "delete permanently; this cannot be undone", Is: Listed, To: &f.Purge},
	}
}

// Selection keeps memories by what they are, and by how they came into the store.
type Selection struct {
	Narrow
	Source string
	Import Operation
}

// Args are the arguments that fill a Selection.
func (s *Selection) Args() []Arg {
	return append(s.Narrow.Args(),
		Arg{Name: "source", About: "only what comes from this kind of source, client or file: import, csv, notes.csv", To: &s.Source},
		Arg{Name: "import", As: map[Door]string{Script: "operation"}, Field: "Import", About: "only what the import with this operation of the log has brought, in all projects unless one is named", To: &s.Import})
}

// Request returns the request for a list of all, without projects, for a time in the zone of its days. The error is a [*hippo.FieldError].
func (s *Selection) Request(now time.Time) (api.List, error) {
	f, err := s.Filter(now)
	return api.List{Filter: f, Situation: s.Situations(), When: s.When, Arrival: api.Arrival{Source: s.Source, Import: string(s.Import)}, Count: hippo.MaxCount}, err
}

// List asks for a page of memories.
type List struct {
	Selection
	Page
	Forgotten bool
}

// Args are the arguments that fill a List.
func (l *List) Args() []Arg {
	return append(append(l.Selection.Args(), l.Page.Args()...), Arg{Name: "forgotten", About: "list forgotten memories instead", To: &l.Forgotten})
}

// Request returns the request, without projects, for a time in the zone of its days. The error is a [*hippo.FieldError].
func (l *List) Request(now time.Time) (q api.List, err error) {
	if q, err = l.Selection.Request(now); err == nil {
		q.Forgotten, q.Offset = l.Forgotten, l.Offset
		q.Count, err = l.Count()
	}
	return q, err
}

// Tagged asks for the memories with any of some tags, or with all of them.
type Tagged struct {
	Tags []string
	// Match is any, the default, or all.
	Match string
	Page
}

// Args are the arguments that fill a Tagged.
func (t *Tagged) Args() []Arg {
	return []Arg{
		t.Page.Args()[0], {Name: "tags", Also: "tag", Field: "Tags", Is: Required, To: &t.Tags}, {Name: "match", Values: []string{"any", "all"}, To: &t.Match},
	}
}

// ProjectArg is the argument that names a project, or several. The command line has a flag of all commands.
func ProjectArg(to Value) Arg {
	return Arg{
		Name: "project", As: lacking(Shell), Field: "Projects", Brief: "default: current and none; * all", Is: Listed, To: to,
		About: `one of these projects; "none" is none, "*" all. Default: the current project of the token and none, or all if it has no current one`,
	}
}

// Operation refers to an operation that changed memories, by its ID or a short form of it.
type Operation string

// ReadArg implements [Value]: a program may give what log returned.
func (o *Operation) ReadArg(d Door, name string, raw json.RawMessage) error {
	var listed struct {
		UUID string `json:"uuid"`
	}
	switch {
	case d != Script:
		return d.readTo(name, raw, (*string)(o))
	case json.Unmarshal(raw, (*string)(o)) == nil:
		return nil
	case json.Unmarshal(raw, &listed) != nil || listed.UUID == "":
		return Misshapen(name, "must be a string, or what log returned")
	}
	*o = Operation(listed.UUID)
	return nil
}

// Schema implements [Value].
func (*Operation) Schema() Schema { return Schema{"type": "string"} }

// Plain returns where a text goes.
func (o *Operation) Plain() any { return (*string)(o) }
