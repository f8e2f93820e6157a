package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// The memories that get one vote are a list of their own, beside the lists of each vote: errors name the list that the caller wrote.
func TestReinforce_ListsAreApart(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.hello()
	one, two := s.record("the gateway needs jitter", .5), s.record("the queue drains at night", .5)
	const reinforce, unknown = "hippo_reinforce_insight", "zzzz"
	for _, x := range []exchange{
		{reinforce, object{"upvotes": []any{one, two, unknown}, "vote": "up"}, "upvotes[2]: "},
		{reinforce, object{"up": unknown, "vote": "up", "ids": one}, "up: "},
		{reinforce, object{"upvotes": []any{one, two}, "ids": unknown, "vote": "up"}, "ids: "},
		{reinforce, object{"upvotes": []any{one}, "uuids": []any{two, unknown}, "vote": "up"}, "uuids[1]: "},
		{reinforce, object{"ids": one}, "vote: must be one of"},
	} {
		if o := s.tool(x.tool, x.args); !o.IsError || !strings.Contains(o.Text, "] "+x.want) {
			t.Errorf("%v: got %s, want %q", x.args, o.Text, x.want)
		}
	}
	s.must(reinforce, object{"upvotes": []any{one}, "uuids": []any{one, two}, "vote": "up"}, nil)
	if err := s.engine.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	ms, err := memory.List(t.Context(), s.engine.In(hippo.LocalScope("")), api.List{})
	if err != nil || len(ms.Memories) != 2 {
		t.Fatal(ms, err)
	}
	for _, m := range ms.Memories {
		if len(m.Feedback) != 1 {
			t.Errorf("%s has the votes %v, want one", m.Content, m.Feedback)
		}
	}
}
