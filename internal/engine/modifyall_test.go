package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
)

// Several memories are changed as one operation, which one undo takes back.
func TestModifyAll(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	one, two := f.record("one", .5), f.record("two", .5)
	list := []api.Modify{
		{ID: two, Change: api.Change{Content: new("second"), Vote: api.VoteNone, IfVersion: 1}},
		{ID: one, Change: api.Change{Tags: &[]string{"x"}, Vote: api.VoteNone}},
	}
	ms, err := memory.ModifyAll(t.Context(), f.Memories, list)
	if err != nil || len(ms) != 2 || f.get(two).Content != "second" || len(f.get(one).Tags) != 1 {
		t.Fatalf("got %v, %v", ms, err)
	}
	page, err := memory.Operations(t.Context(), f.Memories, api.Operations{})
	if err != nil || len(page.Operations) != 1 {
		t.Fatalf("%+v (%v), want one operation", page, err)
	}
	if _, err := memory.ModifyAll(t.Context(), f.Memories, []api.Modify{
		{ID: one, Change: api.Change{Content: new("first")}},
		{ID: two, Change: api.Change{Content: new("2"), IfVersion: 1}},
	}); !errors.Is(err, engine.ErrVersion) || f.get(one).Content != "one" || f.get(two).Content != "second" {
		t.Errorf("one of two was changed by others: %v; %q and %q", err, f.get(one).Content, f.get(two).Content)
	}
}

func TestModifyAll_Refuses(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	one, two := f.record("one", .5), f.record("two", .5)
	secret, _ := secretText()
	text := func(id hippo.ID, s string) api.Modify {
		return api.Modify{ID: id, Change: api.Change{Content: &s}}
	}
	for name, list := range map[string][]api.Modify{
		"nothing":          {},
		"twice":            {text(one, "a"), text(one, "b")},
		"no change":        {text(one, "a"), {ID: two}},
		"superseding":      {text(one, "a"), {ID: two, Change: api.Change{Supersedes: &[]hippo.ID{one}}}},
		"a secret":         {text(one, "a"), text(two, secret)},
		"an unknown":       {text(one, "a"), text(hippo.ID{1}, "b")},
		"a text too long":  {text(one, "a"), text(two, strings.Repeat("x", hippo.MaxContent+1))},
		"an invalid vote":  {text(one, "a"), {ID: two, Change: api.Change{Vote: "sideways"}}},
		"an empty content": {text(one, "a"), text(two, " ")},
	} {
		if _, err := memory.ModifyAll(t.Context(), f.Memories, list); err == nil || f.get(one).Content != "one" {
			t.Errorf("%s: %v, and the first is %q", name, err, f.get(one).Content)
		}
	}
}

// A vote on a question counts as a use also where the modification supersedes.
func TestModify_SupersedingVoteIsAUse(t *testing.T) {
	t.Parallel()
	f := openAssociating(t, nil)
	f.put(turn(1, "", "red alpha"), turn(2, "", "red beta"), turn(3, "", "red gamma"))
	f.voted("red", 1)
	change := api.Change{Vote: api.VoteUp, Query: "red", Supersedes: &[]hippo.ID{idOf(3)}}
	if _, err := memory.Modify(t.Context(), f.Memories, idOf(2), change); err != nil {
		t.Fatal(err)
	}
	if f.learned(1, 2) == 0 {
		t.Error("two votes on one question relate nothing")
	}
}

// A consolidation whose rescoring fails names its operation, which was carried out.
func TestConsolidate_RescoringFails(t *testing.T) {
	t.Parallel()
	b := &unsteady{Backend: newPersistent()}
	f := open(t, options{
		backend: b, models: []embedding.Model{instant(embedtest.NewWords("w"))}, surprise: engine.Surprise{Options: surprise.Default(surprise.Nearest)},
	})
	first, double := f.noted(1, "gateway timeout keepalive frame idle connection"), f.noted(2, "")
	double.Content, double.ContentHash = first.Content, first.ContentHash
	f.put(first, double, f.noted(3, "invoice ledger export currency tax rounding"))
	f.flush()
	b.mu.Lock()
	b.failures = 1_000_000
	b.mu.Unlock()
	_, err := upkeep.Consolidate(t.Context(), f.Memories, upkeep.ConsolidateOptions{Horizon: api.Monthly})
	b.mu.Lock()
	b.failures = 0
	b.mu.Unlock()
	page, bad := memory.Operations(t.Context(), f.Memories, api.Operations{})
	if bad != nil || len(page.Operations) != 1 {
		t.Fatalf("%+v (%v), want one operation", page, bad)
	}
	if !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "consolidated as operation "+page.Operations[0].ID.String()) {
		t.Errorf("got %v, want an error that names %s", err, page.Operations[0].ID)
	}
}
