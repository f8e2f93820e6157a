package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/rpc"
)

// hidden is in a memory that no caller of another scope may see a part of.
const hidden = "heliotrope"

// argumentsFor returns arguments with which each verb would reach a memory.
func argumentsFor(m *hippo.Memory) map[string]any {
	ids := []hippo.ID{m.ID}
	link := []hippo.Relation{{From: m.ID, To: m.ID, Kind: "supports", Weight: 1}}
	return map[string]any{
		"search": map[string]any{"Text": hidden}, "count_used": ids, "context": map[string]any{"Prompt": hidden}, "list": map[string]any{},
		"get": ids, "get_at": map[string]any{"IDs": ids, "At": hippo.Moment{ValidAt: m.CreatedAt}}, "resolve": map[string]any{"Ref": m.ID.Short()}, "short_ids": ids, "numbers": ids, "compare": m, "relations": map[string]any{"IDs": ids}, "neighbours": map[string]any{"ID": m.ID}, "paths": map[string]any{"From": m.ID, "To": m.ID}, "communities": map[string]any{}, "status": map[string]any{},
		"projects": map[string]any{}, "locate": map[string]any{"Name": "github.com/a/b#0123abcd", "Former": []string{"x"}}, "resolve_project": "x", "list_projects": map[string]any{}, "merge_projects": map[string]any{"From": "none", "Into": "new:x"}, "flush": map[string]any{}, "ready": map[string]any{}, "labels": map[string]any{}, "created": map[string]any{},
		"predecessors": m.ID, "export_after": "", "relations_after": map[string]any{}, "calendar": map[string]any{},
		"record": map[string]any{"Memory": m}, "record_compared": map[string]any{"Memory": m},
		"modify": map[string]any{"ID": m.ID, "Modification": map[string]any{"Vote": "upvote"}}, "modify_all": map[string]any{"List": []any{map[string]any{"ID": m.ID, "Change": map[string]any{"Vote": "upvote"}}}}, "supersede": map[string]any{"ID": m.ID, "By": m.ID}, "reinforce": map[string]any{"Up": ids},
		"forget": ids, "restore": ids, "purge": ids, "relate": link, "end_relations": map[string]any{"Relations": link}, "unrelate": link,
		"log": map[string]any{"Memory": m.ID}, "versions": map[string]any{"Memory": m.ID}, "resolve_operation": m.ID.String(), "undo": m.ID,
		"opened": map[string]string{m.ID.String(): hidden}, "score_waiting": map[string]any{}, "rescore": 0,
		"history_after": "", "import_history": []hippo.Version{{ID: m.ID, Operation: hippo.Operation{ID: m.ID, Verb: hippo.VerbModify}, Before: m}},
		"import_batch": map[string]any{"Entries": []any{map[string]any{"Memory": m}}}, "index_imported": map[string]any{},
		"said_before": map[string]any{"Path": "/"}, "withdraw": map[string]any{"IDs": ids},
		"import_relations": link, "feed_head": map[string]any{}, "feed_after": map[string]any{},
		"find_entity": m.ID.String(), "show_entity": map[string]any{"Entity": m.ID}, "list_entities": map[string]any{"Found": true}, "resolve_named": map[string]any{"Ref": m.ID.Short()},
		"add_entity": map[string]any{"Name": "x", "ID": m.ID}, "modify_entity": map[string]any{"Entity": m.ID, "ID": m.ID}, "remove_entity": map[string]any{"Entity": m.ID, "ID": m.ID},
		"merge_entities": map[string]any{"From": m.ID, "Into": "x", "ID": m.ID}, "split_entity": map[string]any{"Entity": m.ID, "New": map[string]any{"Name": "y"}, "ID": m.ID},
		"consolidate": map[string]any{"Horizon": "weekly"}, "clusters": map[string]any{}, "audit": map[string]any{},
	}
}

// A caller from outside does no more than it may, whatever it says of itself: each verb, with a claim of all rights in
// the namespace of the memory, and in none.
func TestDispatcher_WithinTheScope(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	stored := f.record(hidden+" orchard", 0.5, hidden)
	ms, err := memory.Get(t.Context(), f.Memories, []hippo.ID{stored})
	if err != nil {
		t.Fatal(err)
	}
	before := *ms[0]
	d := rpc.NewDispatcher(func(context.Context) (*engine.Engine, error) { return f.Engine, nil })
	arguments := argumentsFor(before.Clone())
	if got, want := slices.Sorted(maps.Keys(arguments)), verbNames(); !slices.Equal(got, want) {
		t.Fatalf("arguments for %q, but the verbs are %q", got, want)
	}
	none, elsewhere := []string{}, []string{"elsewhere"}
	for name, allowed := range map[string]hippo.Scope{
		"of another namespace": {Namespace: "other", Rights: hippo.RightRead | hippo.RightWrite | hippo.RightPurge},
		"of another project":   {Projects: elsewhere, Rights: hippo.RightRead | hippo.RightWrite | hippo.RightPurge},
		"of no project":        {Projects: none, Rights: hippo.RightRead | hippo.RightWrite | hippo.RightPurge},
		"reader":               {Rights: hippo.RightRead},
		"nobody":               {},
	} {
		for verb, args := range arguments {
			for _, claimed := range []hippo.Scope{{Rights: hippo.AllRights}, {Namespace: allowed.Namespace, Rights: hippo.AllRights, Projects: []string{""}}} {
				for _, retried := range []bool{false, true} {
					reply, failed, err := within(t, d, allowed, &engine.Call{Verb: verb, Scope: claimed, Args: args, Retried: retried})
					if verb == "compare" || name == "reader" && !engine.Changes(verb) { // repeats what it got, or may see it
						continue
					}
					if strings.Contains(reply, hidden) {
						t.Errorf("%s, %s: %s", name, verb, reply)
					}
					if name == "nobody" && !slices.Contains([]string{"short_ids"}, verb) && !failed {
						t.Errorf("%s, %s: %s", name, verb, reply)
					}
					if engine.Changes(verb) && name == "reader" && !errors.Is(err, hippo.ErrForbidden) {
						t.Errorf("%s, %s: %v, want that it is forbidden", name, verb, err)
					}
				}
			}
		}
	}
	ms, err = memory.Get(t.Context(), f.Memories, []hippo.ID{stored})
	if err != nil || ms[0].Content != before.Content || ms[0].Version != before.Version || ms[0].Importance != before.Importance || ms[0].Forgotten() {
		t.Errorf("the memory is %+v (%v), was %+v", ms, err, before)
	}
}

func within(t *testing.T, d *rpc.Dispatcher, allowed hippo.Scope, c *engine.Call) (reply string, failed bool, err error) {
	t.Helper()
	call, err := rpc.Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	b, failed, err := d.DoWithin(t.Context(), allowed, call, func(err error) error { return err })
	return string(b), failed, err
}

// What a tenant is shown does not say how much others write, nor where the machine has its files.
func TestDispatcher_Discreet(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.record("mine", 0.5)
	broken := false
	d := rpc.NewDispatcher(func(context.Context) (*engine.Engine, error) {
		if broken {
			return nil, fmt.Errorf("%w: /home/me/memory.db", hippo.ErrUnavailable)
		}
		return f.Engine, nil
	})
	writer := hippo.Scope{Rights: hippo.RightRead | hippo.RightWrite}
	for verb, args := range map[string]any{"list": map[string]any{}, "export_after": "", "search": map[string]any{"Text": "mine"}} {
		mine, _, err := within(t, d, writer, &engine.Call{Verb: verb, Args: args, Scope: writer})
		if err != nil || !strings.Contains(mine, `"mine"`) || !strings.Contains(mine, `"Revision":0`) {
			t.Errorf("%s: %s (%v), want no revision", verb, mine, err)
		}
		all, _, err := within(t, d, hippo.LocalScope(""), &engine.Call{Verb: verb, Args: args, Scope: hippo.LocalScope("")})
		if err != nil || strings.Contains(all, `"Revision":0`) {
			t.Errorf("%s: %s (%v), want the revision for the owner", verb, all, err)
		}
	}
	broken = true
	call, err := rpc.Encode(&engine.Call{Verb: "list", Scope: writer, Args: map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	quiet := func(error) error { return hippo.ErrUnavailable }
	if reply, _, err := d.DoWithin(t.Context(), writer, call, quiet); strings.Contains(string(reply), "/home/me") || err == nil || !strings.Contains(err.Error(), "/home/me") {
		t.Errorf("%s (%v): the path is for the log alone", reply, err)
	}
}

// An export in pages has every memory once, also when the store changes meanwhile, and none of another tenant.
func TestRemote_ExportsPages(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	const n = 1203
	list := func(yield func(*hippo.Memory, error) bool) {
		for i := range n {
			if !yield(&hippo.Memory{Content: fmt.Sprint("memory ", i), Importance: hippo.Importance{Base: .5}}, nil) {
				return
			}
		}
	}
	r := engine.NewRemote(newServed(f.Engine), &engine.Config{Now: f.now}, f.Zone()).In(hippo.LocalScope(""))
	report, err := transfer.New(r).Import(t.Context(), hippo.Calendar{}, list, nil)
	if err != nil || report.Added != n {
		t.Fatalf("%+v, %v", report, err)
	}
	seen := map[hippo.ID]bool{}
	for m, err := range transfer.New(r).Export(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if seen[m.ID] {
			t.Fatalf("%v comes twice", m.ID)
		}
		if seen[m.ID] = true; len(seen) == 10 {
			if _, err := memory.Reinforce(t.Context(), r, []hippo.ID{m.ID}, nil); err != nil { // it comes again at the end
				t.Fatal(err)
			}
		}
	}
	if len(seen) != n {
		t.Errorf("%d memories, want %d", len(seen), n)
	}
	if _, err := engine.Perform[string, any](t.Context(), r, "AAAA", "export_after", nil); !errors.Is(err, hippo.ErrConflict) {
		t.Errorf("a position of another store: %v", err)
	}
}
