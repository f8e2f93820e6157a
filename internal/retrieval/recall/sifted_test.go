package recall_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
)

// Whatever a store and a query are, a search that sifts has the hits, relevances, totals and distribution of one that reads all matches:
// also of parts that grew since the working memory was used last, and of what is forgotten, filtered or asked for vaguely.
func TestRecall_SiftedIsWhole(t *testing.T) {
	t.Parallel()
	for name, words := range map[string][]*embedtest.Words{"lexical": nil, "semantic": {embedtest.NewWords("word")}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(7, 11))
			f := openReranking(t, words...)
			all := many(1500)
			for _, m := range all {
				m.Project, m.Surprise.Score = []string{"", "p"}[r.IntN(2)], r.Float64()
				m.Source.Session, m.Source.Seq = []string{"", "a", "b"}[r.IntN(3)], r.IntN(400)
				if r.IntN(10) == 0 {
					m.EventTime = m.CreatedAt.AddDate(0, 0, -r.IntN(400))
				}
				if r.IntN(20) == 0 {
					m.ValidUntil = m.CreatedAt.AddDate(0, 0, r.IntN(100)-50)
				}
			}
			for some := range chunks(all, r) {
				f.put(some...)
				for range 1 + len(some)/40 {
					f.forget(some[r.IntN(len(some))].ID)
				}
				for range 40 {
					f.wantWhole(randomQuery(r))
				}
			}
		})
	}
}

// chunks yields memories in parts of many sizes, each of which the index takes in by itself.
func chunks(all []*hippo.Memory, r *rand.Rand) func(func([]*hippo.Memory) bool) {
	return func(yield func([]*hippo.Memory) bool) {
		for len(all) > 0 {
			n := min(len(all), 1+r.IntN(400))
			if !yield(all[:n]) {
				return
			}
			all = all[n:]
		}
	}
}

func randomQuery(r *rand.Rand) hippo.Query {
	text := make([]string, 1+r.IntN(1+r.IntN(5)))
	for i := range text {
		text[i] = strings.Fields("car fuel petrol lunch rain red green blue lisbon tram bicycle the yesterday unknown")[r.IntN(14)]
	}
	q := hippo.Query{Text: strings.Join(text, " "), Ranker: hippo.RankerHippo, Offset: r.IntN(2) * r.IntN(300), Count: 1 + r.IntN(60)}
	if r.IntN(2) == 0 {
		q.Situation, q.Strict = []string{"debugging"}, r.IntN(4) == 0
	}
	q.Filter.Archived, q.Filter.Pinned = r.IntN(4) == 0, r.IntN(8) == 0
	if r.IntN(4) == 0 {
		q.Filter.Projects = []string{"p"}
	}
	if r.IntN(6) == 0 {
		q.Filter.EventAfter = turn(200, "", "").CreatedAt
	}
	return q
}

// wantWhole checks that a query has the same answer with a distribution, without one and with explanations, for which all matches are read.
func (f *fixture) wantWhole(q hippo.Query) {
	f.t.Helper()
	want := f.recall(q)
	q.NoDistribution = true
	got := f.recall(q)
	got.Distribution = want.Distribution
	if d := cmp.Diff(want, got); d != "" {
		f.t.Fatalf("%+v (-with a distribution +without):\n%s", q, d)
	}
	q.NoDistribution, q.Explain = false, true
	got = f.recall(q)
	if want.Distribution != got.Distribution {
		f.t.Fatalf("%+v: distribution %v, explained %v", q, want.Distribution, got.Distribution)
	}
	if want.Total != got.Total || len(want.Hits) != len(got.Hits) {
		f.t.Fatalf("%+v, explained: %d of %d, want %d of %d", q, len(got.Hits), got.Total, len(want.Hits), want.Total)
	}
	for i, h := range got.Hits {
		if w := want.Hits[i]; h.ID != w.ID || h.Relevance != w.Relevance {
			f.t.Fatalf("%+v, explained: hit %d is %v (%v), want %v (%v)", q, i, h.ID, h.Relevance, w.ID, w.Relevance)
		}
	}
}
