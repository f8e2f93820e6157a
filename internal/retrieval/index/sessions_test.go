package index_test

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// none stands for no memory.
const none = -1

// stand is where a note stands in its session, by numbers of notes.
type stand struct{ Before, After int }

// places returns where each live memory stands, and the session it is in by number.
func places(x *index.Index) (map[int]stand, map[int]uint32) {
	stands, sessions := make(map[int]stand), make(map[int]uint32)
	find(x, query{}, func(r *retrieve.Result) {
		number := func(doc retrieve.Doc) int {
			if doc == retrieve.None {
				return none
			}
			id := idOf(r, doc)
			return int(binary.BigEndian.Uint32(id[12:]))
		}
		for _, m := range r.Matches {
			p := r.Reader.Passage(m.Doc)
			stands[number(m.Doc)] = stand{number(p.Before), number(p.After)}
			sessions[number(m.Doc)] = p.Session
		}
	})
	return stands, sessions
}

// said is a note in a session; at is in seconds, 0: the time of its creation.
func said(n int, session string, seq, at int) *hippo.Memory {
	m := note(n, fmt.Sprintf("said number%d", n))
	m.Source.Session, m.Source.Seq = session, seq
	if at > 0 {
		m.EventTime = time.Unix(int64(at), 0).UTC()
	}
	return m
}

func wantPlaces(t *testing.T, x *index.Index, want map[int]stand) {
	t.Helper()
	got, _ := places(x)
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("places (-want +got):\n%s", d)
	}
}

// inRow adds the places of memories that stand one after the other.
func inRow(to map[int]stand, ns ...int) map[int]stand {
	for i, n := range ns {
		s := stand{none, none}
		if i > 0 {
			s.Before = ns[i-1]
		}
		if i < len(ns)-1 {
			s.After = ns[i+1]
		}
		to[n] = s
	}
	return to
}

func TestPlace_orders_by_position_then_time_then_id(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(
		said(1, "a", 3, 1), said(2, "a", 2, 9), said(3, "a", 2, 8), // position before time
		said(4, "a", 0, 0), said(5, "a", 0, 3), // created at second 4, about second 3
		said(6, "", 1, 1), said(7, "", 2, 2), // no session
		said(8, "b", 1, 0), // alone
	)
	for _, n := range []int{20, 21, 22} { // only the ID differs
		m := said(n, "c", 7, 7)
		m.CreatedAt = time.Unix(1, 0).UTC()
		s.put(m)
	}
	same := []int{20, 21, 22}
	slices.SortFunc(same, func(a, b int) int { return id(a).Compare(id(b)) })
	want := inRow(inRow(inRow(inRow(inRow(map[int]stand{}, 5, 4, 3, 2, 1), 6), 7), 8), same...)
	x := open(t, s, nil)
	wantPlaces(t, x, want)
	_, sessions := places(x)
	if sessions[6] != 0 || sessions[7] != 0 {
		t.Errorf("memories without a session are in %d and %d", sessions[6], sessions[7])
	}
	if a, b, c := sessions[1], sessions[8], sessions[20]; a == 0 || b == 0 || c == 0 || a == b || a == c || b == c || sessions[5] != a {
		t.Errorf("the sessions have numbers %v", sessions)
	}
}

func TestPlace_same_name_is_another_session_elsewhere(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	for n := range 9 {
		m := said(n, "a", n, 0)
		m.Project = []string{"", "p", "q"}[n%3]
		s.put(m)
	}
	x := open(t, s, nil)
	want := inRow(inRow(inRow(map[int]stand{}, 0, 3, 6), 1, 4, 7), 2, 5, 8)
	wantPlaces(t, x, want)
	foreign := said(10, "a", 4, 0)
	foreign.Namespace = "other"
	s.put(foreign)
	catchUp(t, x)
	wantPlaces(t, x, want)
	find(x, query{Scope: hippo.Scope{Namespace: "other"}}, func(r *retrieve.Result) {
		for _, m := range r.Matches {
			if p := r.Reader.Passage(m.Doc); p.Before != retrieve.None || p.After != retrieve.None || p.Session == 0 {
				t.Errorf("a memory alone in its namespace stands at %+v", p)
			}
		}
	})
}

func TestPlace_follows(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(said(1, "a", 10, 0), said(3, "a", 30, 0))
	x := open(t, s, nil)
	wantPlaces(t, x, inRow(map[int]stand{}, 1, 3))
	for _, step := range []struct {
		name string
		do   func()
		want map[int]stand
	}{
		{"appended", func() { s.put(said(4, "a", 40, 0)) }, inRow(map[int]stand{}, 1, 3, 4)},
		{"put between", func() { s.put(said(2, "a", 20, 0), said(9, "", 25, 0)) }, inRow(inRow(map[int]stand{}, 1, 2, 3, 4), 9)},
		{"another session", func() { s.put(said(8, "b", 25, 0)) }, inRow(inRow(inRow(map[int]stand{}, 1, 2, 3, 4), 9), 8)},
		{"purged", func() { s.purge(id(2), id(9)) }, inRow(inRow(map[int]stand{}, 1, 3, 4), 8)},
		{"merged", func() { condense(t, x) }, inRow(inRow(map[int]stand{}, 1, 3, 4), 8)},
		{"purged from the base", func() { s.purge(id(1), id(3)) }, inRow(inRow(map[int]stand{}, 4), 8)},
		{"came back", func() { s.put(said(3, "a", 30, 0)) }, inRow(inRow(map[int]stand{}, 3, 4), 8)},
		{"merged again", func() { condense(t, x) }, inRow(inRow(map[int]stand{}, 3, 4), 8)},
	} {
		step.do()
		catchUp(t, x)
		if got, _ := places(x); !gocmp.Equal(step.want, got) {
			t.Errorf("%s (-want +got):\n%s", step.name, gocmp.Diff(step.want, got))
		}
	}
}

func condense(t *testing.T, x *index.Index) {
	t.Helper()
	if err := x.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A changed text is a new document of the same memory: it does not stand beside
// what it was.
func TestPlace_of_a_memory_with_another_text(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(said(1, "a", 1, 0), said(2, "a", 2, 0), said(3, "a", 3, 0))
	x := open(t, s, nil)
	want := inRow(map[int]stand{}, 1, 2, 3)
	for round := range 5 {
		for n := 1; n <= 3; n++ {
			m := s.get(id(n))
			m.Content += fmt.Sprint(" again", round)
			s.put(m)
			catchUp(t, x)
			if got, _ := places(x); !gocmp.Equal(want, got) {
				t.Fatalf("round %d (-want +got):\n%s", round, gocmp.Diff(want, got))
			}
		}
	}
	condense(t, x)
	wantPlaces(t, x, want)
}

// What a session consists of may change although no text does: another process
// may have changed it in the store.
func TestPlace_follows_changes_of_columns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(m *hippo.Memory) // of note 2
		want   map[int]stand
	}{
		"position":       {func(m *hippo.Memory) { m.Source.Seq = 9 }, inRow(inRow(map[int]stand{}, 1, 3, 2), 4)},
		"out":            {func(m *hippo.Memory) { m.Source.Session = "" }, inRow(inRow(inRow(map[int]stand{}, 1, 3), 4), 2)},
		"another":        {func(m *hippo.Memory) { m.Source.Session = "b" }, inRow(inRow(inRow(map[int]stand{}, 1, 3), 4), 2)},
		"project":        {func(m *hippo.Memory) { m.Project = "p" }, inRow(inRow(inRow(map[int]stand{}, 1, 3), 4), 2)},
		"time":           {func(m *hippo.Memory) { m.EventTime = time.Unix(99, 0).UTC() }, inRow(inRow(map[int]stand{}, 1, 2, 3), 4)},
		"time_and_place": {func(m *hippo.Memory) { m.Source.Seq, m.EventTime = 3, time.Unix(99, 0).UTC() }, inRow(inRow(map[int]stand{}, 1, 3, 2), 4)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSource("s")
			s.put(said(1, "a", 1, 0), said(2, "a", 2, 0), said(3, "a", 3, 0), said(4, "", 0, 0))
			x := open(t, s, nil)
			wantPlaces(t, x, inRow(inRow(map[int]stand{}, 1, 2, 3), 4))
			m := s.get(id(2))
			c.change(m)
			s.put(m)
			catchUp(t, x)
			wantPlaces(t, x, c.want)
		})
	}
	t.Run("in", func(t *testing.T) {
		t.Parallel()
		defer func() {
			if r := recover(); r != nil {
				t.Errorf("panic: %v", r)
			}
		}()
		s := newSource("s")
		s.put(said(1, "a", 1, 0), said(2, "", 2, 0), said(3, "a", 3, 0))
		x := open(t, s, nil)
		wantPlaces(t, x, inRow(inRow(map[int]stand{}, 1, 3), 2))
		s.put(said(2, "a", 2, 0))
		catchUp(t, x)
		wantPlaces(t, x, inRow(map[int]stand{}, 1, 2, 3))
	})
}

// conversations change a source at random; places are compared with a sort.
type conversations struct {
	src  *source
	x    *index.Index
	opts *index.Options
}

func (c *conversations) put(t *rapid.T) {
	for range rapid.IntRange(1, 6).Draw(t, "memories") {
		n := rapid.IntRange(1, 30).Draw(t, "id")
		if old := c.src.get(id(n)); old != nil {
			continue
		}
		m := said(n, rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "session"), rapid.IntRange(0, 3).Draw(t, "seq"), rapid.IntRange(0, 3).Draw(t, "at"))
		m.Project = rapid.SampledFrom([]string{"", "p"}).Draw(t, "project")
		m.CreatedAt = time.Unix(int64(rapid.IntRange(1, 3).Draw(t, "created")), 0).UTC()
		c.src.put(m)
	}
}

func (c *conversations) change(t *rapid.T, f func(*hippo.Memory)) {
	if m := c.src.get(id(rapid.IntRange(1, 30).Draw(t, "id"))); m != nil {
		f(m)
		c.src.put(m)
	}
}

// naive returns the places by the definition.
func (c *conversations) naive() map[int]stand {
	type key struct{ project, session string }
	groups := make(map[key][]*hippo.Memory)
	want := make(map[int]stand)
	for _, m := range c.src.live() {
		if m.Source.Session == "" {
			inRow(want, numberOf(m))
			continue
		}
		k := key{m.Project, m.Source.Session}
		groups[k] = append(groups[k], m)
	}
	for _, g := range groups {
		slices.SortFunc(g, func(a, b *hippo.Memory) int {
			return cmp.Or(cmp.Compare(a.Source.Seq, b.Source.Seq), a.When().Compare(b.When()), a.ID.Compare(b.ID))
		})
		var ns []int
		for _, m := range g {
			ns = append(ns, numberOf(m))
		}
		inRow(want, ns...)
	}
	return want
}

func numberOf(m *hippo.Memory) int { return int(binary.BigEndian.Uint32(m.ID[12:])) }

func (c *conversations) check(t *rapid.T) {
	if err := c.x.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, _ := places(c.x)
	if d := gocmp.Diff(c.naive(), got); d != "" {
		t.Fatalf("places (-sort +index):\n%s", d)
	}
}

func (c *conversations) open(t *rapid.T) {
	x, err := index.Open(t.Context(), c.src, c.opts)
	if err != nil {
		t.Fatal(err)
	}
	c.x = x
}

func TestPlace_agrees_with_a_sort(t *testing.T) {
	t.Parallel()
	dir, run := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		c := &conversations{src: newSource("s"), opts: &index.Options{Path: filepath.Join(dir, fmt.Sprint(run))}}
		c.open(t)
		defer func() { _ = c.x.Close() }()
		t.Repeat(map[string]func(*rapid.T){
			"put":     c.put,
			"text":    func(t *rapid.T) { c.change(t, func(m *hippo.Memory) { m.Content += " more" }) },
			"pin":     func(t *rapid.T) { c.change(t, func(m *hippo.Memory) { m.Pinned = !m.Pinned }) },
			"forget":  func(t *rapid.T) { c.change(t, func(m *hippo.Memory) { m.ForgottenAt = time.UnixMicro(1) }) },
			"restore": func(t *rapid.T) { c.change(t, func(m *hippo.Memory) { m.ForgottenAt = time.Time{} }) },
			"purge":   func(t *rapid.T) { c.src.purge(id(rapid.IntRange(1, 30).Draw(t, "id"))) },
			"merge": func(t *rapid.T) {
				if err := c.x.Save(t.Context()); err != nil {
					t.Fatal(err)
				}
			},
			"reopen": func(t *rapid.T) {
				if err := c.x.Close(); err != nil {
					t.Fatal(err)
				}
				c.open(t)
			},
			"": c.check,
		})
	})
}
