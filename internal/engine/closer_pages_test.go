package engine_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// crowd are memories at random, and what a query of theirs finds by definition.
type crowd struct{ list []*hippo.Memory }

func drawCrowd(r *rapid.T, most int) *crowd {
	c := &crowd{}
	words := rapid.SliceOfN(rapid.SampledFrom(strings.Fields("car fuel petrol lunch rain red green blue lisbon")), 1, 4)
	for n := range rapid.IntRange(1, most).Draw(r, "memories") {
		m := turn(n+1, rapid.SampledFrom([]string{"", "a", "b"}).Draw(r, "session"), strings.Join(words.Draw(r, "words"), " "))
		m.Project = rapid.SampledFrom([]string{"", "p"}).Draw(r, "project")
		m.Source.Seq = rapid.IntRange(0, 5).Draw(r, "seq")
		m.Source.Author = rapid.SampledFrom([]string{"", "Red Ann", "Bob"}).Draw(r, "author")
		m.Pinned = rapid.Bool().Draw(r, "pinned")
		m.Importance.Value = rapid.Float64Range(0, 1).Draw(r, "importance")
		c.list = append(c.list, m)
	}
	return c
}

// found returns the IDs of those that have a word of the text, and of their neighbours.
func (c *crowd) found(text string, pinned bool) []hippo.ID {
	out := make(map[hippo.ID]bool)
	add := func(m *hippo.Memory) {
		if m.Pinned || !pinned {
			out[m.ID] = true
		}
	}
	for _, m := range c.list {
		has := slices.ContainsFunc(strings.Fields(m.Content), func(w string) bool { return slices.Contains(strings.Fields(text), w) })
		if !has || pinned && !m.Pinned {
			continue
		}
		add(m)
		if m.Source.Session == "" {
			continue
		}
		var session []*hippo.Memory
		for _, x := range c.list {
			if x.Project == m.Project && x.Source.Session == m.Source.Session {
				session = append(session, x)
			}
		}
		slices.SortFunc(session, func(a, b *hippo.Memory) int { // times and IDs in the order of the list
			return a.Source.Seq*1000 + a.CreatedAt.Second() - b.Source.Seq*1000 - b.CreatedAt.Second()
		})
		at := slices.Index(session, m)
		for _, x := range session[max(0, at-1):min(len(session), at+2)] {
			add(x)
		}
	}
	return idsOf(out)
}

func idsOf(set map[hippo.ID]bool) []hippo.ID {
	out := make([]hippo.ID, 0, len(set))
	for id := range set {
		out = append(out, id)
	}
	slices.SortFunc(out, hippo.ID.Compare)
	return out
}

// all returns the hits of all pages of a query, which count so many each.
func (m *mind) all(r interface{ Fatalf(string, ...any) }, q hippo.Query, count int) []hippo.Hit {
	q.Count, q.NoTouch = count, true
	var hits []hippo.Hit
	seen := make(map[hippo.ID]bool)
	for total := 1; q.Offset < total; q.Offset += count {
		a := m.search(q)
		total = a.Total
		if want := min(count, total-q.Offset); len(a.Hits) != max(0, want) {
			r.Fatalf("%+v: %d hits on a page of %d in all, want %d", q, len(a.Hits), total, want)
		}
		for _, h := range a.Hits {
			if seen[h.Memory.ID] {
				r.Fatalf("%+v: %q is on two pages", q, h.Memory.Content)
			}
			seen[h.Memory.ID] = true
		}
		hits = append(hits, a.Hits...)
	}
	return hits
}

func TestCloser_AnswersAreConsistent(t *testing.T) {
	t.Parallel()
	for name, models := range map[string]func() []engine.Model{
		"words":   func() []engine.Model { return nil },
		"meaning": func() []engine.Model { return []engine.Model{instant(newFake("word"))} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				m := openTalk(t, newKept(), &wordPieces{}, models()...)
				defer m.end()
				c := drawCrowd(r, 25)
				m.put(c.list...)
				q := hippo.Query{Text: rapid.SampledFrom([]string{"car", "fuel lunch", "red bob", "lisbon rain"}).Draw(r, "text"), NoTouch: true}
				q.Filter.Pinned = rapid.Bool().Draw(r, "only pinned")
				q.Relevance = &hippo.Range{Max: math.Inf(1)} // always answered
				wantConsistent(r, m, q)
				if name == "meaning" {
					return
				}
				found := make(map[hippo.ID]bool)
				for _, h := range m.all(r, q, 1000) {
					found[h.Memory.ID] = true
				}
				if d := cmp.Diff(c.found(q.Text, q.Filter.Pinned), idsOf(found)); d != "" {
					r.Fatalf("%q finds (-by definition +engine):\n%s", q.Text, d)
				}
			})
		})
	}
}

// wantConsistent compares total, distribution, ranges and pages of a query.
func wantConsistent(r *rapid.T, m *mind, q hippo.Query) {
	whole := m.search(q)
	hits := m.all(r, q, 1000)
	var buckets hippo.Distribution
	for i, h := range hits {
		buckets.Add(h.Relevance)
		if i > 0 && h.Relevance > hits[i-1].Relevance {
			r.Fatalf("hit %d has relevance %v, behind %v", i, h.Relevance, hits[i-1].Relevance)
		}
	}
	if whole.Total != len(hits) || whole.Distribution != buckets {
		r.Fatalf("total %d, distribution %v of %d hits that are in %v", whole.Total, whole.Distribution, len(hits), buckets)
	}
	low := rapid.Float64Range(0, .6).Draw(r, "low")
	q.Relevance = &hippo.Range{Min: low, Max: low + rapid.Float64Range(0, .6).Draw(r, "width")}
	if len(hits) > 0 && rapid.Bool().Draw(r, "limit is a hit") {
		q.Relevance.Min = min(hits[len(hits)/2].Relevance, q.Relevance.Max)
	}
	var want []hippo.ID
	for _, h := range hits {
		if h.Relevance >= q.Relevance.Min && h.Relevance <= q.Relevance.Max {
			want = append(want, h.Memory.ID)
		}
	}
	count := rapid.IntRange(1, 7).Draw(r, "count")
	var got []hippo.ID
	for _, h := range m.all(r, q, count) {
		got = append(got, h.Memory.ID)
	}
	if !slices.Equal(got, want) {
		r.Fatalf("in %v, pages of %d: got %v, want %v", *q.Relevance, count, got, want)
	}
	if a := m.search(q); a.Total != len(want) || a.Distribution != buckets {
		r.Fatalf("in %v: total %d, distribution %v, want %d and %v", *q.Relevance, a.Total, a.Distribution, len(want), buckets)
	}
}

// Pages that go beyond what is kept of a search, and beyond what is looked at
// closely, follow each other as they do on one large page.
func TestCloser_PagesOfManyHits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		session func(n int) string
		content func(n int) string
		within  *hippo.Range
	}{
		"alone":      {func(int) string { return "" }, func(n int) string { return fmt.Sprint("car number", n, strings.Repeat(" filler", n%9)) }, nil},
		"neighbours": {func(n int) string { return fmt.Sprint("s", n/10) }, func(n int) string { return fmt.Sprint([]string{"car", "lunch"}[n%2], strings.Repeat(" filler", n%7)) }, nil},
		"in_range": {func(n int) string { return fmt.Sprint("s", n/10) }, func(n int) string {
			return fmt.Sprint([]string{"car", "car", "lunch"}[n%3], strings.Repeat(" filler", n%7))
		}, &hippo.Range{Min: .3, Max: .9}},
		"long": {func(n int) string { return fmt.Sprint("s", n/3) }, func(n int) string {
			return fmt.Sprint("car", strings.Repeat(" filler", 60+n%90), strings.Repeat(" fuel", n%2))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newTalk(t)
			var list []*hippo.Memory
			for n := range 900 {
				list = append(list, turn(n+1, c.session(n), c.content(n)))
			}
			m.put(list...)
			q := hippo.Query{Text: "car fuel", Relevance: c.within}
			want, got := m.all(t, q, 1000), m.all(t, q, 10)
			for i := range want {
				if i >= len(got) || want[i].Memory.ID != got[i].Memory.ID {
					t.Fatalf("hit %d of %d differs: in pages of 10 it is another, or of other relevance than %v", i, len(want), want[i].Relevance)
				}
			}
		})
	}
}

// Equal memories give equal answers, whatever the order they came in.
func TestCloser_OrderOfRecordingDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		c := drawCrowd(r, 20)
		order := rapid.Permutation(c.list).Draw(r, "order")
		at := rapid.IntRange(0, len(order)).Draw(r, "searched after")
		a, b := openTalk(t, newKept(), &wordPieces{}), openTalk(t, newKept(), &wordPieces{})
		defer a.end()
		defer b.end()
		a.put(c.list...)
		b.put(order[:at]...)
		b.search(hippo.Query{Text: "car", NoTouch: true})
		b.put(order[at:]...)
		wantEqual(r, a, b)
	})
}

// Nor does it matter what was there before.
func TestCloser_HistoryDoesNotMatter(t *testing.T) {
	t.Parallel()
	a, b := newTalk(t), newTalk(t)
	var list, gone []*hippo.Memory
	for n := range 12 {
		list = append(list, turn(n+1, "s", strings.Join([]string{[]string{"car", "red", "lisbon"}[n%3], []string{"fuel", "rain"}[n%2]}, " ")))
		gone = append(gone, turn(n+101, "s", "car rain"))
	}
	a.put(list...)
	b.put(gone...)
	b.put(list...)
	b.search(hippo.Query{Text: "car", NoTouch: true}) // which reads them
	for _, m := range gone {
		if err := b.Purge(t.Context(), []hippo.ID{m.ID}); err != nil {
			t.Fatal(err)
		}
	}
	wantEqual(t, a, b)
}

func wantEqual(r interface{ Fatalf(string, ...any) }, a, b *mind) {
	for _, text := range []string{"car", "fuel lunch", "red bob", "lisbon rain"} {
		q := hippo.Query{Text: text, NoTouch: true, Count: 100}
		x, y := a.search(q), b.search(q)
		for i := range x.Hits {
			if i >= len(y.Hits) || x.Hits[i].Memory.ID != y.Hits[i].Memory.ID || x.Hits[i].Relevance != y.Hits[i].Relevance {
				r.Fatalf("%q: hit %d differs: %q %v, of %d", text, i, contents(x), x.Hits[i].Relevance, len(y.Hits))
			}
			if d := cmp.Diff(x.Hits[i].Signals, y.Hits[i].Signals); d != "" {
				r.Fatalf("%q: the signals of hit %d differ:\n%s", text, i, d)
			}
		}
		if x.Total != y.Total || x.Distribution != y.Distribution {
			r.Fatalf("%q: total %d and %d, distribution %v and %v", text, x.Total, y.Total, x.Distribution, y.Distribution)
		}
	}
}

// meddled is a back end on which something happens before memories are read.
type meddled struct {
	driver.Backend
	mu   sync.Mutex
	next func()
}

func (m *meddled) Close() error { return nil }

func (m *meddled) Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	m.mu.Lock()
	next := m.next
	m.next = nil
	m.mu.Unlock()
	if next != nil {
		next()
	}
	return m.Backend.Get(ctx, ids)
}

// Another process may change memories after the index was asked and before their
// contents are read.
func TestCloser_ChangesInBetweenDoNoHarm(t *testing.T) {
	t.Parallel()
	first := turn(1, "", "").ID
	for name, c := range map[string]struct {
		meddle func(t *testing.T, s *store.Store) error
		now    []string // what the search finds, and what the next one does
		then   []string
	}{
		"changed": {func(t *testing.T, s *store.Store) error {
			_, err := s.Update(t.Context(), []hippo.ID{first}, func(m *hippo.Memory, _ hippo.Day) error {
				m.Content = "lunch"
				return nil
			})
			return err
		}, []string{"lunch", "the red car"}, []string{"the red car"}},
		"purged": {func(t *testing.T, s *store.Store) error {
			return s.Purge(t.Context(), []hippo.ID{first})
		}, []string{"the red car"}, []string{"the red car"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, pieces := &meddled{Backend: newKept()}, &wordPieces{}
			m := openTalk(t, b, pieces)
			m.put(turn(1, "", "car"), turn(2, "", "the red car"))
			other := store.New(b, nil)
			b.mu.Lock()
			b.next = func() {
				if err := c.meddle(t, other); err != nil {
					t.Error(err)
				}
			}
			b.mu.Unlock()
			q := hippo.Query{Text: "car", NoTouch: true}
			a := m.search(q)
			got := contents(a)
			slices.Sort(got)
			if d := cmp.Diff(c.now, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			for _, h := range a.Hits {
				if x := h.Signals.Evidence[hippo.EvidenceInteraction]; x != 1 { // of the text that the index knows
					t.Errorf("%q has interaction %v, want 1", h.Memory.Content, x)
				}
			}
			m.wantOrder(q, c.then...)
			if name == "changed" {
				m.wantOrder(hippo.Query{Text: "lunch"}, "lunch")
			}
		})
	}
}

// Contents are cut when they are indexed, and searches read no memory but the hits.
func TestCloser_RemembersPieces(t *testing.T) {
	t.Parallel()
	pieces := &wordPieces{}
	m := openTalk(t, newKept(), pieces)
	m.put(turn(1, "s", "petrol car"), turn(2, "s", "rainy days"))
	q := hippo.Query{Text: "car fuel", NoTouch: true}
	for _, want := range [][]string{{"car", "fuel", "petrol car", "rainy days"}, {"car", "fuel"}} {
		m.search(q)
		if d := cmp.Diff(want, pieces.seen()); d != "" {
			t.Errorf("cut (-want +got):\n%s", d)
		}
	}
	text := "purple car"
	if _, err := m.Modify(t.Context(), turn(1, "", "").ID, engine.Modification{Content: &text}); err != nil {
		t.Fatal(err)
	}
	a := m.search(q)
	if d := cmp.Diff([]string{"car", "fuel", "purple car"}, pieces.seen()); d != "" {
		t.Errorf("cut (-want +got):\n%s", d)
	}
	if x := a.Hits[0].Signals.Evidence[hippo.EvidenceInteraction]; a.Hits[0].Memory.Content != text || x <= 0 || x >= .7 {
		t.Errorf("%q has interaction %v", a.Hits[0].Memory.Content, x)
	}
}

func TestCloser_SearchesWhileMemoriesChange(t *testing.T) {
	t.Parallel()
	m := newTalk(t)
	for n := range 20 {
		m.put(turn(n+1, "s", fmt.Sprint("car number", n)))
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 20 {
				text := fmt.Sprint("car changed", i)
				if _, err := m.Modify(t.Context(), turn(g+1, "", "").ID, engine.Modification{Content: &text}); err != nil {
					t.Error(err)
				}
				if a, err := m.Search(t.Context(), hippo.Query{Text: "car changed", Count: 100}); err != nil || a.Total != 20 {
					t.Errorf("got %+v (%v)", a, err)
				}
			}
		})
	}
	wg.Wait()
}
