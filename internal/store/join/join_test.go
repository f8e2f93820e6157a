package join_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/store/join"
)

func weights() *rank.Weights {
	w := rank.DefaultWeights()
	return &w
}

// start is the time at which the memory of the tests was recorded.
func start() time.Time { return time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC) }

func memory() *hippo.Memory {
	return &hippo.Memory{
		ID: hippo.ID{15: 1}, Content: "deploys freeze on Fridays", Version: 1, CreatedAt: start(), UpdatedAt: start(), Trust: hippo.TrustHigh,
		Importance: hippo.Importance{Base: .5, Value: .5, SetDay: 1, SetAt: start()}, ContentHash: hippo.HashContent("deploys freeze on Fridays"),
	}
}

// change changes a memory at a given time.
type change func(m *hippo.Memory, at time.Time)

func edit(text string) change {
	return func(m *hippo.Memory, at time.Time) {
		m.Content, m.ContentHash, m.UpdatedAt = text, hippo.HashContent(text), at
		m.Version++
	}
}

func vote(kind hippo.FeedbackKind) change {
	return func(m *hippo.Memory, at time.Time) {
		weights().Vote(m, hippo.Feedback{Kind: kind, Day: 1}, at)
		m.UpdatedAt = at
	}
}

func forget(m *hippo.Memory, at time.Time) { m.ForgottenAt, m.UpdatedAt = at, at }

func restore(m *hippo.Memory, at time.Time) { m.ForgottenAt, m.UpdatedAt = time.Time{}, at }

func pin(m *hippo.Memory, at time.Time) { m.Pinned, m.UpdatedAt = !m.Pinned, at }

func file(project string) change {
	return func(m *hippo.Memory, at time.Time) { m.Project, m.UpdatedAt = project, at }
}

func note(key string) change {
	return func(m *hippo.Memory, at time.Time) {
		if m.Metadata == nil {
			m.Metadata = make(map[string]json.RawMessage)
		}
		m.Metadata[key], m.UpdatedAt = json.RawMessage(fmt.Sprintf("%d", at.Unix())), at
	}
}

func value(x float64) change {
	return func(m *hippo.Memory, at time.Time) {
		m.Importance = hippo.Importance{Base: x, Value: x, SetDay: 1, SetAt: at}
		m.UpdatedAt = at
	}
}

// after returns a copy of a memory with changes applied one minute apart, the first at the given minute.
func after(m *hippo.Memory, minute int, changes ...change) *hippo.Memory {
	c := m.Clone()
	for i, do := range changes {
		do(c, start().Add(time.Duration(minute+i)*time.Minute))
	}
	return c
}

func TestTwo(t *testing.T) {
	t.Parallel()
	m := memory()
	gone := after(m, 1, forget)
	for name, c := range map[string]struct {
		a, b *hippo.Memory
		want func(*hippo.Memory) bool
	}{
		"an edit":                     {m, after(m, 1, edit("new")), func(m *hippo.Memory) bool { return m.Content == "new" && m.Version == 2 }},
		"an edit, then an older vote": {after(m, 5, edit("new")), after(m, 1, vote(hippo.FeedbackUp)), func(m *hippo.Memory) bool { return m.Content == "new" }},
		"an edit and a later vote": {after(m, 1, edit("new")), after(m, 5, vote(hippo.FeedbackUp)), func(m *hippo.Memory) bool {
			return m.Content == "new" && m.Importance.Value == .75
		}},
		"a vote and a later edit": {after(m, 1, vote(hippo.FeedbackUp)), after(m, 5, edit("new")), func(m *hippo.Memory) bool {
			return m.Content == "new" && m.Importance.Value == .75
		}},
		"two edits":                        {after(m, 1, edit("first")), after(m, 5, edit("second")), func(m *hippo.Memory) bool { return m.Content == "second" }},
		"two votes":                        {after(m, 1, vote(hippo.FeedbackUp)), after(m, 5, vote(hippo.FeedbackUp)), func(m *hippo.Memory) bool { return m.Importance.Value == 1 }},
		"a vote for and one against":       {after(m, 1, vote(hippo.FeedbackUp)), after(m, 5, vote(hippo.FeedbackDown)), func(m *hippo.Memory) bool { return m.Importance.Value == .375 }},
		"forgotten":                        {m, gone, (*hippo.Memory).Forgotten},
		"forgotten and restored":           {gone, after(gone, 5, restore), func(m *hippo.Memory) bool { return !m.Forgotten() }},
		"forgotten, and edited before":     {after(m, 5, forget), after(m, 1, edit("new")), func(m *hippo.Memory) bool { return !m.Forgotten() && m.Content == "new" }},
		"edited, then forgotten":           {after(m, 1, edit("new")), after(m, 1, edit("new"), forget), (*hippo.Memory).Forgotten},
		"pinned, then unpinned":            {after(m, 1, pin), after(m, 1, pin, pin), func(m *hippo.Memory) bool { return !m.Pinned }},
		"a vote, then taken back by hand":  {after(m, 1, vote(hippo.FeedbackUp)), after(m, 5, value(.5)), func(m *hippo.Memory) bool { return m.Importance.Value == .5 }},
		"an importance set, then a vote":   {after(m, 1, value(.25)), after(m, 5, vote(hippo.FeedbackUp)), func(m *hippo.Memory) bool { return m.Importance.Value == .375 }},
		"two votes, and a later one":       {after(m, 1, vote(hippo.FeedbackDown), vote(hippo.FeedbackDown)), after(m, 5, vote(hippo.FeedbackUp)), func(m *hippo.Memory) bool { return m.Importance.Value == .125*1.5 }},
		"filed and noted":                  {after(m, 1, file("a")), after(m, 1, file("a"), note("x")), func(m *hippo.Memory) bool { return m.Project == "a" && m.Metadata["x"] != nil }},
		"a year ahead, but edited without": {after(m, 600_000, pin), after(m, 1, edit("new")), func(m *hippo.Memory) bool { return m.Content == "new" && m.Pinned }},
	} {
		for _, pair := range [][2]*hippo.Memory{{c.a, c.b}, {c.b, c.a}} {
			if got := join.Two(pair[0], pair[1], weights()); !c.want(got) {
				t.Errorf("%s: got %+v", name, got)
			}
		}
	}
}

// The merge keeps the fields that belong to the first store, and counts the openings of both versions.
func TestTwo_KeepsWhatIsOfTheStore(t *testing.T) {
	t.Parallel()
	a := memory()
	a.Accesses, a.Namespace, a.Revision, a.Surprise.Score = []hippo.Access{{Day: 3, Count: 2}}, "n", 7, .5
	a.Feedback = []hippo.Feedback{{Kind: hippo.FeedbackOpened, Day: 1, Weight: 1, Question: hippo.Question{1}}}
	b := after(memory(), 1, pin)
	b.Feedback = []hippo.Feedback{{Kind: hippo.FeedbackOpened, Day: 1, Weight: 1, Question: hippo.Question{2}}}
	got := join.Two(a, b, weights())
	if d := cmp.Diff(a.Accesses, got.Accesses); d != "" || got.Namespace != "n" || got.Revision != 7 || got.Surprise.Score != .5 || len(got.Feedback) != 2 {
		t.Errorf("got %+v (%s)", got, d)
	}
}

func TestLoses(t *testing.T) {
	t.Parallel()
	m := memory()
	up, later, edited := after(m, 1, vote(hippo.FeedbackUp)), after(m, 5, vote(hippo.FeedbackUp)), after(m, 1, edit("new"))
	for name, c := range map[string]struct {
		a, b   *hippo.Memory
		others []*hippo.Memory
		want   bool
	}{
		"the same":            {m, m, nil, false},
		"two votes":           {up, later, nil, false},
		"two votes, reversed": {later, up, nil, false},
		"a vote and an edit":  {up, edited, []*hippo.Memory{m}, false},
		"an older text":       {edited, m, []*hippo.Memory{m}, false},
		"two texts":           {after(m, 5, edit("other")), edited, []*hippo.Memory{m}, true},
		"an unknown text":     {edited, m, nil, true},
		"two projects":        {after(m, 5, file("a")), after(m, 1, file("b")), []*hippo.Memory{m}, true},
	} {
		if got := join.Loses(c.b, join.Two(c.a, c.b, weights()), c.others...); got != c.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

// histories draws the versions that two stores hold after some shared changes and then some of their own.
func histories(t *rapid.T) (a, b *hippo.Memory) {
	both := []change{
		edit("one"), edit("two"), vote(hippo.FeedbackUp), vote(hippo.FeedbackDown), forget, restore, pin, file("p"), file("q"), note("x"), note("y"), value(.3),
	}
	run := func(m *hippo.Memory, label string) *hippo.Memory {
		n := rapid.IntRange(0, 4).Draw(t, label)
		for range n {
			i := rapid.IntRange(0, len(both)-1).Draw(t, "change")
			m = after(m, rapid.IntRange(0, 3).Draw(t, "minute"), both[i])
		}
		return m
	}
	base := run(memory(), "together")
	return run(base, "a"), run(base, "b")
}

// The order of the arguments does not matter, and merging a result again does not change it, even if the clocks were wrong.
func TestTwo_Property(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := histories(t)
		ab, ba := join.Two(a, b, weights()), join.Two(b, a, weights())
		if d := cmp.Diff(ab, ba); d != "" {
			t.Fatalf("the order matters (-ab +ba):\n%s", d)
		}
		for what, again := range map[string]*hippo.Memory{
			"itself": ab, "the first": a, "the second": b,
		} {
			if got := join.Two(ab, again, weights()); !join.Same(ab, got) {
				t.Fatalf("joined again with %s (-want +got):\n%s", what, cmp.Diff(ab, got))
			}
			if got := join.Two(again, ab, weights()); !join.Same(ab, got) {
				t.Fatalf("%s joined with it (-want +got):\n%s", what, cmp.Diff(ab, got))
			}
		}
		if text := join.Text(ab); text != join.Text(a) && text != join.Text(b) {
			t.Fatalf("a text that nobody wrote: %s", text)
		}
	})
}

// With a base, a side that left the memory unchanged has no effect, and the order of the sides does not matter.
func TestThree_Property(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base, a := histories(t)
		_, b := histories(t)
		ab, ba := join.Three(base, a, b, weights()), join.Three(base, b, a, weights())
		if d := cmp.Diff(ab, ba); d != "" {
			t.Fatalf("the order matters (-ab +ba):\n%s", d)
		}
		for what, got := range map[string]*hippo.Memory{
			"ours":   join.Three(base, a, base, weights()),
			"theirs": join.Three(base, base, a, weights()),
			"both":   join.Three(base, a, a, weights()),
		} {
			if !join.Same(a, got) {
				t.Fatalf("only %s changed (-want +got):\n%s", what, cmp.Diff(a, got))
			}
		}
	})
}

func TestThree(t *testing.T) {
	t.Parallel()
	m := memory()
	m.Accesses = []hippo.Access{{Day: 1, Count: 2}}
	up := vote(hippo.FeedbackUp)
	down := vote(hippo.FeedbackDown)
	for name, c := range map[string]struct {
		a, b *hippo.Memory
		want func(*hippo.Memory) bool
	}{
		"two votes each":          {after(m, 1, down, down), after(m, 5, down, up), func(m *hippo.Memory) bool { return m.Importance.Value == .5*.5*.5*.5*1.5 }},
		"pinned and voted for":    {after(m, 5, up), after(m, 1, pin), func(m *hippo.Memory) bool { return m.Pinned && m.Importance.Value == .75 }},
		"a vote taken back":       {m, after(m, 5, edit("new")), func(m *hippo.Memory) bool { return m.Importance.Value == .5 && m.Content == "new" }},
		"filed and noted":         {after(m, 1, file("a")), after(m, 5, note("x")), func(m *hippo.Memory) bool { return m.Project == "a" && m.Metadata["x"] != nil }},
		"noted twice":             {after(m, 1, note("y")), after(m, 5, note("x")), func(m *hippo.Memory) bool { return m.Metadata["y"] != nil && m.Metadata["x"] != nil }},
		"forgotten and edited":    {after(m, 5, forget), after(m, 1, edit("new")), func(m *hippo.Memory) bool { return !m.Forgotten() }},
		"forgotten and voted for": {after(m, 1, forget), after(m, 5, up), (*hippo.Memory).Forgotten},
	} {
		for _, pair := range [][2]*hippo.Memory{{c.a, c.b}, {c.b, c.a}} {
			if got := join.Three(m, pair[0], pair[1], weights()); !c.want(got) {
				t.Errorf("%s: got %+v", name, got)
			}
		}
	}
	a, b := m.Clone(), m.Clone()
	a.Accesses, b.Accesses = []hippo.Access{{Day: 1, Count: 3}}, []hippo.Access{{Day: 1, Count: 4}, {Day: 2, Count: 1}}
	if d := cmp.Diff([]hippo.Access{{Day: 1, Count: 5}, {Day: 2, Count: 1}}, join.Three(m, a, b, weights()).Accesses); d != "" {
		t.Errorf("accesses (-want +got):\n%s", d)
	}
	if got := join.Three(nil, after(m, 1, up), after(m, 5, up), weights()); got.Importance.Value != 1 {
		t.Errorf("without a base: got %+v", got)
	}
}

// A change made with knowledge of the other version wins if the clocks are right.
func TestTwo_LaterIsRight(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		first, _ := histories(t)
		all := []change{edit("one"), vote(hippo.FeedbackUp), vote(hippo.FeedbackDown), forget, restore, pin, file("p"), note("x"), value(.3)}
		last := after(first, 10, all[rapid.IntRange(0, len(all)-1).Draw(t, "change")])
		if got := join.Two(first, last, weights()); !join.Same(got, last) {
			t.Fatalf("(-want +got):\n%s", cmp.Diff(last, got))
		}
	})
}
