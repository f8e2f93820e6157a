package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// wordPieces are pieces of whole words: synonyms are alike by .8, others not at all.
type wordPieces struct {
	mu    sync.Mutex
	known map[string]int32
	words []string
	cut   []string // what was cut into pieces, in order
}

func (p *wordPieces) Tokenize(dst []int32, text string) []int32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = append(p.cut, text)
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		n, ok := p.known[w]
		if !ok {
			n = int32(len(p.words))
			p.words = append(p.words, w)
			if p.known == nil {
				p.known = make(map[string]int32)
			}
			p.known[w] = n
		}
		dst = append(dst, n)
	}
	return dst
}

// Table is another for each: numbers are given in the order in which words come.
func (p *wordPieces) Vocabulary() string { return fmt.Sprintf("words %p", p) }

func (p *wordPieces) Weight(int32) float64 { return 1 }

func (p *wordPieces) NewMaxSim(query []int32) embed.MaxSim { return wordInteraction{p, query} }

type wordInteraction struct {
	p     *wordPieces
	query []int32
}

func (wordInteraction) Close() {}

func (x wordInteraction) Update(dst []float32, text []int32) {
	x.p.mu.Lock()
	defer x.p.mu.Unlock()
	same := synonyms()
	for i, q := range x.query {
		for _, t := range text {
			a, b := x.p.words[q], x.p.words[t]
			switch {
			case a == b:
				dst[i] = 1
			case same[a] == b || same[b] == a || same[a] != "" && same[a] == same[b]:
				dst[i] = max(dst[i], .8)
			}
		}
	}
}

// seen returns what was cut since the last call, sorted.
func (p *wordPieces) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.cut
	p.cut = nil
	slices.Sort(out)
	return out
}

// beside reports whether there is evidence of neighbours.
func beside(e hippo.Evidence) bool {
	for k := hippo.EvidenceBeforeShare; k <= hippo.EvidenceAround; k++ {
		if e[k] != 0 {
			return true
		}
	}
	return false
}

// openTalk opens an engine on b that looks closely, unless pieces is nil.
func openTalk(t *testing.T, b driver.Backend, pieces embed.TokenEmbedder, models ...engine.Model) *mind {
	t.Helper()
	l := &life{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return l.now }
	s := store.New(b, &store.Options{Now: clock, Zone: time.UTC})
	x, err := index.Open(t.Context(), s, &index.Options{Pieces: pieces})
	if err != nil {
		t.Fatal(err)
	}
	l.Engine = engine.New(engine.Config{Store: s, Index: x, Now: clock, Models: models, Pieces: pieces})
	m := &mind{life: l, store: s}
	m.end = sync.OnceFunc(func() { _ = l.Close() })
	t.Cleanup(m.end)
	return m
}

func newTalk(t *testing.T) *mind {
	return openTalk(t, newKept(), &wordPieces{})
}

// put imports memories, so that they have the IDs and times they say.
func (m *mind) put(ms ...*hippo.Memory) {
	m.t.Helper()
	r, err := m.Import(m.t.Context(), hippo.Calendar{}, func(yield func(*hippo.Memory, error) bool) {
		for _, x := range ms {
			if !yield(x.Clone(), nil) {
				return
			}
		}
	}, nil)
	if err != nil || r.Added != len(ms) {
		m.t.Fatalf("imported %+v (%v), want %d", r, err, len(ms))
	}
}

// turn is the n-th memory of a test, and the n-th of its session.
func turn(n int, session, content string) *hippo.Memory {
	return &hippo.Memory{
		ID: hippo.ID{0: byte(n * 89), 14: byte(n >> 8), 15: byte(n), 1: 1}, Content: content, Trust: hippo.TrustNormal,
		CreatedAt:  time.Date(2026, 2, 1, 0, 0, n, 0, time.UTC),
		Importance: hippo.Importance{Base: .5, Value: .5},
		Source:     hippo.Source{Kind: hippo.SourceAgent, Session: session, Seq: n},
	}
}

func TestCloser_FindsWhatStandsBeside(t *testing.T) {
	t.Parallel()
	m := newTalk(t)
	m.put(
		turn(1, "s", "good morning everybody"),
		turn(2, "s", "where was your holiday"),
		turn(3, "s", "lisbon and it rained"),
		turn(4, "s", "what about lunch"),
		turn(5, "other", "the printer jams"),
		turn(6, "", "no session here"),
	)
	foreign := turn(7, "s", "same name elsewhere")
	foreign.Project, foreign.Source.Seq = "p", 3
	m.put(foreign)
	a := m.search(hippo.Query{Text: "holiday", NoTouch: true})
	got := contents(a)
	if len(got) != 3 || got[0] != "where was your holiday" || !slices.Contains(got, "lisbon and it rained") || !slices.Contains(got, "good morning everybody") {
		t.Fatalf("got %q", got)
	}
	if a.Total != 3 || a.Distribution.Sum() != 3 {
		t.Errorf("got total %d, distribution %v", a.Total, a.Distribution)
	}
	for _, h := range a.Hits[1:] {
		s := h.Signals.Evidence
		heard := s[hippo.EvidenceBeforeShare] == 1 && s[hippo.EvidenceBeforeInteraction] == 1 && s[hippo.EvidenceCompleted] == 1
		if s[hippo.EvidenceShare] != 0 || heard != (h.Memory.Source.Seq == 3) || s[hippo.EvidenceAround] != 1 || s[hippo.EvidenceSession] <= 0 || h.Relevance <= 0 {
			t.Errorf("%q has relevance %v, evidence %v", h.Memory.Content, h.Relevance, s)
		}
	}
	if s := a.Hits[0].Signals.Evidence; s[hippo.EvidenceInteraction] != 1 || beside(s) {
		t.Errorf("what matches has evidence %v", s)
	}
	if _, err := m.Forget(t.Context(), []hippo.ID{turn(3, "", "").ID}); err != nil {
		t.Fatal(err)
	}
	if got := contents(m.search(hippo.Query{Text: "holiday"})); !slices.Contains(got, "what about lunch") || slices.Contains(got, "lisbon and it rained") {
		t.Errorf("after a neighbour is forgotten: got %q", got)
	}
}

// A memory that was changed or forgotten and restored stands where it stood, and
// not beside itself.
func TestCloser_NothingIsBesideItself(t *testing.T) {
	t.Parallel()
	m := newTalk(t)
	m.put(turn(1, "s", "fuel pump"), turn(2, "s", "lisbon"))
	q := hippo.Query{Text: "petrol fuel", NoTouch: true}
	want := m.search(q)
	first := turn(1, "", "").ID
	for _, text := range []string{"another thing", "fuel pump"} {
		if _, err := m.Modify(t.Context(), first, engine.Modification{Content: &text, Vote: engine.VoteNone}); err != nil {
			t.Fatal(err)
		}
		m.search(q)
	}
	got := m.search(q)
	if len(got.Hits) != 2 || got.Hits[0].Signals != want.Hits[0].Signals {
		t.Errorf("got %q, %+v, want %+v", contents(got), got.Hits[0].Signals, want.Hits[0].Signals)
	}
}

func TestCloser_NeighboursPassTheFilters(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		q     hippo.Query
		match func(*hippo.Memory) // what makes a memory pass
	}{
		"type":      {hippo.Query{Filter: hippo.Filter{Types: []string{"error"}}}, func(m *hippo.Memory) { m.Type = "error" }},
		"tags":      {hippo.Query{Filter: hippo.Filter{Tags: []string{"go"}}}, func(m *hippo.Memory) { m.Tags = []string{"go", "x"} }},
		"author":    {hippo.Query{Filter: hippo.Filter{Author: "Ann"}}, func(m *hippo.Memory) { m.Source.Author = "Ann" }},
		"created":   {hippo.Query{Filter: hippo.Filter{CreatedBefore: time.Unix(9, 0)}}, func(m *hippo.Memory) { m.CreatedAt = time.Unix(8, 0) }},
		"time":      {hippo.Query{Filter: hippo.Filter{EventBefore: time.Unix(9, 0)}}, func(m *hippo.Memory) { m.EventTime = time.Unix(8, 0) }},
		"when":      {hippo.Query{When: "before 1971"}, func(m *hippo.Memory) { m.EventTime = time.Unix(8, 0) }},
		"valid":     {hippo.Query{Filter: hippo.Filter{ValidAt: time.Unix(9, 0)}}, func(m *hippo.Memory) { m.ValidFrom = time.Unix(8, 0) }},
		"trust":     {hippo.Query{Filter: hippo.Filter{MinTrust: hippo.TrustHigh}}, func(m *hippo.Memory) { m.Trust = hippo.TrustHigh }},
		"pinned":    {hippo.Query{Filter: hippo.Filter{Pinned: true}}, func(m *hippo.Memory) { m.Pinned = true }},
		"situation": {hippo.Query{Situation: []string{"debugging"}}, func(m *hippo.Memory) { m.Situation = []string{"debugging"} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newTalk(t)
			in, out, match := turn(1, "s", "passes"), turn(3, "s", "is kept out"), turn(2, "s", "holiday")
			if name == "valid" {
				out.ValidUntil = time.Unix(1, 0)
			}
			c.match(in)
			c.match(match)
			m.put(in, out, match)
			c.q.Text, c.q.NoTouch = "holiday", true
			a := m.search(c.q)
			if d := cmp.Diff([]string{"holiday", "passes"}, contents(a)); d != "" || a.Total != 2 || a.Distribution.Sum() != 2 {
				t.Errorf("total %d, distribution %v (-want +got):\n%s", a.Total, a.Distribution, d)
			}
		})
	}
}

func TestCloser_FiltersThatNothingCanPass(t *testing.T) {
	t.Parallel()
	m := newTalk(t)
	m.put(turn(1, "s", "holiday"), turn(2, "s", "neighbour"))
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("panic: %v", r)
		}
	}()
	for _, f := range []hippo.Filter{{Projects: []string{"unknown"}}, {Author: "unknown"}, {Namespace: "unknown"}} {
		if a := m.search(hippo.Query{Text: "holiday", Filter: f}); a.Total != 0 || len(a.Hits) != 0 {
			t.Errorf("%+v: got %q", f, contents(a))
		}
	}
}

// How well the situation of a neighbour fits counts as it does for a match.
func TestCloser_NeighboursHaveTheirContext(t *testing.T) {
	t.Parallel()
	m := newTalk(t)
	match, half := turn(1, "s", "holiday"), turn(2, "s", "neighbour")
	match.Situation, half.Situation = []string{"cache"}, []string{"debugging cache"}
	m.put(match, half)
	a := m.search(hippo.Query{Text: "holiday", Situation: []string{"cache"}})
	if len(a.Hits) != 2 || a.Hits[0].Signals.Context != 1 || a.Hits[1].Signals.Context != .9 {
		t.Errorf("got %q, contexts %v and %v, want 1 and .9", contents(a), a.Hits[0].Signals.Context, a.Hits[len(a.Hits)-1].Signals.Context)
	}
}

// What is beside a memory that is filtered out may still speak for it, but what is
// beside nothing speaks for nothing: without session and author a memory ranks by
// its words, whatever the others have.
func TestCloser_WithoutASessionOnlyTextCounts(t *testing.T) {
	t.Parallel()
	relevance := func(session string) (out []float64) {
		m := newTalk(t)
		m.put(
			turn(1, "", "petrol pump of the car"), turn(2, "", "car repair"),
			turn(3, session, "fuel for the car"), turn(4, session, "mending it"), turn(5, session, "car"),
		)
		for _, h := range m.search(hippo.Query{Text: "car fuel", NoTouch: true}).Hits {
			s := h.Signals.Evidence
			if h.Memory.Source.Session != "" {
				continue
			}
			if s[hippo.EvidenceSession] != 0 || s[hippo.EvidenceNamed] != 0 || beside(s) {
				t.Errorf("%q has %+v", h.Memory.Content, s)
			}
			if h.Memory.Source.Seq < 3 {
				out = append(out, h.Relevance)
			}
		}
		return out
	}
	alone, beside := relevance(""), relevance("s")
	if d := cmp.Diff(alone, beside); d != "" || len(alone) != 2 {
		t.Errorf("relevance depends on the sessions of others:\n%s", d)
	}
}

func TestCloser_SynonymsHelp(t *testing.T) {
	t.Parallel()
	m := newTalk(t)
	m.put(turn(1, "", "petrol car"), turn(2, "", "purple car"))
	a := m.search(hippo.Query{Text: "fuel car", NoTouch: true})
	if d := cmp.Diff([]string{"petrol car", "purple car"}, contents(a)); d != "" {
		t.Error(d)
	}
	of := func(i int) float64 { return a.Hits[i].Signals.Evidence[hippo.EvidenceInteraction] }
	if of(0) <= of(1) || of(0) >= 1 {
		t.Errorf("got interaction %v, of the other %v", of(0), of(1))
	}
}

func TestCloser_NamedAuthorsComeFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		author, text string
		want         float64
	}{
		"first_word": {"Ann Lee", "what did ann say of the cache", 1},
		"whole":      {"Ann", "the cache, ANN!", 1},
		"genitive":   {"Ann", "Ann's cache", 1},
		"not_latin":  {"Łukasz", "cache of łukasz", 1},
		"hyphen":     {"claude-code", "what claude-code knows of the cache", 1},
		"apostrophe": {"O'Brien", "what O'Brien knows of the cache", 1},
		"last_word":  {"Ann Lee", "cache of lee", 0},
		"part":       {"Ann", "the annual cache", 0},
		"no_author":  {"", "the cache", 0},
		"wordless":   {"!", "the cache !", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newTalk(t)
			by, other := turn(1, "", "the cache is cold"), turn(2, "", "the cache is warm")
			by.Source.Author, other.Source.Author = c.author, "Zoe"
			m.put(by, other)
			a := m.search(hippo.Query{Text: c.text, NoTouch: true})
			want := []string{"the cache is warm", "the cache is cold"} // the newer one first
			if c.want > 0 {
				slices.Reverse(want)
			}
			if d := cmp.Diff(want, contents(a)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			for _, h := range a.Hits {
				if h.Memory.Source.Author == c.author && h.Signals.Evidence[hippo.EvidenceNamed] != c.want {
					t.Errorf("named is %v, want %v", h.Signals.Evidence[hippo.EvidenceNamed], c.want)
				}
			}
		})
	}
}

// A text of nothing but space asks for everything, as no text does.
func TestCloser_BlankTextIsNoText(t *testing.T) {
	t.Parallel()
	m := newTalk(t)
	for n := range 5 {
		m.put(turn(n+1, "s", fmt.Sprintf("note number%d", n)))
	}
	want := m.search(hippo.Query{NoTouch: true})
	got := m.search(hippo.Query{Text: " \n", NoTouch: true})
	for i := range want.Hits {
		if len(got.Hits) != 5 || got.Hits[i].Relevance != want.Hits[i].Relevance {
			t.Fatalf("got %q, the first of relevance %v, want %v", contents(got), got.Hits[0].Relevance, want.Hits[i].Relevance)
		}
	}
}

func TestCloser_OtherRankersDoNotLookClosely(t *testing.T) {
	t.Parallel()
	with, without := openTalk(t, newKept(), &wordPieces{}, instant(newFake("word"))), openTalk(t, newKept(), nil, instant(newFake("word")))
	for _, m := range []*mind{with, without} {
		m.put(turn(1, "s", "fuel pump"), turn(2, "s", "lisbon"), turn(3, "", "petrol car"))
	}
	for _, r := range []hippo.Ranker{hippo.RankerInsight, hippo.RankerBM25, hippo.RankerCosine} {
		for _, text := range []string{"", "fuel"} {
			q := hippo.Query{Text: text, Ranker: r, NoTouch: true}
			if d := cmp.Diff(without.search(q), with.search(q), cmp.Transformer("memory", func(m *hippo.Memory) string { return m.Content })); d != "" {
				t.Errorf("%s, text %q (-without +with):\n%s", r, text, d)
			}
		}
	}
}

func TestCloser_WithoutPieces(t *testing.T) {
	t.Parallel()
	m := openTalk(t, newKept(), nil)
	named := turn(1, "s", "where was your holiday")
	named.Source.Author = "holiday"
	m.put(named, turn(2, "s", "lisbon and it rained"))
	a := m.search(hippo.Query{Text: "holiday"})
	if d := cmp.Diff([]string{"where was your holiday"}, contents(a)); d != "" || a.Total != 1 {
		t.Errorf("total %d (-want +got):\n%s", a.Total, d)
	}
	if s := a.Hits[0].Signals.Evidence; s[hippo.EvidenceInteraction] != 0 || s[hippo.EvidenceNamed] != 0 || s[hippo.EvidenceSession] != 0 {
		t.Errorf("got %+v", s)
	}
}

// However long memories are, words order them.
func TestCloser_LongMemoriesAreOrdered(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat(" filler", 400)
	for _, pieces := range []embed.TokenEmbedder{nil, &wordPieces{}} {
		m := openTalk(t, newKept(), pieces)
		m.put(turn(1, "", "fuel car"+filler), turn(2, "", "car one"+filler), turn(3, "", "two"+filler))
		if a := m.search(hippo.Query{Text: "fuel car"}); len(a.Hits) != 2 || !strings.HasPrefix(a.Hits[0].Memory.Content, "fuel") {
			t.Errorf("got %d hits, first %.10q of relevance %v", len(a.Hits), a.Hits[0].Memory.Content, a.Hits[0].Relevance)
		}
	}
}
