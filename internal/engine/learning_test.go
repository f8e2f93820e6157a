package engine_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/rank"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// newWeighted is a life whose ranker has weights that change changed, if not nil.
func newWeighted(t *testing.T, change func(*rank.Weights)) *life {
	t.Helper()
	l := &life{t: t}
	l.Engine = openWeighted(t, &l.now, nil, change)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func openWeighted(t tester, now *time.Time, pieces embed.TokenEmbedder, change func(*rank.Weights)) *engine.Engine {
	t.Helper()
	*now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return *now }
	s := store.New(memstore.New(nil), &store.Options{Now: clock, Zone: time.UTC})
	x, err := index.Open(t.Context(), s, &index.Options{Pieces: pieces})
	if err != nil {
		t.Fatal(err)
	}
	w := rank.DefaultWeights()
	if change != nil {
		change(&w)
	}
	return engine.New(engine.Config{Store: s, Index: x, Now: clock, Weights: &w, Pieces: pieces})
}

func (l *life) upvote(ids ...hippo.ID)   { l.vote(ids, nil) }
func (l *life) downvote(ids ...hippo.ID) { l.vote(nil, ids) }

func (l *life) vote(up, down []hippo.ID) {
	l.t.Helper()
	if _, err := l.Reinforce(l.t.Context(), up, down); err != nil {
		l.t.Fatal(err)
	}
}

// open uses a memory that a word finds, n times.
func (l *life) open(word string, n int) {
	l.t.Helper()
	for range n {
		if a := l.search(hippo.Query{Text: word}); len(a.Hits) != 1 {
			l.t.Fatalf("%q finds %q, want one memory", word, contents(a))
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

// way is one that teaches the order: what happens to noteA, and how to turn off the
// part of the weights that takes notice.
type way struct {
	live func(l *life, a, b hippo.ID)
	off  func(w *rank.Weights)
}

func ways() map[string]way {
	return map[string]way{
		"upvote": {
			live: func(l *life, a, _ hippo.ID) { l.upvote(a) },
			off:  func(w *rank.Weights) { w.Prior.Importance = 0 },
		},
		"upvote_that_multiplies_by_one": {
			live: func(l *life, a, _ hippo.ID) { l.upvote(a) },
			off:  func(w *rank.Weights) { w.Upvote = 1 },
		},
		"downvote": {
			live: func(l *life, _, b hippo.ID) { l.downvote(b) },
			off:  func(w *rank.Weights) { w.Prior.Importance = 0 },
		},
		"downvote_that_multiplies_by_one": {
			live: func(l *life, _, b hippo.ID) { l.downvote(b) },
			off:  func(w *rank.Weights) { w.Downvote = 1 },
		},
		"recency": { // as many accesses each, those of a on a later day
			live: func(l *life, _, _ hippo.ID) { l.open("boris", 3); l.live(5); l.open("anna", 3) },
			off:  func(w *rank.Weights) { w.Prior.Recency = 0 },
		},
		"recency_that_does_not_fade": {
			live: func(l *life, _, _ hippo.ID) { l.open("boris", 3); l.live(5); l.open("anna", 3) },
			off:  func(w *rank.Weights) { w.RecencyRate = 0 },
		},
		"frequency": { // the same last day
			live: func(l *life, _, _ hippo.ID) { l.live(2); l.open("anna", 6); l.open("boris", 1) },
			off:  func(w *rank.Weights) { w.Prior.Frequency = 0 },
		},
		"the_whole_prior": {
			live: func(l *life, a, b hippo.ID) { l.vote([]hippo.ID{a}, []hippo.ID{b}); l.live(1); l.open("anna", 9) },
			off:  func(w *rank.Weights) { w.PriorBound = 0 },
		},
	}
}

func TestLearning_OrdersWhatIsAlike(t *testing.T) {
	t.Parallel()
	ask := hippo.Query{Text: question, NoTouch: true}
	for name, way := range ways() {
		for _, on := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%v", name, on), func(t *testing.T) {
				t.Parallel()
				change, want := way.off, []string{noteB, noteA}
				if on {
					change, want = nil, []string{noteA, noteB}
				}
				l := newWeighted(t, change)
				a, b := l.record(noteA, .5), l.record(noteB, .5)
				l.wantOrder(ask, noteB, noteA) // equal: the newer one first
				way.live(l, a, b)
				l.wantOrder(ask, want...)
			})
		}
	}
}

func TestLearning_ImportanceOrdersWhatIsAlike(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		off  func(*rank.Weights)
		want []string
	}{
		{"on", nil, []string{noteA, noteB}},
		{"off", func(w *rank.Weights) { w.Prior.Importance = 0 }, []string{noteB, noteA}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := newWeighted(t, tc.off)
			l.record(noteA, .9)
			l.record(noteB, .3)
			l.wantOrder(hippo.Query{Text: question, NoTouch: true}, tc.want...)
		})
	}
}

// A pinned note keeps its importance while another one's fades.
func TestLearning_PinnedDoesNotFade(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		off  func(*rank.Weights)
		want []string
	}{
		{"on", nil, []string{noteA, noteB}},
		{"nothing_fades", func(w *rank.Weights) { w.ImportanceDecay = 1 }, []string{noteB, noteA}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := newWeighted(t, tc.off)
			m := &hippo.Memory{Content: noteA, Importance: hippo.Importance{Base: .5}, Pinned: true}
			if _, err := l.Record(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			l.record(noteB, .5)
			l.live(20)
			l.wantOrder(hippo.Query{Text: question, NoTouch: true}, tc.want...)
		})
	}
}

// All that can be done for a note that matches worse does not put it before the one
// that matches best, of which nobody ever took notice. Without the bound it would.
func TestLearning_NeverBuriesTheBetterMatch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		off   func(*rank.Weights)
		first string
	}{
		{"bounded", nil, noteBest},
		{"unbounded", func(w *rank.Weights) { w.PriorBound = 1 }, noteLess},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := newWeighted(t, tc.off)
			a, _ := l.record(noteLess, 1), l.record(noteBest, 0)
			for range 30 {
				l.live(1)
				l.open("anna", 12)
				l.upvote(a)
			}
			answer := l.search(hippo.Query{Text: question, NoTouch: true})
			if got := contents(answer); got[0] != tc.first || len(got) != 2 {
				t.Errorf("got %q", got)
			}
			for _, h := range answer.Hits {
				if h.Memory.ID == a && (h.Signals.Prior < .99 || h.Signals.Frequency < 1) {
					t.Errorf("the loved note is not loved enough to show it: %+v", h.Signals)
				}
			}
		})
	}
}

// Searching for the same thing for two months makes what it finds known, no more:
// its relevance is after sixty days what it was after thirty, and a better match
// that is recorded then, and was never opened, is above.
func TestLearning_RepeatedSearchDoesNotClimbWithoutEnd(t *testing.T) {
	t.Parallel()
	l := newWeighted(t, nil)
	l.record(noteLess, .5)
	q := hippo.Query{Text: question}
	perDay := []int{8, 8, 9} // 500 in all
	var relevance, prior []float64
	for day := range 60 {
		l.now = l.now.AddDate(0, 0, 1)
		var a *hippo.Answer
		for range perDay[day%len(perDay)] {
			a = l.search(q)
		}
		if err := l.Flush(t.Context()); err != nil { // a day is longer than what is written late
			t.Fatal(err)
		}
		s := a.Hits[0].Signals
		if s.Recency > 1 || s.Frequency > 1 || s.Prior > 1 {
			t.Fatalf("day %d: signals beyond 1: %+v", day, s)
		}
		s.Importance = 0 // what fades from day to day
		relevance, prior = append(relevance, a.Hits[0].Relevance), append(prior, rank.PriorOf(new(rank.DefaultWeights()), &s))
	}
	// The same day of the pattern, thirty days apart.
	if d := math.Abs(prior[59] - prior[32]); d > 1e-12 {
		t.Errorf("use counts %.4f after 33 days and %.4f after 60: it does not saturate", prior[32], prior[59])
	}
	if relevance[59] > relevance[29] {
		t.Errorf("relevance %.4f after 30 days and %.4f after 60: it climbs", relevance[29], relevance[59])
	}
	l.record(noteBest, 0)
	l.live(10)
	l.wantOrder(q, noteBest, noteLess)
}

func TestLearning_UseSaturates(t *testing.T) {
	t.Parallel()
	l := newWeighted(t, nil)
	l.record(noteA, .5)
	use := func(n int) hippo.Signals {
		for range n {
			l.search(hippo.Query{Text: question})
		}
		return l.search(hippo.Query{Text: question, NoTouch: true}).Hits[0].Signals
	}
	full := use(300)
	if full.Frequency != 1 || full.Recency != 1 {
		t.Errorf("after 300 accesses today: %+v", full)
	}
	if d := cmp.Diff(full, use(300)); d != "" {
		t.Errorf("300 more change the signals (-before +after):\n%s", d)
	}
}

// tester is what a test and a check of rapid have in common.
type tester interface {
	rapid.TB
	Context() context.Context
}
