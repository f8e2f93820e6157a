package engine_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// openLearning opens an engine that can tie votes to questions.
func openLearning(t tester, change func(*rank.Weights)) *fixture {
	t.Helper()
	return open(t, options{tokens: &embedtest.Texts{}, weights: changed(change)})
}

func (f *fixture) cast(b api.Reinforce) []api.Reinforcement {
	f.t.Helper()
	out, err := memory.Cast(f.t.Context(), f.Memories, b)
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}

func (f *fixture) one(id hippo.ID) *hippo.Memory {
	f.t.Helper()
	ms, err := memory.Get(f.t.Context(), f.Memories, []hippo.ID{id})
	if err != nil {
		f.t.Fatal(err)
	}
	return ms[0]
}

// Two rivals, and questions about them.
const (
	rivalA       = "the gateway is deployed by the release job on tuesdays"
	rivalB       = "the gateway is deployed by the blue green script"
	askedRival   = "how is the gateway deployed"
	nearRival    = "how is the gateway deployed then"
	anotherRival = "gateway release script job"
)

func quietly(text string) hippo.Query { return hippo.Query{Text: text, NoTouch: true} }

// rivals records the two, and returns them in the order of a question.
func (f *fixture) rivals(question string) (first, second hippo.ID) {
	f.t.Helper()
	f.record(rivalA, .5)
	f.record(rivalB, .5)
	a := f.search(quietly(question))
	return a.Hits[0].Memory.ID, a.Hits[1].Memory.ID
}

func TestLearning_VotesOrderRivals(t *testing.T) {
	t.Parallel()
	for name, ballot := range map[string]func(first, second hippo.ID) api.Reinforce{
		"up": func(_, second hippo.ID) api.Reinforce {
			return api.Reinforce{Up: []hippo.ID{second}, Query: askedRival}
		},
		"down": func(first, _ hippo.ID) api.Reinforce {
			return api.Reinforce{Down: []hippo.ID{first}, Query: askedRival}
		},
	} {
		for _, on := range []bool{true, false} {
			f := openLearning(t, func(w *rank.Weights) {
				if !on {
					w.Learning.Shift = 0
				}
			})
			first, second := f.rivals(askedRival)
			other := contents(f.search(quietly(anotherRival)))
			for range 3 {
				f.cast(ballot(first, second))
			}
			for _, question := range []string{askedRival, nearRival} {
				if got := f.search(quietly(question)).Hits[0].Memory.ID; (got == second) != on {
					t.Errorf("%s, on %v: %q: first is %v, was %v", name, on, question, got, first)
				}
			}
			if d := cmp.Diff(other, contents(f.search(quietly(anotherRival)))); d != "" {
				t.Errorf("%s, on %v: another question is answered in another order:\n%s", name, on, d)
			}
		}
	}
}

func TestLearning_AnOpeningIsAWeakVote(t *testing.T) {
	t.Parallel()
	f := openLearning(t, nil)
	_, second := f.rivals(askedRival)
	if err := memory.Opened(t.Context(), f.Memories, map[hippo.ID]string{second: askedRival, idOf(1): "unknown"}); err != nil {
		t.Fatal(err)
	}
	f.flush()
	m := f.one(second)
	if len(m.Feedback) != 1 || m.Feedback[0].Kind != hippo.FeedbackOpened || m.Feedback[0].Former != nil {
		t.Errorf("got %+v", m.Feedback)
	}
	if !m.UpdatedAt.Equal(m.CreatedAt) || m.Importance.Value != .5 {
		t.Errorf("an opening is a change: %+v", m)
	}
}

// Two votes on a question put what matches it first, however far behind it was; one vote does not, and a downvote takes one off. Other
// questions stay as they are.
func TestLearning_TwoVotesAreProof(t *testing.T) {
	t.Parallel()
	f := openLearning(t, nil)
	first, _ := f.rivals(askedRival)
	far := f.record("on mondays somebody waters the plants beside the gateway, reads the mail and opens the windows on the third floor", .5)
	other := contents(f.search(quietly(anotherRival)))
	for i, x := range []struct {
		ballot api.Reinforce
		first  hippo.ID
	}{
		{api.Reinforce{Up: []hippo.ID{far}, Query: askedRival}, first},
		{api.Reinforce{Up: []hippo.ID{far}, Query: askedRival}, far},
		{api.Reinforce{Down: []hippo.ID{far}, Query: askedRival}, first},
	} {
		f.cast(x.ballot)
		if got := f.search(quietly(askedRival)).Hits[0].Memory.ID; got != x.first {
			t.Errorf("after vote %d the first is %s", i+1, f.one(got).Content)
		}
		if d := cmp.Diff(other, contents(f.search(quietly(anotherRival)))); d != "" {
			t.Errorf("after vote %d another question is answered in another order:\n%s", i+1, d)
		}
	}
}

// A vote is about the question inside a prompt: it counts for the question alone, and the other way round.
func TestLearning_VotesOnAPrompt(t *testing.T) {
	t.Parallel()
	prompt := strings.Repeat("I have been at this since the morning and would like to be done with it before lunch. ", 4) + "\n" + askedRival + "\nThen go on with the review."
	for voted, asked := range map[string]string{prompt: askedRival, askedRival: prompt, "can you tell me " + askedRival: askedRival} {
		f := openLearning(t, nil)
		_, second := f.rivals(askedRival)
		for range 2 {
			f.cast(api.Reinforce{Up: []hippo.ID{second}, Query: voted})
		}
		if got := f.search(quietly(asked)).Hits[0].Memory.ID; got != second {
			t.Errorf("voted on %.30q, asked %.30q: first is %s", voted, asked, f.one(got).Content)
		}
	}
}

// An irrelevant memory does not enter, whatever is said of it.
func TestLearning_WhatDoesNotMatchStaysBehind(t *testing.T) {
	t.Parallel()
	f := openLearning(t, nil)
	f.rivals(askedRival)
	id := f.record("lunch on fridays is at noon, how nice", .5)
	before := contents(f.search(quietly(askedRival)))
	for range 30 {
		f.cast(api.Reinforce{Up: []hippo.ID{id}, Query: askedRival})
	}
	if d := cmp.Diff(before, contents(f.search(quietly(askedRival)))); d != "" {
		t.Errorf("(-before +after):\n%s", d)
	}
}

// In ranker hippo a vote on a question counts for questions like that; in ranker insight for all.
func TestLearning_ImportanceOfOtherQuestionsStays(t *testing.T) {
	t.Parallel()
	f := openLearning(t, nil)
	_, second := f.rivals(askedRival)
	f.cast(api.Reinforce{Up: []hippo.ID{second}, Query: askedRival})
	importance := func(r hippo.Ranker) float64 {
		q := quietly(anotherRival)
		q.Ranker = r
		for _, h := range f.search(q).Hits {
			if h.Memory.ID == second {
				return h.Signals.Importance
			}
		}
		t.Fatalf("ranker %s does not find it", r)
		return 0
	}
	if a, b := importance(hippo.RankerHippo), importance(hippo.RankerInsight); a != .5 || b != .75 {
		t.Errorf("hippo %v, insight %v", a, b)
	}
	f.cast(api.Reinforce{Up: []hippo.ID{second}}) // of no question: for all
	if a, b := importance(hippo.RankerHippo), importance(hippo.RankerInsight); a != .75 || b != 1 {
		t.Errorf("after a vote without a question: hippo %v, insight %v", a, b)
	}
}

func TestLearning_UndoOfAVote(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{"with a question": askedRival, "without": ""} {
		f := openLearning(t, nil)
		id := f.record(rivalA, .5)
		f.cast(api.Reinforce{Up: []hippo.ID{id}, Query: askedRival})
		want := f.one(id)
		f.live(3)
		f.cast(api.Reinforce{Down: []hippo.ID{id}, Query: query})
		f.cast(api.Reinforce{Undo: []hippo.ID{id}})
		got := f.one(id)
		want.Feedback[0].Former = nil // one vote can be taken back, not two
		if d := cmp.Diff([]any{want.Importance, want.Feedback, want.Untied}, []any{got.Importance, got.Feedback, got.Untied}); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if _, err := memory.Cast(t.Context(), f.Memories, api.Reinforce{Undo: []hippo.ID{id}}); !errors.Is(err, hippo.ErrConflict) {
			t.Errorf("%s: a second undo: %v", name, err)
		}
	}
}

// An importance that was set since a vote stays when the vote is taken back.
func TestLearning_UndoKeepsALaterImportance(t *testing.T) {
	t.Parallel()
	f := openLearning(t, nil)
	id := f.record(rivalA, .5)
	f.cast(api.Reinforce{Up: []hippo.ID{id}, Query: askedRival})
	f.advance(0, 1e9)
	x := .9
	if _, err := memory.Modify(t.Context(), f.Memories, id, api.Change{Importance: &x}); err != nil {
		t.Fatal(err)
	}
	f.cast(api.Reinforce{Undo: []hippo.ID{id}})
	if m := f.one(id); m.Importance.Value != .9 || len(m.Feedback) != 0 {
		t.Errorf("got %+v", m)
	}
}

func TestLearning_BadVotes(t *testing.T) {
	t.Parallel()
	f := openLearning(t, nil)
	id := f.record(rivalA, .5)
	for name, b := range map[string]api.Reinforce{
		"none":      {Query: askedRival},
		"both":      {Up: []hippo.ID{id}, Undo: []hippo.ID{id}},
		"too long":  {Up: []hippo.ID{id}, Query: string(make([]byte, hippo.MaxQuery+1))},
		"no UTF-8":  {Up: []hippo.ID{id}, Query: "which \xff"},
		"control":   {Up: []hippo.ID{id}, Query: "which \x01"},
		"asked":     {Up: []hippo.ID{id}, Asked: map[hippo.ID]string{id: "which \xff"}},
		"too many":  {Up: make([]hippo.ID, 0), Down: manyIDs(hippo.MaxIDs + 1)},
		"a purged1": {Up: []hippo.ID{idOf(9)}},
	} {
		if _, err := memory.Cast(t.Context(), f.Memories, b); !errors.Is(err, hippo.ErrInvalid) && !errors.Is(err, hippo.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func manyIDs(n int) []hippo.ID {
	ids := make([]hippo.ID, n)
	for i := range ids {
		ids[i] = idOf(i + 1)
	}
	return ids
}

// What votes taught is in the file of the index, and gone with the memory.
func TestLearning_OutlivesTheProcess(t *testing.T) {
	t.Parallel()
	o := options{backend: newPersistent(), path: filepath.Join(t.TempDir(), "index"), tokens: &embedtest.Texts{}}
	f := open(t, o)
	_, second := f.rivals(askedRival)
	for range 3 {
		f.cast(api.Reinforce{Up: []hippo.ID{second}, Query: askedRival})
	}
	want := contents(f.search(quietly(askedRival)))
	f.end()
	f = open(t, o)
	if d := cmp.Diff(want, contents(f.search(quietly(askedRival)))); d != "" || f.search(quietly(askedRival)).Hits[0].Memory.ID != second {
		t.Errorf("opened again (-want +got):\n%s", d)
	}
	if err := memory.Purge(t.Context(), f.Memories, []hippo.ID{second}); err != nil {
		t.Fatal(err)
	}
	if a := f.search(quietly(askedRival)); len(a.Hits) != 1 || len(a.Hits[0].Memory.Feedback) != 0 {
		t.Errorf("after a purge: %q", contents(a))
	}
}

// Of memories that say the same, the one that was voted up for a question stands for those that were recorded later.
func TestLearning_TheOneVotedUpStandsForItsCopies(t *testing.T) {
	t.Parallel()
	f := openLearning(t, nil)
	_, second := f.rivals(askedRival)
	for range 3 {
		f.cast(api.Reinforce{Up: []hippo.ID{second}, Query: askedRival})
	}
	copied := f.record(f.one(second).Content+".", .5)
	h := f.search(quietly(askedRival)).Hits[0]
	if want := (hippo.Same{Count: 1, IDs: []hippo.ID{copied}}); h.Memory.ID != second || cmp.Diff(want, h.Same) != "" {
		t.Errorf("first is %v with %+v, want %v with %v", h.Memory.ID, h.Same, second, copied)
	}
	f.cast(api.Reinforce{Down: []hippo.ID{second}, Query: askedRival})
	if m := f.one(copied); len(m.Feedback) > 0 || m.Importance.Value != .5 {
		t.Errorf("a vote on one changes its copy: %+v", m)
	}
	for range 6 {
		f.cast(api.Reinforce{Down: []hippo.ID{second}, Query: askedRival})
	}
	for _, h := range f.search(quietly(askedRival)).Hits {
		if h.Memory.ID == copied {
			t.Errorf("after votes against %v its copy takes its place", second)
		}
	}
}
