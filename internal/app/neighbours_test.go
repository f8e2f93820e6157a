package app_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/rpc"
)

// neighbour is one of two namespaces of a pool, which have memories with the same IDs and texts, by authors of their own.
type neighbour struct {
	r         *rapid.T
	namespace string
	calls     *rpc.Dispatcher
	engine    *engine.Engine
	now       func() time.Time
	ids       []hippo.ID
	done      int
}

// author appears in every memory of the namespace and nowhere else.
func (p *neighbour) author() string { return "author-of-" + p.namespace }

// do does a verb, and stores what it brings. No answer has an author of the other namespace.
func (p *neighbour) do(verb string, args any) []byte {
	p.r.Helper()
	p.done++
	reply, _ := p.calls.Do(context.Background(), callOf(p.r, p.namespace, p.done, verb, args))
	if n := bytes.Count(reply, []byte("author-of-")); n != bytes.Count(reply, []byte(p.author())) {
		p.r.Fatalf("%s of %s returns what is not of it: %s", verb, p.namespace, reply)
	}
	return reply
}

// settle stores what is pending.
func (p *neighbour) settle() {
	for _, verb := range settling() {
		p.do(verb, engine.None{})
	}
}

func (p *neighbour) id() hippo.ID { return rapid.SampledFrom(p.ids).Draw(p.r, "id") }

func (p *neighbour) some() []hippo.ID {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(p.ids), 1, 3, rapid.ID).Draw(p.r, "ids")
}

// text draws one of few texts.
func (p *neighbour) text() string {
	words := strings.Fields("cache timeout Zanzibar Huber Ann car Postgres")
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 3).Draw(p.r, "words"), " ")
}

// name draws the name of an entity.
func (p *neighbour) name() string {
	return rapid.SampledFrom([]string{"Zanzibar", "Huber", "Ann", "Postgres", "nobody"}).Draw(p.r, "name")
}

// memory draws a memory with one of the IDs.
func (p *neighbour) memory() *hippo.Memory {
	m := &hippo.Memory{
		ID: p.id(), Content: p.text(), Trust: hippo.TrustNormal, Project: rapid.SampledFrom([]string{"", "p"}).Draw(p.r, "project"), Namespace: p.namespace,
		Importance: hippo.Importance{Base: .5},
	}
	m.Source.Author = p.author()
	return m
}

func (p *neighbour) modify() any {
	text, no := p.text(), p.now().AddDate(0, 0, 3)
	return api.Modify{ID: p.id(), Change: rapid.SampledFrom([]api.Change{
		{Content: &text}, {Pinned: new(true)}, {Vote: api.VoteUp}, {ValidUntil: &no}, {Tags: &[]string{"new"}}, {Forget: true}, {Importance: new(.7)},
	}).Draw(p.r, "change")}
}

func (p *neighbour) relation() hippo.Relation {
	ends := rapid.SliceOfNDistinct(rapid.SampledFrom(p.ids), 2, 2, rapid.ID).Draw(p.r, "ends")
	x := hippo.Relation{From: ends[0], To: ends[1], Kind: rapid.SampledFrom([]string{"explains", "depends on"}).Draw(p.r, "kind"), Weight: rapid.SampledFrom([]float64{.1, 1}).Draw(p.r, "weight")}
	if rapid.Bool().Draw(p.r, "from") {
		x.ValidFrom = p.now()
	}
	return x
}

// verbs returns what draws the arguments of each verb that changes something.
func (p *neighbour) verbs() map[string]func() any {
	id := func() hippo.ID { return idOf(p.done, 2) }
	return map[string]func() any{
		"record": func() any {
			return map[string]any{"Memory": p.memory(), "Supersedes": p.some()[:rapid.IntRange(0, 1).Draw(p.r, "old")]}
		},
		"record_compared": func() any { return map[string]any{"Memory": p.memory()} },
		"import_batch":    func() any { return map[string]any{"Entries": []any{map[string]any{"Memory": p.memory()}}} },
		"import_history":  func() any { return []hippo.Version{} },
		"index_imported":  func() any { return engine.None{} },
		"withdraw":        func() any { return map[string]any{"IDs": p.some()} },
		"modify":          p.modify, "modify_all": func() any { return []any{p.modify()} },
		"forget": func() any { return p.some() }, "restore": func() any { return p.some() }, "purge": func() any { return p.some()[:1] },
		"reinforce": func() any {
			return rapid.SampledFrom([]api.Reinforce{{Up: p.some(), Query: p.text()}, {Down: p.some()}, {Undo: p.some()[:1]}}).Draw(p.r, "votes")
		},
		"relate":        func() any { return []hippo.Relation{p.relation(), p.relation()} },
		"unrelate":      func() any { return []hippo.Relation{p.relation()} },
		"end_relations": func() any { return api.EndRelations{Relations: []hippo.Relation{p.relation()}} },
		"supersede":     func() any { return map[string]any{"ID": p.id(), "By": p.id()} },
		"undo":          func() any { return idOf(rapid.IntRange(max(1, p.done-9), p.done).Draw(p.r, "operation"), 7) },
		"consolidate":   func() any { return map[string]any{"Horizon": "weekly"} },
		"count_used":    func() any { return p.some() },
		"opened":        func() any { return map[hippo.ID]string{p.id(): p.text()} },
		"add_entity": func() any {
			return map[string]any{"Name": p.name(), "Kind": "person", "Aliases": []string{p.name()}, "ID": id()}
		},
		"modify_entity":    func() any { return api.ModifyEntity{Entity: p.name(), Aliases: []string{p.name()}, ID: id()} },
		"merge_entities":   func() any { return api.MergeEntities{From: p.name(), Into: p.name(), ID: id()} },
		"split_entity":     func() any { return api.SplitEntity{Entity: p.name(), New: hippo.Entity{Name: p.name()}, ID: id()} },
		"remove_entity":    func() any { return map[string]any{"Entity": p.name(), "ID": id()} },
		"merge_projects":   func() any { return api.MergeProjects{From: "q", Into: "p"} },
		"rescore":          func() any { return 9 },
		"import_relations": func() any { return []hippo.Relation{p.relation()} },
	}
}

// reads returns what draws the arguments of each verb that reads.
func (p *neighbour) reads() map[string]func() any {
	none := func() any { return engine.None{} }
	all := func(v any) func() any { return func() any { return v } }
	some := func() any { return p.some() }
	return map[string]func() any{
		"list": func() any { return api.List{Forgotten: rapid.Bool().Draw(p.r, "forgotten"), Count: 9} }, "get": some, "get_at": func() any { return api.Get{IDs: p.some(), Some: true} },
		"log": all(api.Operations{Count: 5}), "versions": func() any { return api.Versions{Memory: p.id()} }, "relations": func() any { return api.Relations{IDs: p.some()} },
		"neighbours": func() any { return api.Neighbours{ID: p.id(), Depth: 3, GraphFilter: api.GraphFilter{Learned: true}} },
		"paths":      func() any { return api.Paths{From: p.id(), To: p.id()} },
		"labels":     all(hippo.Filter{}), "list_projects": none, "projects": none, "export_after": all(""), "relations_after": all(map[string]any{}), "history_after": all(""),
		"list_entities": func() any { return api.ListEntities{Found: rapid.Bool().Draw(p.r, "found")} }, "find_entity": func() any { return p.name() },
		"show_entity": func() any { return api.ShowEntity{Entity: p.name()} }, "communities": all(api.Communities{}), "clusters": none, "audit": all(api.Audit{}),
		"search": func() any {
			return hippo.Query{Text: "cache Huber car", NoTouch: true, Relevance: &hippo.Range{Max: 9}, Count: hippo.MaxCount}
		},
		"status": none, "calendar": none, "feed_head": none, "feed_after": all(map[string]any{}),
		"predecessors": func() any { return p.id() }, "short_ids": some, "numbers": some, "created": all(api.List{Count: 9}),
		"resolve": func() any { return map[string]any{"Ref": p.id().String()[:8]} }, "resolve_named": func() any { return map[string]any{"Ref": p.id().String()[:4]} },
		"resolve_operation": func() any { return idOf(p.done, 7).String()[:8] }, "resolve_project": all("p"), "locate": all(map[string]any{"Name": "p"}),
		"context": func() any { return map[string]any{"Prompt": p.text(), "MaxTokens": 500} }, "said_before": all(map[string]any{"Path": "a"}),
		"compare": func() any {
			m := p.memory()
			m.ContentHash = hippo.HashContent(m.Content)
			return m
		},
	}
}

// seen is all that the reading verbs return, but for where the next page of an export begins, which is sealed.
func (p *neighbour) seen(args map[string]any) string {
	sealed := regexp.MustCompile(`"Next":"[^"]*"`)
	var out strings.Builder
	for _, verb := range slices.Sorted(maps.Keys(args)) {
		fmt.Fprintf(&out, "%s: %s\n", verb, sealed.ReplaceAll(p.do(verb, args[verb]), nil))
	}
	return out.String()
}

// Two namespaces of one pool have memories with the same IDs and texts: whatever one of them does, by every verb there is, the other one
// sees the same as before, byte for byte.
func TestTenants_EveryVerb(t *testing.T) {
	t.Parallel()
	url := twinsURL(t)
	at := &atomic.Int64{}
	at.Store(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC).UnixNano())
	now := func() time.Time { return time.Unix(0, at.Load()).UTC() }
	all := app.NewTenants(config.Config{Store: databaseOf(t, url), Model: config.Model{Name: config.Static}}, &app.Options{Now: now, Log: slog.New(slog.DiscardHandler)}, nil, 0)
	t.Cleanup(func() {
		if err := all.Shut(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	var pair [2]neighbour
	for i, namespace := range []string{"acme", "Acme "} {
		e, err := all.Of(t.Context(), namespace)
		if err != nil {
			t.Fatal(err)
		}
		pair[i] = neighbour{namespace: namespace, calls: dispatcherOf(e), engine: e, now: now}
		for n := range 4 {
			pair[i].ids = append(pair[i].ids, idOf(n, 1))
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		for range 2 {
			at.Add(int64(rapid.IntRange(1, 60).Draw(r, "minutes")) * int64(time.Minute))
			i := rapid.IntRange(0, 1).Draw(r, "who")
			pair[0].r, pair[1].r = r, r
			doer, other := &pair[i], &pair[1-i]
			reads := make(map[string]any)
			for verb, args := range other.reads() {
				reads[verb] = args()
			}
			other.seen(reads) // they advance the active day, of their own namespace
			other.settle()
			before := other.seen(reads)
			verbs := doer.verbs()
			verb := rapid.SampledFrom(slices.Sorted(maps.Keys(verbs))).Draw(r, "verb")
			doer.do(verb, verbs[verb]())
			doer.settle()
			if after := other.seen(reads); after != before {
				r.Fatalf("%s of %s changed %s from\n%s\nto\n%s", verb, doer.namespace, other.namespace, before, after)
			}
		}
	})
}

// Every verb there is has arguments in [TestTenants_EveryVerb].
func TestTenants_EveryVerbIsTried(t *testing.T) {
	t.Parallel()
	missing := rpc.Verbs()
	p := &neighbour{}
	for _, verb := range slices.Concat(slices.Collect(maps.Keys(p.verbs())), slices.Collect(maps.Keys(p.reads())), settling()) {
		delete(missing, verb)
	}
	if len(missing) > 0 {
		t.Errorf("not tried: %v", slices.Sorted(maps.Keys(missing)))
	}
}
