package recall_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
)

// corpus are memories at random.
type corpus []*hippo.Memory

func drawCorpus(r *rapid.T, limit int) (c corpus) {
	words := rapid.SliceOfN(rapid.SampledFrom(strings.Fields("car fuel petrol lunch rain red green blue lisbon")), 1, 4)
	for n := range rapid.IntRange(1, limit).Draw(r, "memories") {
		m := turn(n+1, rapid.SampledFrom([]string{"", "a", "b"}).Draw(r, "session"), strings.Join(words.Draw(r, "words"), " "))
		m.Project = rapid.SampledFrom([]string{"", "p"}).Draw(r, "project")
		m.Source.Seq = rapid.IntRange(0, 5).Draw(r, "seq")
		m.Source.Author = rapid.SampledFrom([]string{"", "Red Ann", "Bob"}).Draw(r, "author")
		m.Pinned = rapid.Bool().Draw(r, "pinned")
		m.Importance.Value = rapid.Float64Range(0, 1).Draw(r, "importance")
		c = append(c, m)
	}
	return c
}

// found returns the IDs of those that have a word of the text, and of their neighbours: what a
// lexical search finds by definition.
func (c corpus) found(text string, pinned bool) []hippo.ID {
	out := make(map[hippo.ID]bool)
	add := func(m *hippo.Memory) {
		if m.Pinned || !pinned {
			out[m.ID] = true
		}
	}
	for _, m := range c {
		has := slices.ContainsFunc(strings.Fields(m.Content), func(w string) bool { return slices.Contains(strings.Fields(text), w) })
		if !has || pinned && !m.Pinned {
			continue
		}
		add(m)
		if m.Source.Session == "" {
			continue
		}
		var session []*hippo.Memory
		for _, x := range c {
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
	return sortedIDs(out)
}

func sortedIDs(set map[hippo.ID]bool) []hippo.ID {
	out := make([]hippo.ID, 0, len(set))
	for id := range set {
		out = append(out, id)
	}
	slices.SortFunc(out, hippo.ID.Compare)
	return out
}

// allPages returns the hits of all pages of a query, of count hits each.
func (f *fixture) allPages(r rapid.TB, q hippo.Query, count int) []hippo.Hit {
	q.Count = count
	var hits []hippo.Hit
	seen := make(map[hippo.ID]bool)
	for total := 1; q.Offset < total; q.Offset += count {
		a := f.search(q)
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

// embedders returns what makes the models of a property test, by name.
func embedders() map[string]func() []*embedtest.Words {
	return map[string]func() []*embedtest.Words{
		"lexical":  func() []*embedtest.Words { return nil },
		"semantic": func() []*embedtest.Words { return []*embedtest.Words{embedtest.NewWords("word")} },
	}
}

func TestRecall_AnswersAreConsistent(t *testing.T) {
	t.Parallel()
	for name, words := range embedders() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				f, c := openReranking(r, words()...), drawCorpus(r, 25)
				f.put(c...)
				q := hippo.Query{Text: rapid.SampledFrom([]string{"car", "fuel lunch", "red bob", "lisbon rain"}).Draw(r, "text")}
				q.Filter.Pinned = rapid.Bool().Draw(r, "only pinned")
				q.Relevance = &hippo.Range{Max: math.Inf(1)} // always answered
				wantConsistent(r, f, q)
				if name == "semantic" {
					return
				}
				found := make(map[hippo.ID]bool)
				for _, h := range f.allPages(r, q, 1000) {
					found[h.Memory.ID] = true
					for _, id := range h.Same.IDs {
						found[id] = true
					}
				}
				want := c.found(q.Text, q.Filter.Pinned)
				if d := cmp.Diff(c.withTwins(want), c.withTwins(sortedIDs(found))); d != "" {
					r.Fatalf("%q finds (-by definition +got):\n%s", q.Text, d)
				}
				q.Each = true
				found = make(map[hippo.ID]bool)
				for _, h := range f.allPages(r, q, 1000) {
					found[h.Memory.ID] = true
				}
				if d := cmp.Diff(want, sortedIDs(found)); d != "" {
					r.Fatalf("%q finds each (-by definition +got):\n%s", q.Text, d)
				}
			})
		})
	}
}

// wantConsistent checks that total, distribution, ranges and pages of a query agree.
func wantConsistent(r *rapid.T, f *fixture, q hippo.Query) {
	whole := f.search(q)
	hits := f.allPages(r, q, 1000)
	wantFolded(r, hits)
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
	for _, h := range f.allPages(r, q, count) {
		got = append(got, h.Memory.ID)
	}
	if !slices.Equal(got, want) {
		r.Fatalf("in %v, pages of %d: got %v, want %v", *q.Relevance, count, got, want)
	}
	if a := f.search(q); a.Total != len(want) || a.Distribution != buckets {
		r.Fatalf("in %v: total %d, distribution %v, want %d and %v", *q.Relevance, a.Total, a.Distribution, len(want), buckets)
	}
}

// Equal memories give equal answers, in whatever order they were recorded.
func TestRecall_OrderOfRecordingDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		c := drawCorpus(r, 20)
		order := rapid.Permutation(c).Draw(r, "order")
		at := rapid.IntRange(0, len(order)).Draw(r, "searched after")
		a, b := openReranking(r), openReranking(r)
		a.put(c...)
		b.put(order[:at]...)
		b.search(hippo.Query{Text: "car"})
		b.put(order[at:]...)
		wantEqual(r, a, b)
	})
}

// Nor does it matter what was recorded and purged before.
func TestRecall_HistoryDoesNotMatter(t *testing.T) {
	t.Parallel()
	a, b := openReranking(t), openReranking(t)
	var list, gone []*hippo.Memory
	for n := range 12 {
		list = append(list, turn(n+1, "s", strings.Join([]string{[]string{"car", "red", "lisbon"}[n%3], []string{"fuel", "rain"}[n%2]}, " ")))
		gone = append(gone, turn(n+101, "s", "car rain"))
	}
	a.put(list...)
	b.put(gone...)
	b.put(list...)
	b.search(hippo.Query{Text: "car"}) // which reads them
	for _, m := range gone {
		if err := b.store.In(b.scope).Purge(t.Context(), []hippo.ID{m.ID}); err != nil {
			t.Fatal(err)
		}
	}
	wantEqual(t, a, b)
}

// wantEqual checks that two fixtures give the same answers.
func wantEqual(r rapid.TB, a, b *fixture) {
	for _, text := range []string{"car", "fuel lunch", "red bob", "lisbon rain"} {
		q := hippo.Query{Text: text, Count: 100}
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
