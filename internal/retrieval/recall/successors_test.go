package recall_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
)

// supersede makes memories supersede each other at random: in chains, in circles, themselves,
// and by what is not there.
func (c corpus) supersede(r *rapid.T) {
	for i, m := range c {
		switch rapid.IntRange(0, 5).Draw(r, "superseded") {
		case 0, 1, 2:
			m.SupersededBy = c[rapid.IntRange(0, len(c)-1).Draw(r, "by")].ID
		case 3:
			m.SupersededBy = hippo.ID{15: 1, 3: byte(i + 1)}
		}
	}
}

// successors returns the memory that must rank above each one: its successor if that is kept,
// or else the successor of that. Those in a circle are no successors.
func (c corpus) successors(kept func(*hippo.Memory) bool) map[hippo.ID]hippo.ID {
	byID := make(map[hippo.ID]*hippo.Memory)
	for _, m := range c {
		byID[m.ID] = m
	}
	inCircle := func(m *hippo.Memory) bool {
		at := byID[m.SupersededBy]
		for n := 0; at != nil && at != m && n <= len(c); n++ {
			at = byID[at.SupersededBy]
		}
		return at == m
	}
	out := make(map[hippo.ID]hippo.ID)
	for _, m := range c {
		at := m
		for at != nil && !inCircle(at) && (at == m || !kept(at)) {
			at = byID[at.SupersededBy]
		}
		if at != nil && at != m && kept(at) {
			out[m.ID] = at.ID
		}
	}
	return out
}

func TestSucceed_SuccessorsRankAboveWhatTheySupersede(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t tester) *fixture{
		"lexical":   func(t tester) *fixture { return openReranking(t) },
		"semantic":  func(t tester) *fixture { return openReranking(t, embedtest.NewWords("word")) },
		"no_tokens": func(t tester) *fixture { return open(t, nil, embedtest.NewWords("word")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				f, c := open(r), drawCorpus(r, 20)
				c.supersede(r)
				c.bound(r, f.now)
				f.put(c...)
				q := hippo.Query{Text: rapid.SampledFrom([]string{"", "car", "fuel lunch", "lisbon rain"}).Draw(r, "text")}
				q.Filter.Pinned = rapid.Bool().Draw(r, "only pinned")
				q.Ranker = rapid.SampledFrom([]hippo.Ranker{hippo.RankerHippo, hippo.RankerInsight}).Draw(r, "ranker")
				hits := f.allPages(r, q, 1000)
				kept := func(m *hippo.Memory) bool { return m.Pinned || !q.Filter.Pinned }
				folded, standIn := c.folded(kept)
				rankOf := make(map[hippo.ID]int)
				for i, h := range hits {
					rankOf[standIn[h.Memory.ID]] = i + 1
				}
				for old, now := range folded.successors(kept) {
					if at := rankOf[old]; at > 0 && (rankOf[now] == 0 || rankOf[now] > at) {
						r.Fatalf("%+v: %v has rank %d, its successor %v rank %d", q, old, at, now, rankOf[now])
					}
				}
				if !slices.IsSortedFunc(hits, func(a, b hippo.Hit) int { return int(1e9 * (b.Relevance - a.Relevance)) }) {
					r.Fatalf("%+v: the hits are not in the order of their relevance", q)
				}
				if q.Ranker == hippo.RankerHippo && name != "no_tokens" { // there the distribution is of approximate cosines
					q.Relevance = &hippo.Range{Max: math.Inf(1)} // a vague query without a range has reserved places, and one with a range has none
					wantConsistent(r, f, q)
				}
			})
		})
	}
}

// Successors that rise from far behind do so on every page.
func TestSucceed_PagesOfManyHits(t *testing.T) {
	t.Parallel()
	for name, session := range map[string]func(n int) string{
		"alone":      func(int) string { return "" },
		"neighbours": func(n int) string { return fmt.Sprint("s", n/10) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, 2))
			var list []*hippo.Memory
			for n := range 900 {
				list = append(list, turn(n+1, session(n), fmt.Sprint([]string{"car", "car fuel", "lunch"}[n%3], strings.Repeat(" filler", n%9))))
			}
			for _, m := range list {
				if random.IntN(4) == 0 {
					m.SupersededBy = list[random.IntN(len(list))].ID
				}
			}
			f := openReranking(t)
			f.put(list...)
			other := openReranking(t)
			random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			other.put(list...)
			ids := func(hits []hippo.Hit) (out []hippo.ID) {
				for _, h := range hits {
					out = append(out, h.Memory.ID)
				}
				return out
			}
			for each, least := range map[bool]int{true: 600, false: 150} {
				q := hippo.Query{Text: "car fuel", Detail: hippo.Detail{Each: each}}
				want := ids(f.allPages(t, q, 1000))
				if d := cmp.Diff(want, ids(f.allPages(t, q, 10))); d != "" || len(want) < least {
					t.Errorf("each: %v, %d hits, in pages of 10:\n%s", each, len(want), d)
				}
				if d := cmp.Diff(want, ids(other.allPages(t, q, 1000))); d != "" {
					t.Errorf("each: %v, recorded in another order:\n%s", each, d)
				}
			}
		})
	}
}

// A successor becomes a hit although it does not match.
func TestSucceed_SuccessorsJoinTheHits(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	old, next, last, other := turn(1, "", "car in lisbon"), turn(2, "", "lunch"), turn(3, "", "rain"), turn(4, "", "car")
	old.SupersededBy, next.SupersededBy = next.ID, last.ID
	f.put(old, next, last, other)
	f.wantOrder(hippo.Query{Text: "car lisbon"}, "rain", "lunch", "car in lisbon", "car")
	for i, h := range f.search(hippo.Query{Text: "car lisbon", Detail: hippo.Detail{Explain: true}}).Hits {
		if (h.Explanation.Via == hippo.ViaSuccession) != (i < 2) { // rain and lunch
			t.Errorf("%q is explained by %+v", h.Memory.Content, h.Explanation)
		}
	}
	f.wantOrder(hippo.Query{Text: "lunch"}, "rain", "lunch")
	f.wantOrder(hippo.Query{Text: "rain"}, "rain")
	for _, baseline := range []hippo.Ranker{hippo.RankerBM25, hippo.RankerCosine} {
		for _, h := range f.search(hippo.Query{Text: "car lisbon", Ranker: baseline}).Hits {
			if h.Memory.ID == next.ID || h.Memory.ID == last.ID {
				t.Errorf("ranker %s finds %q", baseline, h.Memory.Content)
			}
		}
	}
	f.forget(next.ID)
	f.wantOrder(hippo.Query{Text: "car lisbon"}, "car in lisbon", "car")
}

// The successor of a hit may have a relation to another one, too: it is counted once, and
// ranks where the better of the two puts it.
func TestSucceed_SuccessorsThatArePulled(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"joins": "raise the pool", "is raised": "raise a timeout of the pool for whatever waits there so long"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openReranking(t)
			old := turn(2, "", "gateway words of no use to anyone who reads them here today or on another day")
			old.SupersededBy = idOf(3)
			f.put(turn(1, "", "gateway timeout"), old, turn(3, "", content), turn(4, "", "bread"))
			q := hippo.Query{Text: "gateway timeout", Relevance: &hippo.Range{Max: 2}}
			before := f.search(q)
			f.relate(hippo.Relation{From: idOf(3), To: idOf(1), Kind: "fixes", Weight: 1})
			a := f.search(q)
			buckets := hippo.Distribution{}
			for _, h := range a.Hits {
				buckets.Add(h.Relevance)
				for _, b := range before.Hits {
					if b.Memory.ID == h.Memory.ID && h.Relevance < b.Relevance {
						t.Errorf("a relation takes %q from %v to %v", h.Memory.Content, b.Relevance, h.Relevance)
					}
				}
				if h.Memory.ID == idOf(3) && h.Relevance < .5*a.Hits[0].Relevance {
					t.Errorf("the relation counts for nothing: %v of %v", h.Relevance, a.Hits[0].Relevance)
				}
			}
			if a.Total != 3 || len(a.Hits) != 3 || a.Distribution != buckets {
				t.Errorf("%d hits, total %d, distribution %v, want %v", len(a.Hits), a.Total, a.Distribution, buckets)
			}
		})
	}
}
