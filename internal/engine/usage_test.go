package engine_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// use searches for a word that one memory has, n times.
func (f *fixture) use(word string, n int) {
	f.t.Helper()
	for range n {
		if a := f.search(hippo.Query{Text: word}); len(a.Hits) != 1 {
			f.t.Fatalf("%q finds %q, want one memory", word, contents(a))
		}
	}
}

// Two notes that match the question equally, one that matches better than a fourth.
const (
	noteA    = "the backup of the billing database runs at night, anna wrote"
	noteB    = "the backup of the billing database runs at night, boris wrote"
	noteBest = "backup of the billing database: restore it by the runbook, then call the bank"
	noteLess = "the billing office is closed at noon on Fridays, anna wrote on the door in red"
	question = "backup billing database"
)

// usage is one that puts noteA before noteB, and how to turn off the weight that does it.
type usage struct {
	apply func(f *fixture, a, b hippo.ID)
	off   func(w *rank.Weights)
}

func usages() map[string]usage {
	return map[string]usage{
		"upvote": {
			apply: func(f *fixture, a, _ hippo.ID) { f.vote([]hippo.ID{a}, nil) },
			off:   func(w *rank.Weights) { w.Prior.Bound = 0 },
		},
		"upvote_that_multiplies_by_one": {
			apply: func(f *fixture, a, _ hippo.ID) { f.vote([]hippo.ID{a}, nil) },
			off:   func(w *rank.Weights) { w.Usage.Upvote = 1 },
		},
		"downvote": {
			apply: func(f *fixture, _, b hippo.ID) { f.vote(nil, []hippo.ID{b}) },
			off:   func(w *rank.Weights) { w.Prior.Bound = 0 },
		},
		"downvote_that_multiplies_by_one": {
			apply: func(f *fixture, _, b hippo.ID) { f.vote(nil, []hippo.ID{b}) },
			off:   func(w *rank.Weights) { w.Usage.Downvote = 1 },
		},
		"the_whole_prior": {
			apply: func(f *fixture, a, b hippo.ID) { f.vote([]hippo.ID{a}, []hippo.ID{b}); f.live(1); f.use("anna", 9) },
			off:   func(w *rank.Weights) { w.Prior.Bound = 0 },
		},
	}
}

func TestUsage_OrdersEqualTexts(t *testing.T) {
	t.Parallel()
	ask := hippo.Query{Text: question, NoTouch: true}
	for name, usage := range usages() {
		for _, on := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%v", name, on), func(t *testing.T) {
				t.Parallel()
				change, want := usage.off, []string{noteB, noteA}
				if on {
					change, want = nil, []string{noteA, noteB}
				}
				f := openWeighted(t, change)
				a, b := f.record(noteA, .5), f.record(noteB, .5)
				f.wantOrder(ask, noteB, noteA) // equal: the newer one first
				usage.apply(f, a, b)
				f.wantOrder(ask, want...)
			})
		}
	}
}

func TestUsage_ImportanceOrdersEqualTexts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		off  func(*rank.Weights)
		want []string
	}{
		{"on", nil, []string{noteA, noteB}},
		{"off", func(w *rank.Weights) { w.Prior.Bound = 0 }, []string{noteB, noteA}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := openWeighted(t, tc.off)
			f.record(noteA, .9)
			f.record(noteB, .3)
			f.wantOrder(hippo.Query{Text: question, NoTouch: true}, tc.want...)
		})
	}
}

// A pinned note keeps its importance while that of another decays.
func TestUsage_PinnedDoesNotDecay(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		off  func(*rank.Weights)
		want []string
	}{
		{"on", nil, []string{noteA, noteB}},
		{"nothing_decays", func(w *rank.Weights) { w.Usage.ImportanceDecay = 1 }, []string{noteB, noteA}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := openWeighted(t, tc.off)
			m := &hippo.Memory{Content: noteA, Importance: hippo.Importance{Base: .5}, Pinned: true}
			if _, err := memory.Record(t.Context(), f.Memories, m); err != nil {
				t.Fatal(err)
			}
			f.record(noteB, .5)
			f.live(20)
			f.wantOrder(hippo.Query{Text: question, NoTouch: true}, tc.want...)
		})
	}
}

// Days on which nothing is recorded change no relevance, so that importance orders as it did. It fades as newer
// notes on the same come in.
func TestUsage_DaysAloneChangeNothing(t *testing.T) {
	t.Parallel()
	f := openLearning(t, nil)
	f.record(rivalA, .9)
	f.record(rivalB, .3)
	ask := quietly(askedRival)
	before := f.search(ask).Hits
	f.live(60)
	after := f.search(ask).Hits
	for i := range before {
		a, b := &before[i], &after[i]
		if a.Memory.ID != b.Memory.ID || a.Relevance != b.Relevance || a.Signals.Prior != b.Signals.Prior || b.Signals.Prior < .3 {
			t.Errorf("hit %d was %v with %+v, and is %v with %+v", i, a.Relevance, a.Signals, b.Relevance, b.Signals)
		}
		if b.Signals.Importance > .01 {
			t.Errorf("hit %d: importance %v does not decay", i, b.Signals.Importance)
		}
	}
	newer := f.record("the gateway is deployed by anna since june", .3)
	for _, h := range f.search(ask).Hits {
		if h.Memory.ID == newer && h.Signals.Prior != .3 || h.Memory.ID != newer && h.Signals.Prior > .01 {
			t.Errorf("beside a newer note the prior of %q is %v", h.Memory.Content, h.Signals.Prior)
		}
	}
}

// All that can be done for a note that matches worse does not put it before the one that
// matches best, which nobody ever used. Without the bound it would.
func TestUsage_NeverBuriesTheBetterMatch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		off   func(*rank.Weights)
		first string
	}{
		{"bounded", nil, noteBest},
		{"unbounded", func(w *rank.Weights) { w.Prior.Bound = 1 }, noteLess},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := openWeighted(t, tc.off)
			a, _ := f.record(noteLess, 1), f.record(noteBest, 0)
			for range 30 {
				f.live(1)
				f.use("anna", 12)
				f.vote([]hippo.ID{a}, nil)
			}
			answer := f.search(hippo.Query{Text: question, NoTouch: true})
			if got := contents(answer); got[0] != tc.first || len(got) != 2 {
				t.Errorf("got %q", got)
			}
			for _, h := range answer.Hits {
				if h.Memory.ID == a && (h.Signals.Prior < .99 || h.Signals.Frequency < 1) {
					t.Errorf("the note is not used enough to show it: %+v", h.Signals)
				}
			}
		})
	}
}

// Searching for the same thing for two months does not raise what it finds without end: its
// relevance is after sixty days what it was after thirty, and a better match that is recorded
// then, and was never used, ranks above it.
func TestUsage_RepeatedSearchDoesNotClimbWithoutEnd(t *testing.T) {
	t.Parallel()
	f := openWeighted(t, nil)
	f.record(noteLess, .5)
	q := hippo.Query{Text: question}
	perDay := []int{8, 8, 9} // 500 in all
	var relevance, prior []float64
	for day := range 60 {
		f.advance(1, 0)
		var a *hippo.Answer
		for range perDay[day%len(perDay)] {
			a = f.search(q)
		}
		f.flush() // a day is longer than accesses wait
		s := a.Hits[0].Signals
		if s.Recency > 1 || s.Frequency > 1 || s.Prior > 1 {
			t.Fatalf("day %d: signals beyond 1: %+v", day, s)
		}
		s.Importance = 0 // which decays from day to day
		relevance, prior = append(relevance, a.Hits[0].Relevance), append(prior, rank.ByInsight(new(rank.DefaultWeights()), &s))
	}
	// The same day of the pattern, thirty days apart.
	if d := math.Abs(prior[59] - prior[32]); d > 1e-12 {
		t.Errorf("use counts %.4f after 33 days and %.4f after 60: it does not saturate", prior[32], prior[59])
	}
	if relevance[59] > relevance[29] {
		t.Errorf("relevance %.4f after 30 days and %.4f after 60: it climbs", relevance[29], relevance[59])
	}
	f.record(noteBest, 0)
	f.live(10)
	f.wantOrder(q, noteBest, noteLess)
}

func TestUsage_UseSaturates(t *testing.T) {
	t.Parallel()
	f := openWeighted(t, nil)
	f.record(noteA, .5)
	use := func(n int) hippo.Signals {
		for range n {
			f.search(hippo.Query{Text: question})
		}
		return f.search(hippo.Query{Text: question, NoTouch: true}).Hits[0].Signals
	}
	full := use(300)
	if full.Frequency != 1 || full.Recency != 1 {
		t.Errorf("after 300 accesses today: %+v", full)
	}
	if d := cmp.Diff(full, use(300)); d != "" {
		t.Errorf("300 more change the signals (-before +after):\n%s", d)
	}
}
