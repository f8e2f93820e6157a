package recall_test

import (
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// Of three versions of a fact the last one is current, and for a query about the past the others are
// former ones. What is about something else has no later version, nor has anything if all are of one
// time, and a query that names a time wants neither.
func TestRerank_Versions(t *testing.T) {
	t.Parallel()
	first, second, third, other := "car fuel petrol", "car fuel diesel", "car fuel electric", "car music band"
	for name, c := range map[string]struct {
		query   string
		sameDay bool
		current []string // with at least -.1 of [rank.Timely]; the others have at most -.4
		former  []string // with at least .4 of it; the others have 0
	}{
		"now":           {query: "car fuel", current: []string{third, other}},
		"before":        {query: "car fuel before", former: []string{first, second}},
		"a time":        {query: "car fuel on 3 May 2025", current: []string{first, second, third, other}},
		"at one moment": {query: "car fuel", sameDay: true, current: []string{first, second, third, other}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openReranking(t, embedtest.NewWords("word"))
			for i, content := range []string{first, other, second, third} {
				m := turn(i+1, "", content)
				if m.CreatedAt = f.now; !c.sameDay {
					m.CreatedAt = f.now.Add(time.Duration(i-9) * time.Hour)
				}
				f.put(m)
			}
			timely := make(map[string]float64)
			for _, h := range f.search(hippo.Query{Text: c.query, Detail: hippo.Detail{Explain: true}}).Hits {
				timely[h.Memory.Content] = feature(h, rank.Timely)
			}
			if c.former != nil {
				checkVersions(t, timely, c.former, .4, 0)
			} else {
				checkVersions(t, timely, c.current, -.1, -.4)
			}
		})
	}
}

// checkVersions compares a feature by content: those of most have at least that, all others at most
// another value.
func checkVersions(t *testing.T, got map[string]float64, most []string, least, others float64) {
	t.Helper()
	if len(got) != 4 {
		t.Fatalf("got %d hits, want 4", len(got))
	}
	for _, content := range most {
		if got[content] < least {
			t.Errorf("%q has %.2f, want at least %.2f", content, got[content], least)
		}
		delete(got, content)
	}
	for content, x := range got {
		if x > others {
			t.Errorf("%q has %.2f, want at most %.2f", content, x, others)
		}
	}
}
