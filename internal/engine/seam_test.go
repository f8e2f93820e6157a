package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/engine/history"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
)

// ways are the ways in which verbs travel: as bytes in this process, and through the route of a server.
func ways() map[string]func(*engine.Engine) engine.Remote {
	return map[string]func(*engine.Engine) engine.Remote{
		"loopback": func(e *engine.Engine) engine.Remote { return newLoopback(e) },
		"http":     func(e *engine.Engine) engine.Remote { return newServed(e) },
	}
}

// calls notes which verbs travel.
type calls struct {
	engine.Remote
	mu    sync.Mutex
	verbs map[string]bool
}

func (c *calls) Call(ctx context.Context, call *engine.Call, out any) error {
	c.mu.Lock()
	c.verbs[call.Verb] = true
	c.mu.Unlock()
	return c.Remote.Call(ctx, call, out)
}

// travelling returns the memories of a fixture as another process sees them, and the calls that it makes.
func (f *fixture) travelling(way func(*engine.Engine) engine.Remote) (*engine.Memories, *calls) {
	c := &calls{Remote: way(f.Engine), verbs: make(map[string]bool)}
	return engine.NewRemote(c, &engine.Config{Now: f.now}, f.Zone()).In(f.Scope), c
}

// wantVerbs fails unless exactly the verbs that change something, or those that do not, have travelled.
func (c *calls) wantVerbs(t *testing.T, changing bool) {
	t.Helper()
	want := slices.DeleteFunc(verbNames(), func(v string) bool { return engine.Changes(v) != changing })
	got := slices.DeleteFunc(slices.Sorted(maps.Keys(c.verbs)), func(v string) bool { return engine.Changes(v) != changing })
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the test lacks calls of verbs (-want +got):\n%s", d)
	}
}

// What a verb that reads answers does not depend on the process that calls it, nor does its error.
func TestRemote_ReadsLikeLocal(t *testing.T) {
	t.Parallel()
	for name, way := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t, options{})
			reads := readingCalls(t, f)
			r, travelled := f.travelling(way)
			for _, read := range reads {
				want, wantErr := read.call(f.Memories)
				got, err := read.call(r)
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s: %s", read.name, diff)
				}
				if hippo.CodeOf(err) != hippo.CodeOf(wantErr) || err != nil && (err.Error() != wantErr.Error() || reflect.TypeOf(err) != reflect.TypeOf(wantErr) && !isPlain(wantErr)) {
					t.Errorf("%s: error %v (%T), want %v (%T)", read.name, err, err, wantErr, wantErr)
				}
			}
			travelled.wantVerbs(t, false)
		})
	}
}

// isPlain reports whether an error has none of the types that callers look for.
func isPlain(err error) bool {
	var field *hippo.FieldError
	var unknown *hippo.UnknownError
	var secret *hippo.SecretError
	return !errors.As(err, &field) && !errors.As(err, &unknown) && !errors.As(err, &secret)
}

// named is a call of a verb.
type named struct {
	name string
	call func(*engine.Memories) (any, error)
}

// reading returns the call of a function with one argument.
func reading[In, Out any](ctx context.Context, name string, fn func(context.Context, *engine.Memories, In) (Out, error), in In) named {
	return named{name, func(m *engine.Memories) (any, error) { return fn(ctx, m, in) }}
}

// plain returns the call of a function without one.
func plain[Out any](ctx context.Context, name string, fn func(context.Context, *engine.Memories) (Out, error)) named {
	return named{name, func(m *engine.Memories) (any, error) { return fn(ctx, m) }}
}

// readingCalls are calls of every verb that reads, on a few memories that it records.
func readingCalls(t *testing.T, f *fixture) []named {
	t.Helper()
	ctx := t.Context()
	a := f.record("the gateway times out after 30 s", 0.5, "gateway")
	b := f.record("the gateway times out after 60 s", 0.9, "gateway", "proxy")
	f.record("lunch is at noon", 0.1)
	f.modify(a, api.Change{Tags: &[]string{"slow"}})
	ana := f.entity("Ana", "person", "Anna")
	if _, err := knowledge.Relate(ctx, f.Memories, []hippo.Relation{{From: a, To: b, Kind: "supports", Weight: .5}}); err != nil {
		t.Fatal(err)
	}
	at := hippo.Moment{KnownAt: f.now()}
	return slices.Concat(readingMemories(ctx, a, b), readingGraph(ctx, a, b, ana), readingAll(ctx), []named{
		reading(ctx, "get at", query.GetAt, api.Get{IDs: []hippo.ID{a, b}, At: at, Question: "gateway"}),
		reading(ctx, "log", memory.Operations, api.Operations{Memory: a}),
		reading(ctx, "versions", memory.Versions, api.Versions{Memory: a}),
		reading(ctx, "an operation", memory.ResolveOperation, f.last(a).ID.String()),
		reading(ctx, "no operation", memory.ResolveOperation, "ffffffff"),
		reading(ctx, "undo of none", memory.Undo, hippo.ID{1}),
		reading(ctx, "predecessors", history.Predecessors, a),
	})
}

// readingMemories read memories one by one, and refuse writes: errors travel as well.
func readingMemories(ctx context.Context, a, b hippo.ID) []named {
	search := func(name string, q hippo.Query) named {
		q.NoTouch = true
		return named{name, func(m *engine.Memories) (any, error) { return query.Search(ctx, m, q) }}
	}
	resolve := func(name, ref string, p api.Preference) named {
		return named{name, func(m *engine.Memories) (any, error) { return memory.Resolve(ctx, m, ref, p) }}
	}
	modify := func(name string, metadata map[string]json.RawMessage) named {
		return named{name, func(m *engine.Memories) (any, error) {
			_, err := memory.Modify(ctx, m, a, api.Change{Metadata: &metadata})
			return nil, err
		}}
	}
	return []named{
		search("search", hippo.Query{Text: "gateway", Detail: hippo.Detail{Explain: true}, Relevance: &hippo.Range{Min: 0, Max: math.Inf(1)}}),
		search("search below", hippo.Query{Text: "gateway", Relevance: &hippo.Range{Min: math.Inf(-1), Max: 0.5}}),
		search("invalid", hippo.Query{Count: -1}),
		{"get", func(m *engine.Memories) (any, error) { return memory.Get(ctx, m, []hippo.ID{b, a}) }},
		{"unknown", func(m *engine.Memories) (any, error) { return memory.Get(ctx, m, []hippo.ID{{1}}) }},
		resolve("resolve", a.Short(), api.PreferNone),
		resolve("no ref", "ffffffff0000", api.PreferLive),
		{"resolve a name", func(m *engine.Memories) (any, error) {
			return knowledge.ResolveNamed(ctx, m, "anna", api.PreferLive)
		}},
		{"short ids", func(m *engine.Memories) (any, error) { return memory.ShortIDs(m, []hippo.ID{a, b}), nil }},
		reading(ctx, "numbers", memory.Numbers, []hippo.ID{a, b}),
		reading(ctx, "compare", memory.Compare, &hippo.Memory{Content: "the gateway times out after 90 s"}),
		reading(ctx, "context", query.Context, briefing.Query{Prompt: "gateway", Known: func(x *hippo.Memory) bool { return x.ID == b }}),
		reading(ctx, "count used", query.CountUsed, []hippo.ID{{1}}),
		{"secret", func(m *engine.Memories) (any, error) {
			return memory.Record(ctx, m, &hippo.Memory{Content: "password = hunter2hunter2X9"})
		}},
		modify("no metadata", nil),
		modify("metadata", map[string]json.RawMessage{"a": json.RawMessage(`1`), "b": nil, "c": json.RawMessage("null")}),
		{"no vote", func(m *engine.Memories) (any, error) { return memory.Reinforce(ctx, m, []hippo.ID{a}, []hippo.ID{a}) }},
	}
}

// readingGraph read what is related.
func readingGraph(ctx context.Context, a, b, ana hippo.ID) []named {
	return []named{
		{"relations", func(m *engine.Memories) (any, error) { return knowledge.RelationsOf(ctx, m, []hippo.ID{a}) }},
		reading(ctx, "neighbours", knowledge.Neighbours, api.Neighbours{ID: a, Depth: 2, Direction: api.DirectionOut}),
		reading(ctx, "neighbours of none", knowledge.Neighbours, api.Neighbours{ID: hippo.ID{1}}),
		reading(ctx, "paths", knowledge.Paths, api.Paths{From: a, To: b}),
		reading(ctx, "communities", knowledge.Communities, api.Communities{}),
		reading(ctx, "find an entity", knowledge.FindEntity, "ana"),
		reading(ctx, "no entity", knowledge.FindEntity, "Bo"),
		reading(ctx, "show an entity", knowledge.ShowEntity, api.ShowEntity{Entity: ana.String()}),
		reading(ctx, "list entities", knowledge.ListEntities, api.ListEntities{}),
	}
}

// readingAll read what concerns the whole store.
func readingAll(ctx context.Context) []named {
	return []named{
		{"list", func(m *engine.Memories) (any, error) { return memory.List(ctx, m, api.List{Count: 2}) }},
		reading(ctx, "labels", memory.Labels, hippo.Filter{}),
		reading(ctx, "created", history.Created, api.List{}),
		reading(ctx, "audit", upkeep.Audit, api.Audit{}),
		{"clusters", func(m *engine.Memories) (any, error) { return upkeep.ClustersOf(ctx, m) }},
		plain(ctx, "status", memory.Status),
		plain(ctx, "projects", memory.Projects),
		{"list projects", func(m *engine.Memories) (any, error) { return memory.ListProjects(ctx, m) }},
		reading(ctx, "resolve a project", memory.ResolveProject, "none"),
		reading(ctx, "no project", memory.ResolveProject, "nowhere"),
		{"locate", func(m *engine.Memories) (any, error) {
			in, err := memory.Locate(ctx, m, project.Identity{Name: "github.com/a/b#0123abcd"})
			return in.Scope.Project, err
		}},
		{"flush", func(m *engine.Memories) (any, error) { return nil, m.Flush(ctx) }},
		{"ready", func(m *engine.Memories) (any, error) { return nil, m.Ready(ctx) }},
		{"scored", func(m *engine.Memories) (any, error) { return nil, upkeep.Scored(ctx, m) }},
		{"calendar", func(m *engine.Memories) (any, error) { return transfer.New(m).Calendar(ctx) }},
		{"export", func(m *engine.Memories) (any, error) { return all(transfer.New(m).Export(ctx)) }},
		{"export of relations", func(m *engine.Memories) (any, error) { return all(transfer.New(m).ExportRelations(ctx)) }},
		{"export of history", func(m *engine.Memories) (any, error) { return all(transfer.New(m).ExportHistory(ctx)) }},
		{"feed", func(m *engine.Memories) (any, error) {
			feed, resumed, err := history.NewFeed(ctx, m, "")
			if err != nil {
				return nil, err
			}
			_, err = feed.Next(ctx, func(history.Event) error { return errors.New("nothing has changed since") })
			return resumed, err
		}},
		{"said before", func(m *engine.Memories) (any, error) { return importFile(ctx, transfer.New(m).Preview(), nil) }},
	}
}

// all reads a sequence to its end.
func all[T any](seq iter.Seq2[T, error]) (list []T, err error) {
	for x, err := range seq {
		if err != nil {
			return list, err
		}
		list = append(list, x)
	}
	return list, nil
}

// importFile imports memories as all that a file says now.
func importFile(ctx context.Context, t transfer.Transfer, ms []*hippo.Memory) (api.ImportReport, error) {
	from := transfer.Origin{Path: "notes.md", Whole: func() []string { return []string{"notes.md"} }}
	return t.Logged(from).Import(ctx, hippo.Calendar{}, func(yield func(*hippo.Memory, error) bool) {
		for _, m := range ms {
			if !yield(m.Clone(), nil) {
				return
			}
		}
	}, nil)
}

// What a verb that writes does and answers does not depend on the process that calls it.
func TestRemote_WritesLikeLocal(t *testing.T) {
	t.Parallel()
	want := wrote(t, open(t, options{}), nil)
	for name, way := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t, options{})
			m, travelled := f.travelling(way)
			if diff := cmp.Diff(want, wrote(t, f, m)); diff != "" {
				t.Errorf("(-local +%s)\n%s", name, diff)
			}
			travelled.wantVerbs(t, true)
		})
	}
}

// wrote carries out every verb that writes, on the memories m of f, and returns what they answered and what is in the store then. IDs stand as numbers in
// the order in which they appear.
func wrote(t *testing.T, f *fixture, m *engine.Memories) (lines []string) {
	t.Helper()
	if m == nil {
		m = f.Memories
	}
	w := &writer{t: t, ctx: t.Context(), f: f, m: m, ids: make(map[string]string)}
	w.memories()
	w.relations()
	w.entities()
	w.transfer()
	w.upkeep()
	x, err := all(transfer.New(f.Memories).Export(w.ctx))
	w.say("the store", x, err)
	h, err := all(transfer.New(f.Memories).ExportHistory(w.ctx))
	for _, versions := range h {
		for i := range versions {
			clear(versions[i].After[:]) // a hash, of IDs as well
		}
	}
	w.say("its history", h, err)
	return w.lines
}

// writer carries out verbs.
type writer struct {
	t     *testing.T
	ctx   context.Context
	f     *fixture
	m     *engine.Memories
	ids   map[string]string // by ID or operation
	lines []string
}

// isID matches an ID, and a reference to one.
var isID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{12}\b`)

// say notes an answer or an error.
func (w *writer) say(name string, out any, err error) {
	w.t.Helper()
	w.f.advance(0, time.Second)
	text, failed := json.Marshal(out)
	if failed != nil {
		w.t.Fatalf("%s: %v", name, failed)
	}
	line := fmt.Sprintf("%s: %s %v %v", name, text, hippo.CodeOf(err), err)
	w.lines = append(w.lines, isID.ReplaceAllStringFunc(line, func(id string) string {
		if w.ids[id] == "" {
			w.ids[id] = fmt.Sprintf("id-%d", len(w.ids))
		}
		return w.ids[id]
	}))
}

// record records a memory.
func (w *writer) record(content string, supersedes ...hippo.ID) hippo.ID {
	w.t.Helper()
	m, err := memory.Record(w.ctx, w.m, &hippo.Memory{Content: content, Importance: hippo.Importance{Base: .5}}, supersedes...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.say("record", m, err)
	return m.ID
}

// memories are changed, one by one.
func (w *writer) memories() {
	a, b := w.record("the gateway times out after 30 s"), w.record("lunch is at noon")
	c := w.record("the gateway times out after 60 s", a)
	m, compared, err := memory.RecordCompared(w.ctx, w.m, &hippo.Memory{Content: "the gateway times out after 90 s", Importance: hippo.Importance{Base: .5}})
	w.say("record compared", []any{m, compared}, err)
	x, err := memory.Record(w.ctx, memory.AllowSecrets(w.m), &hippo.Memory{Content: "password = hunter2hunter2X9", Importance: hippo.Importance{Base: .5}})
	w.say("record a secret", x, err)
	x, err = memory.Modify(w.ctx, w.m, b, api.Change{Content: new("lunch is at one"), Pinned: new(true), Vote: api.VoteUp, Query: "when is lunch"})
	w.say("modify", x, err)
	_, err = memory.Modify(w.ctx, w.m, b, api.Change{Content: new("lunch is at two"), IfVersion: 1})
	w.say("modify another version", nil, err)
	list, err := memory.ModifyAll(w.ctx, w.m, []api.Modify{{ID: a, Change: api.Change{Tags: &[]string{"slow"}}}, {ID: b, Change: api.Change{Vote: api.VoteDown}}})
	w.say("modify all", list, err)
	x, err = memory.Supersede(w.ctx, w.m, memory.Succession{ID: b, By: c, Metadata: map[string]json.RawMessage{"why": json.RawMessage(`"a test"`)}})
	w.say("supersede", x, err)
	votes, err := memory.Cast(w.ctx, w.m, api.Reinforce{Up: []hippo.ID{c}, Down: []hippo.ID{m.ID}, Query: "how long"})
	w.say("reinforce", votes, err)
	w.say("opened", nil, memory.Opened(w.ctx, w.m, map[hippo.ID]string{c: "how long"}))
	list, err = memory.Forget(w.ctx, w.m, []hippo.ID{m.ID})
	w.say("forget", list, err)
	list, err = memory.Restore(w.ctx, w.m, []hippo.ID{m.ID})
	w.say("restore", list, err)
	list, err = memory.Undo(w.ctx, w.m, w.f.last(m.ID).ID)
	w.say("undo", list, err)
	w.say("purge", nil, memory.Purge(w.ctx, w.m, []hippo.ID{m.ID}))
	w.say("purge again", nil, memory.Purge(w.ctx, w.m, []hippo.ID{m.ID}))
}

// relations are declared, ended and removed.
func (w *writer) relations() {
	a, b := w.record("podman is used"), w.record("docker is not used")
	link, other := []hippo.Relation{{From: a, To: b, Kind: "supports", Weight: .5}}, []hippo.Relation{{From: b, To: a, Kind: "extends", Weight: 1}}
	for _, list := range [][]hippo.Relation{link, other, {{From: a, To: hippo.ID{1}, Kind: "supports", Weight: 1}}} {
		r, err := knowledge.Relate(w.ctx, w.m, list)
		w.say("relate", r, err)
	}
	ended, err := knowledge.EndRelations(w.ctx, w.m, api.EndRelations{Relations: link})
	w.say("end", ended, err)
	w.say("unrelate", nil, knowledge.Unrelate(w.ctx, w.m, other))
}

// entities are added, changed, joined and divided.
func (w *writer) entities() {
	e, err := knowledge.AddEntity(w.ctx, w.m, knowledge.EntityDraft{Entity: hippo.Entity{Name: "Ana", Kind: "person"}})
	w.say("add an entity", e, err)
	e, err = knowledge.AddEntity(w.ctx, w.m, knowledge.EntityDraft{Entity: hippo.Entity{Name: "Anna Lee"}})
	w.say("add another", e, err)
	e, err = knowledge.ModifyEntity(w.ctx, w.m, api.ModifyEntity{Entity: "Ana", Description: new("a colleague"), Aliases: []string{"AL"}})
	w.say("modify an entity", e, err)
	moved, err := knowledge.MergeEntities(w.ctx, w.m, api.MergeEntities{From: "Anna Lee", Into: "Ana"})
	w.say("merge entities", moved, err)
	moved, err = knowledge.SplitEntity(w.ctx, w.m, api.SplitEntity{Entity: "Ana", New: hippo.Entity{Name: "AL"}})
	w.say("split an entity", moved, err)
	e, err = knowledge.RemoveEntity(w.ctx, w.m, knowledge.EntityRemoval{Entity: "AL"})
	w.say("remove an entity", e, err)
	e, err = knowledge.RemoveEntity(w.ctx, w.m, knowledge.EntityRemoval{Entity: "nobody"})
	w.say("remove none", e, err)
}

// transfer imports what another store held, and what a file says and then does not say any more.
func (w *writer) transfer() {
	said := []*hippo.Memory{turn(1, "", "bees dance"), turn(2, "", "cats sleep")}
	for _, m := range said {
		m.Source, m.Trust, m.Project = hippo.Source{Kind: hippo.SourceImport, Client: "notes", URI: "notes.md"}, hippo.DefaultTrust(hippo.SourceImport), "alpha"
	}
	r, err := importFile(w.ctx, transfer.New(w.m), said)
	w.say("import", r, err)
	r, err = importFile(w.ctx, transfer.New(w.m), said[:1])
	w.say("import again", r, err)
	n, err := transfer.New(w.m).ImportRelations(w.ctx, []hippo.Relation{{From: idOf(1), To: idOf(2), Kind: "supports", Weight: 1, LastReinforced: w.f.now()}})
	w.say("import relations", n, err)
	before := said[0].Clone()
	before.Content, before.Version = "bees sing", 1
	n, err = transfer.New(w.m).ImportHistory(w.ctx, []hippo.Version{{ID: idOf(1), Operation: hippo.Operation{ID: idOf(3), Verb: hippo.VerbModify, At: w.f.now()}, Before: before}})
	w.say("import history", n, err)
	p, err := memory.MergeProjects(w.ctx, w.m, api.MergeProjects{From: "alpha", Into: "beta", Rename: true})
	w.say("merge projects", p, err)
}

// upkeep changes many at a time.
func (w *writer) upkeep() {
	n, err := upkeep.Rescore(w.ctx, w.m, 0)
	w.say("rescore", n, err)
	c, err := upkeep.Consolidate(w.ctx, w.m, upkeep.ConsolidateOptions{Horizon: api.Monthly})
	w.say("consolidate", c, err)
	_, err = upkeep.Consolidate(w.ctx, engine.As(w.m, hippo.Operation{Reason: strings.Repeat("x", 9000)}), upkeep.ConsolidateOptions{Horizon: api.Monthly})
	w.say("consolidate with a bad reason", nil, err)
}
