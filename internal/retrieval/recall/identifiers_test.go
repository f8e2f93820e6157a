package recall_test

import (
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/models"
)

// A question of identifiers is answered by the memory that has them, or nearly has them, whatever is beside it in its session; another
// question, or one whose identifiers no memory has, by all that models know.
func TestRerank_Identifiers(t *testing.T) {
	t.Parallel()
	tokens, err := static.Open(models.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, tokens, &embedtest.Words{})
	const (
		path   = "Do not call IsSurrogate from reflect/deepequal.go: the configuration was read before the flags."
		ticket = "CORE-9471: a lock was held during a slow call."
		other  = "CORE-2298: a lock was held during a slow call, and the tide turned."
	)
	f.put(turn(1, "s", path), turn(2, "s", ticket), turn(3, "s", other), turn(4, "s", "GitHub closes pull requests that nobody answers."))
	for query, want := range map[string]struct {
		first    string
		verbatim float64
	}{
		"reflect/deepequal.go":               {path, 1},
		"deepequal.go":                       {path, 1},
		"IsSurogate":                         {path, 1},
		"CORE-9471":                          {ticket, 1},
		"CORE-9491":                          {ticket, 1},
		"`CORE-9471`, reflect/deepequal.go?": {path, 1},
		"what happened in CORE-9471":         {ticket, 0},
		"who closes pull requests":           {"GitHub closes pull requests that nobody answers.", 0},
		"GitHub":                             {"GitHub closes pull requests that nobody answers.", 1},
	} {
		a := f.search(hippo.Query{Text: query, Detail: hippo.Detail{Explain: true}})
		if len(a.Hits) == 0 {
			t.Errorf("%s: nothing", query)
			continue
		}
		h := a.Hits[0]
		if got := h.Explanation.Context["verbatim"]; h.Memory.Content != want.first || got != want.verbatim {
			t.Errorf("%s: verbatim %v, first %q, want %v, %q", query, got, h.Memory.Content, want.verbatim, want.first)
		}
	}
}
