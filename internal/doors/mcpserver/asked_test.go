package mcpserver_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// A vote, and an opening, is about the last search of its connection that showed the memory, or about
// the query that is given; a vote can be taken back.
func TestAsked_VotesAreTiedToSearches(t *testing.T) {
	t.Parallel()
	s := newSessionWith(t, memstore.New(nil), time.UTC, &embedtest.Texts{})
	s.serve(mcpserver.New(func(context.Context) (*engine.Engine, error) { return s.engine, nil }, &mcpserver.Options{Now: s.clock.now}))
	s.hello()
	m, err := memory.Record(t.Context(), s.engine.In(hippo.LocalScope("")), &hippo.Memory{Content: "the gateway is deployed by a script"})
	if err != nil {
		t.Fatal(err)
	}
	kinds := func() (tied []string) {
		t.Helper()
		if err := s.engine.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		ms, err := memory.Get(t.Context(), s.engine.In(hippo.LocalScope("")), []hippo.ID{m.ID})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ms[0].Feedback {
			kind := string(f.Kind)
			if f.Question != nil {
				kind += " tied"
			}
			tied = append(tied, kind)
		}
		return tied
	}
	ids := []string{m.ID.String()}
	for _, step := range []struct {
		tool string
		args object
		want []string
	}{
		{"hippo_get", object{"ids": ids}, nil}, // no search has shown it
		{"hippo_reinforce_insight", object{"upvotes": ids}, []string{"up"}},
		{"hippo_reinforce_insight", object{"undo": ids}, nil},
		{"hippo_reinforce_insight", object{"downvotes": ids, "query": "who wrote it"}, []string{"down tied"}},
		{"hippo_reinforce_insight", object{"ids": ids, "vote": "undo"}, nil},
		{"hippo_search_insights", object{"query": "gateway deployed"}, nil},
		{"hippo_reinforce_insight", object{"upvotes": ids}, []string{"up tied"}},
		{"hippo_modify_insight", object{"uuid": ids[0], "reinforce": "undo"}, nil},
		{"hippo_modify_insight", object{"uuid": ids[0], "reinforce": "downvote"}, []string{"down tied"}},
		{"hippo_get", object{"ids": ids, "no_touch": true}, []string{"down tied"}},
		{"hippo_get", object{"ids": ids}, []string{"down tied", "opened tied"}},
	} {
		if o := s.tool(step.tool, step.args); o.IsError {
			t.Fatalf("%s %v: %s", step.tool, step.args, o.Text)
		}
		if d := cmp.Diff(step.want, kinds()); d != "" {
			t.Errorf("after %s %v (-want +got):\n%s", step.tool, step.args, d)
		}
	}
	for tool, args := range map[string]object{ // a blank question is none: the vote is about the last search
		"hippo_reinforce_insight": {"upvotes": ids, "query": ""}, "hippo_modify_insight": {"uuid": ids[0], "reinforce": "upvote", "query": " "},
	} {
		if o := s.tool(tool, args); o.IsError || !slices.Contains(kinds(), "up tied") {
			t.Errorf("%s of an empty question: %s %v", tool, o.Text, kinds())
		}
	}
}

// Another connection does not know what was asked, and a connection knows the last searches only.
func TestAsked_OfOneConnection(t *testing.T) {
	t.Parallel()
	a, b := hippo.ID{1}, hippo.ID{2}
	searches := [][]hippo.ID{{a, b}}
	for range 20 {
		searches = append(searches, []hippo.ID{b})
	}
	if d := cmp.Diff(map[hippo.ID]string{b: "20"}, mcpserver.Found(searches, a, b)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := mcpserver.Found(nil, a); len(got) != 0 {
		t.Errorf("without a search: %v", got)
	}
}
