package engine_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
)

func TestSearch_FindsLexically(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.record("SQLite needs one writer connection", .5, "database tuning")
	f.record("The lunch place closes at three", .9, "food")
	f.wantOrder(hippo.Query{Text: "sqlite writers"}, "SQLite needs one writer connection")
	f.wantOrder(hippo.Query{Text: "tuning a database"}, "SQLite needs one writer connection")
	f.wantOrder(hippo.Query{Text: "unrelated"})
	if got := f.search(hippo.Query{}).Total; got != 2 {
		t.Errorf("an empty query matches %d memories, want 2", got)
	}
}

func TestSearch_VotesOrderEqualTexts(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	a := f.record("retry with backoff, says A", .5)
	b := f.record("retry with backoff, says B", .5)
	q := hippo.Query{Text: "retry with backoff", NoTouch: true}
	f.wantOrder(q, "retry with backoff, says B", "retry with backoff, says A")
	f.vote([]hippo.ID{a}, []hippo.ID{b})
	f.wantOrder(q, "retry with backoff, says A", "retry with backoff, says B")
}

// A memory that is opened and voted up daily for months does not displace the one that
// answers the question.
func TestSearch_UseNeverBuriesRelevance(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.record("The staging database password rotates every Monday", .2)
	popular := f.record("Every team member likes the staging dashboard", 1)
	for range 60 {
		f.live(1)
		f.search(hippo.Query{Text: "dashboard"})
		f.vote([]hippo.ID{popular}, nil)
	}
	if got := contents(f.search(hippo.Query{Text: "when does the staging database password rotate"})); got[0] != "The staging database password rotates every Monday" {
		t.Errorf("got %q first", got[0])
	}
}

func TestSearch_InsightRankerFollowsTheFormula(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.record("Prefer table tests", .8)
	q := hippo.Query{Text: "table tests", Ranker: hippo.RankerInsight}
	want := func(what string, want float64) {
		t.Helper()
		if got := f.search(q).Hits[0].Relevance; fmt.Sprintf("%.6f", got) != fmt.Sprintf("%.6f", want) {
			t.Errorf("%s: got %.6f, want %.6f", what, got, want)
		}
	}
	want("fresh", .3+.2/300+.35*.8+.15)
	f.live(10)
	want("ten days later, two accesses", .3*.60653066+.2*2/300+.35*.8*.34867844+.15)
	want("searched again today", .3+.2*3/300+.35*.8*.34867844+.15)
}

func TestSearch_RelevanceRangeAndDistribution(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	for i := range 10 {
		f.record(fmt.Sprintf("note %d about authentication", i), float64(i)/10)
	}
	all := f.search(hippo.Query{Text: "authentication", Ranker: hippo.RankerInsight, NoTouch: true})
	some := f.search(hippo.Query{
		Text: "authentication", Ranker: hippo.RankerInsight, NoTouch: true, Count: 2,
		Relevance: &hippo.Range{Min: .6, Max: 1},
	})
	if all.Total != 10 || some.Total != 5 || len(some.Hits) != 2 {
		t.Errorf("got totals %d and %d with %d hits, want 10, 5 and 2", all.Total, some.Total, len(some.Hits))
	}
	if diff := cmp.Diff(all.Distribution, some.Distribution); diff != "" || all.Distribution.Sum() != 10 {
		t.Errorf("the distribution depends on the range: %s", diff)
	}
}

func TestSearch_PagesAreStable(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	var want []string
	for i := range 25 {
		want = append(want, fmt.Sprintf("page note %02d", i))
		f.record(want[i], .5)
	}
	slices.Reverse(want)
	var got []string
	for offset := 0; offset < 30; offset += 10 {
		a := f.search(hippo.Query{Text: "page note", Offset: offset})
		if a.Total != 25 {
			t.Errorf("got total %d, want 25", a.Total)
		}
		got = append(got, contents(a)...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Whatever is asked, of however few memories, there is an answer that adds up.
func TestSearch_OddQueries(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for n := 0; long.Len() < hippo.MaxQuery-16; n++ {
		fmt.Fprintf(&long, "Word%d car ", n)
	}
	for name, text := range map[string]string{
		"nothing": "", "punctuation": "?!... -- \"'", "one sign": "?", "function words": "the of and",
		"unknown": "Zyx", "long": long.String(), "repeated": strings.Repeat("car ", hippo.MaxQuery/4),
	} {
		for _, memories := range []int{0, 1, 3} {
			t.Run(fmt.Sprintf("%s/%d", name, memories), func(t *testing.T) {
				t.Parallel()
				f := openReranking(t, instant(embedtest.NewWords("word")))
				for n := range memories {
					f.put(turn(n+1, "s", []string{"car", "!!!", "the car of Word1"}[n]))
				}
				for _, ranker := range hippo.Rankers() {
					a := f.search(hippo.Query{Text: text, Ranker: ranker, Detail: hippo.Detail{Explain: true}, Relevance: &hippo.Range{Max: 2}})
					if a.Total != len(a.Hits) || a.Distribution.Sum() != a.Total || !(a.Confidence >= 0 && a.Confidence <= 1) {
						t.Errorf("%s: total %d, distribution %v, %d hits, confidence %v", ranker, a.Total, a.Distribution, len(a.Hits), a.Confidence)
					}
					for _, h := range a.Hits {
						if !(h.Relevance >= 0 && h.Relevance <= 1) {
							t.Errorf("%s: relevance %v", ranker, h.Relevance)
						}
					}
				}
			})
		}
	}
}

func TestSearch_PagesBeyondTheEnd(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	f.put(turn(1, "", "car"))
	for _, offset := range []int{1, 1 << 30, math.MaxInt - 200, math.MaxInt - 20, math.MaxInt} {
		for _, ranker := range hippo.Rankers() {
			a := f.search(hippo.Query{Text: fmt.Sprint("car ", offset), Ranker: ranker, Offset: offset, Relevance: &hippo.Range{Max: 2}})
			if len(a.Hits) != 0 || ranker != hippo.RankerCosine && a.Total != 1 {
				t.Errorf("%s at %d: %d hits of %d", ranker, offset, len(a.Hits), a.Total)
			}
		}
	}
}

// A text of nothing but space matches everything, as no text does.
func TestSearch_BlankTextIsNoText(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	for n := range 5 {
		f.put(turn(n+1, "s", fmt.Sprintf("note number%d", n)))
	}
	want := f.search(hippo.Query{NoTouch: true})
	got := f.search(hippo.Query{Text: " \n", NoTouch: true})
	for i := range want.Hits {
		if len(got.Hits) != 5 || got.Hits[i].Relevance != want.Hits[i].Relevance {
			t.Fatalf("got %q, the first of relevance %v, want %v", contents(got), got.Hits[0].Relevance, want.Hits[i].Relevance)
		}
	}
}

// Of a query that is longer than one may be the beginning counts, up to the end of a word; the answer notes it once, in the
// past as well.
func TestSearch_LongQuery(t *testing.T) {
	t.Parallel()
	f := openReranking(t, instant(embedtest.NewWords("word")))
	f.put(turn(1, "s", "the car of Word1"))
	whole := f.search(hippo.Query{Text: strings.Repeat("x", hippo.MaxQuery)})
	if len(whole.Degraded) != 0 {
		t.Errorf("a query of the maximum has the notes %q", whole.Degraded)
	}
	text := "car " + strings.Repeat("größer ", hippo.MaxQuery/8)
	for name, known := range map[string]time.Time{"now": {}, "past": f.now()} {
		a := f.search(hippo.Query{Text: text, Filter: hippo.Filter{Moment: hippo.Moment{KnownAt: known}}})
		n := 0
		for _, note := range a.Degraded {
			if strings.HasPrefix(note, "only the first 81") {
				n++
			}
		}
		if n != 1 || len(a.Hits) != 1 {
			t.Errorf("%s: got %d hits, %q", name, len(a.Hits), a.Degraded)
		}
	}
}
