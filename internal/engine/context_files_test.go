package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// When a session begins, insights that name a changed file come before others of their section; without changes they do not
// fit here.
func TestContext_ChangedFiles(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	const named = "The queue in retry_budget.go drops what waits for longer than a minute"
	for i, text := range []string{"the moon is far away", "bread needs salt and water", "the train to the sea leaves at noon", "paint dries in two hours", "the cat sleeps on the roof", "tea is better with milk"} {
		remember(t, f, "p", hippo.Memory{Content: fmt.Sprintf("Note %d: %s, whatever anybody in this house may say about it", i, text)})
	}
	remember(t, f, "p", hippo.Memory{Content: named}) // of what is equally worth knowing, what was recorded first is first
	m := f.In(hippo.LocalScope("p"))
	first := func(changed ...string) (string, bool) {
		t.Helper()
		state := project.State{Branch: "main", Changed: changed}
		b, err := query.Context(t.Context(), m, briefing.Query{Work: api.Work{State: state.Text()}, MaxTokens: 150})
		if err != nil || len(b.Items) == 0 {
			t.Fatalf("%v (%v)", b, err)
		}
		return b.Items[0].Memory.Content, slices.Contains(briefed(b), "recent: "+named)
	}
	if got, there := first("internal/gateway/retry_budget.go"); got != named || !there {
		t.Errorf("the file has changed: first is %q", got)
	}
	if got, there := first(); there {
		t.Errorf("nothing has changed: first is %q, and the insight is there", got)
	}
	if got, there := first("docs/other.md"); there {
		t.Errorf("another file has changed: first is %q, and the insight is there", got)
	}
}
