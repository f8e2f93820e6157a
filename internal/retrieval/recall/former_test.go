package recall_test

import (
	"slices"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
)

// homes are four versions of a fact, which share no word with a query but the first, and another fact.
func homes(f *fixture) (list []*hippo.Memory) {
	for n, text := range []string{"mia lives in oslo", "since the wedding bergen", "then riga", "now turin"} {
		list = append(list, turn(n+1, "", text))
	}
	for n := range list[:3] {
		list[n].SupersededBy = list[n+1].ID
	}
	list[2].Pinned = true
	f.put(append(list, turn(9, "", "mia bakes bread"))...)
	return list
}

func TestSucceed_QuestionsAboutThePast(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	homes(f)
	const oslo, bergen, riga, turin, other = "mia lives in oslo", "since the wedding bergen", "then riga", "now turin", "mia bakes bread"
	for query, want := range map[string][]string{
		"where lives mia":                    {turin, riga, bergen, oslo, other},
		"where lives mia currently":          {turin, riga, bergen, oslo, other},
		"where lives mia before":             {riga, bergen, oslo, turin, other},
		"the previous place where mia lives": {riga, bergen, oslo, turin, other},
		"mia lives before the new house":     {riga, bergen, oslo, turin, other},
		"where mia lives originally":         {oslo, bergen, riga, turin, other},
		"the first lives of mia":             {oslo, bergen, riga, turin, other},
		"turin, previously":                  {riga, bergen, oslo, turin}, // what it supersedes joins
	} {
		f.wantOrder(hippo.Query{Text: query}, want...)
	}
}

// A query for what holds now ranks a chain of two by both, other queries by the better one.
func TestSucceed_QuestionsAboutThePresent(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	old, last := turn(1, "", "mia lives in oslo"), turn(2, "", "mia settled in turin")
	old.SupersededBy = last.ID
	rival := turn(3, "", "mia lives in rome today")
	f.put(old, last, rival)
	for query, want := range map[string][]string{
		"where lives mia":            {last.Content, old.Content, rival.Content},
		"where lives mia these days": {rival.Content, last.Content, old.Content},
	} {
		f.wantOrder(hippo.Query{Text: query}, want...)
	}
}

// What has ended without a successor is what held before.
func TestSucceed_WhatHasEndedIsFormer(t *testing.T) {
	t.Parallel()
	for _, ends := range []time.Duration{-time.Hour, 0, time.Hour} {
		f := openReranking(t)
		old, last := turn(1, "", "mia lives in oslo"), turn(2, "", "mia lives in turin")
		old.SupersededBy, last.ValidUntil = last.ID, f.now.Add(ends)
		f.put(old, last)
		want := []string{last.Content, old.Content}
		if ends > 0 {
			slices.Reverse(want)
		}
		f.wantOrder(hippo.Query{Text: "where mia lives before"}, want...)
	}
}

// Filters hold, circles stay where they are, and a page is the same whatever its size.
func TestSucceed_PastWithFiltersAndCircles(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	list := homes(f)
	q := hippo.Query{Text: "riga before", Filter: hippo.Filter{Pinned: true}}
	f.wantOrder(q, list[2].Content)
	a, b := turn(20, "", "leo lives in rome"), turn(21, "", "leo lives in bath")
	a.SupersededBy, b.SupersededBy = b.ID, a.ID
	f.put(a, b)
	if hits := f.search(hippo.Query{Text: "leo lives before"}).Hits; len(hits) < 2 {
		t.Errorf("got %d hits, want both of the circle", len(hits))
	}
	for i, h := range f.allPages(t, hippo.Query{Text: "where lives mia before"}, 2) {
		if want := f.search(hippo.Query{Text: "where lives mia before", Count: 10}).Hits[i].Memory.ID; h.Memory.ID != want {
			t.Errorf("hit %d is %v by pages of two, %v at once", i, h.Memory.ID, want)
		}
	}
}
