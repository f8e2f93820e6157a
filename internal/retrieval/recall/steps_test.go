package recall_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
)

// No step of the pipeline changes the result of another one: not with sessions, versions, relations, votes, archived memories and more matches
// than are reranked, and whatever is asked for.
func TestSteps_ChangeNoResultOfAnother(t *testing.T) {
	t.Parallel()
	f := openReranking(t, embedtest.NewWords("w"))
	subjects := []string{"gateway", "cache", "ledger", "printer"}
	for i := range 240 {
		m := turn(i, "", fmt.Sprintf("the %s of berth %d retries after %d seconds", subjects[i%len(subjects)], i%20, i))
		switch i % 6 {
		case 0:
			m.Source.Session = fmt.Sprint("s", i/40)
		case 1:
			m.ArchivedAt = f.now
		case 2:
			m.Importance = hippo.Importance{Base: .9, Value: .9}
		case 3:
			m.Feedback = []hippo.Feedback{{Kind: hippo.FeedbackUp, Weight: 2, Day: 1}}
		case 4:
			if i > 10 {
				m.SupersededBy = idOf(i - 1)
			}
		}
		f.put(m)
	}
	for i := range 20 {
		f.relate(hippo.Relation{From: idOf(i * 5), To: idOf(i*7 + 100), Kind: "explains", Weight: 1})
	}
	if err := f.index.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]hippo.Query{
		"a question":    {Text: "why does the gateway of berth 4 retry after 44 seconds?"},
		"a vague one":   {Text: "gateway"},
		"of the past":   {Text: "what was the retry of the ledger before?"},
		"a range":       {Text: "cache berth retries", Relevance: &hippo.Range{Min: .1, Max: .6}},
		"everything":    {Text: "printer", Relevance: &hippo.Range{Max: math.Inf(1)}, Count: 300},
		"a situation":   {Text: "printer", Situation: []string{"printing"}},
		"explained":     {Text: "ledger retries", Detail: hippo.Detail{Explain: true}},
		"without text":  {},
		"archived ones": {Text: "cache retries", Filter: hippo.Filter{Archived: true}},
	} {
		q.Ranker = hippo.RankerHippo
		if q.Count == 0 {
			q.Count = hippo.DefaultCount
		}
		plan, err := f.searcher.Plan(f.scope, &q)
		if err != nil {
			t.Fatal(err)
		}
		changed, err := f.searcher.Trespasses(t.Context(), plan, 1)
		if err != nil || len(changed) > 0 {
			t.Errorf("%s: %v changed the result of an earlier step (%v)", name, changed, err)
		}
	}
}
