package engine_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// happened records what happened some days before now, which is a Sunday noon at first.
func (f *fixture) happened(content string, days int) {
	f.t.Helper()
	f.advance(0, time.Second)
	m := &hippo.Memory{Content: content, EventTime: f.now().AddDate(0, 0, -days)}
	if _, err := memory.Record(f.t.Context(), f.Memories, m); err != nil {
		f.t.Fatal(err)
	}
}

func sorted(a *hippo.Answer) []string {
	list := contents(a)
	slices.Sort(list)
	return list
}

func TestSearch_When(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.happened("cache in January", 40)
	f.happened("cache last week", 8)
	f.happened("cache yesterday", 1)
	f.record("cache today", .5)
	for _, c := range []struct {
		when string
		want []string
	}{
		{"yesterday", []string{"cache yesterday"}},
		{"last week", []string{"cache last week"}},
		{"in January", []string{"cache in January"}},
		{"before last week", []string{"cache in January"}},
		{"since last week", []string{"cache last week", "cache today", "cache yesterday"}},
		{"2 years ago", nil},
	} {
		for _, ranker := range hippo.Rankers() {
			for _, text := range []string{"cache", ""} {
				if ranker == hippo.RankerCosine && text != "" {
					continue // there is no model
				}
				a := f.search(hippo.Query{Text: text, When: c.when, Ranker: ranker, NoTouch: true})
				if d := cmp.Diff(c.want, sorted(a)); d != "" || a.Total != len(c.want) && ranker != hippo.RankerCosine {
					t.Errorf("%s, %q, %q: total %d (-want +got):\n%s", ranker, c.when, text, a.Total, d)
				}
			}
		}
	}
}

// Both limits hold where a time is given in words and in numbers.
func TestSearch_WhenNarrowsTheFilter(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	between := hippo.Filter{EventAfter: f.now().AddDate(0, 0, -4), EventBefore: f.now().AddDate(0, 0, -2)}
	for days := range 7 {
		f.happened(fmt.Sprint("day ", days), days)
	}
	a := f.search(hippo.Query{When: "since 3 days ago", Filter: between})
	if d := cmp.Diff([]string{"day 3"}, sorted(a)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	list, err := memory.List(t.Context(), f.Memories, api.List{Filter: between})
	if err != nil || list.Total != 2 {
		t.Errorf("list: got %+v (%v), want days 3 and 4", list, err)
	}
}

func TestSearch_WhenIsChecked(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.record("cache", .5)
	day := f.search(hippo.Query{NoTouch: true}).Day
	f.advance(1, 0)
	for _, text := range []string{"someday", "tomorrow", "Feb 30"} {
		_, err := query.Search(t.Context(), f.Memories, hippo.Query{When: text})
		var field *hippo.FieldError
		if !errors.As(err, &field) || field.Field != "when" {
			t.Errorf("%q: got %v", text, err)
		}
	}
	if got := f.search(hippo.Query{NoTouch: true}).Day; got != day {
		t.Errorf("a bad search advanced the day to %d", got)
	}
}

// Later pages go on although the clock, and with it the span, has moved.
func TestSearch_WhenPages(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	for i := range 6 {
		f.happened(fmt.Sprint("cache ", i), 0)
	}
	seen := map[string]bool{}
	for page := range 3 {
		for _, c := range contents(f.search(hippo.Query{Text: "cache", When: "in the last 2 hours", Offset: 2 * page, Count: 2})) {
			seen[c] = true
		}
		f.advance(0, 2*time.Minute)
	}
	if len(seen) != 6 {
		t.Errorf("pages held %v", seen)
	}
}

// Days are those of the store's zone.
func TestSearch_WhenInTheZone(t *testing.T) {
	t.Parallel()
	f := open(t, options{zone: time.FixedZone("east", 11*60*60)})
	f.advance(0, 8*time.Hour) // 2 March there, 7 in the morning
	for _, hours := range []int{6, 8} {
		m := &hippo.Memory{Content: fmt.Sprint(hours, " hours ago"), EventTime: f.now().Add(-time.Duration(hours) * time.Hour)}
		if _, err := memory.Record(t.Context(), f.Memories, m); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]string{"6 hours ago"}, contents(f.search(hippo.Query{When: "today"}))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// boosted returns the order of two alike memories of other times, and their signals.
func boosted(t *testing.T, bound float64, q hippo.Query) ([]string, []float64) {
	t.Helper()
	f := openWeighted(t, func(w *rank.Weights) { w.Prior.TimeBound = bound })
	f.happened("we moved the cache to Redis in the old cluster", 8)
	f.happened("we moved the cache to Redis in the new cluster", 30)
	a := f.search(q)
	var times []float64
	for _, h := range a.Hits {
		times = append(times, h.Signals.Time)
	}
	return contents(a), times
}

// A time that a question names brings what is of that time to the front, and keeps
// the rest. Without the bound the newer one comes first.
func TestSearch_TimeInTheTextBoosts(t *testing.T) {
	t.Parallel()
	last, older := "we moved the cache to Redis in the old cluster", "we moved the cache to Redis in the new cluster"
	bound := rank.DefaultWeights().Prior.TimeBound
	for name, c := range map[string]struct {
		bound float64
		q     hippo.Query
		want  []string
		times []float64
	}{
		"no_time":       {bound, hippo.Query{Text: "cache moved"}, []string{older, last}, []float64{1, 1}},
		"last_week":     {bound, hippo.Query{Text: "cache moved last week"}, []string{last, older}, []float64{1, math.Exp(-16.5 / 7)}},
		"off":           {0, hippo.Query{Text: "cache moved last week"}, []string{older, last}, []float64{math.Exp(-16.5 / 7), 1}},
		"january":       {bound, hippo.Query{Text: "cache moved in January"}, []string{older, last}, []float64{1, math.Exp(-20.5 / 31)}},
		"since":         {bound, hippo.Query{Text: "cache moved since 2 weeks ago"}, []string{last, older}, []float64{1, math.Exp(-9.5 / 20.5)}},
		"until":         {bound, hippo.Query{Text: "cache moved before february"}, []string{older, last}, []float64{1, math.Exp(-20.5 / 28.5)}},
		"filter":        {bound, hippo.Query{Text: "cache moved last week", When: "this year"}, []string{older, last}, []float64{1, 1}},
		"other_rankers": {bound, hippo.Query{Text: "cache moved last week", Ranker: hippo.RankerBM25}, []string{older, last}, []float64{1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, times := boosted(t, c.bound, c.q)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			for i := range times {
				if math.Abs(times[i]-c.times[i]) > 1e-4 {
					t.Errorf("time signals %v, want %v", times, c.times)
				}
			}
		})
	}
}
