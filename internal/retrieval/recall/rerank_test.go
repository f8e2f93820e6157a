package recall_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// feature returns a feature of an explained hit.
func feature(h hippo.Hit, f rank.Feature) float64 { return h.Explanation.Features[f.String()] }

// hasNeighbours reports whether a feature of neighbours is not 0.
func hasNeighbours(h hippo.Hit) bool {
	for k := rank.Reply; k <= rank.WindowGain; k++ {
		if feature(h, k) != 0 {
			return true
		}
	}
	return false
}

func TestRerank_FindsNeighbours(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	f.put(
		turn(1, "s", "good morning everybody"),
		turn(2, "s", "where was your holiday"),
		turn(3, "s", "lisbon and it rained"),
		turn(4, "s", "what about lunch"),
		turn(5, "other", "the printer jams"),
		turn(6, "", "no session here"),
	)
	foreign := turn(7, "s", "same name elsewhere")
	foreign.Project, foreign.Source.Seq = "p", 3
	f.put(foreign)
	a := f.search(hippo.Query{Text: "holiday", Detail: hippo.Detail{Explain: true}})
	got := contents(a)
	if len(got) != 3 || got[0] != "where was your holiday" || !slices.Contains(got, "lisbon and it rained") || !slices.Contains(got, "good morning everybody") {
		t.Fatalf("got %q", got)
	}
	if a.Total != 3 || a.Distribution.Sum() != 3 {
		t.Errorf("got total %d, distribution %v", a.Total, a.Distribution)
	}
	for _, h := range a.Hits[1:] {
		follows := feature(h, rank.PreviousGain) == 1
		if feature(h, rank.BM25Relative) != 0 || follows != (h.Memory.Source.Seq == 3) || feature(h, rank.WindowGain) != 1 || feature(h, rank.Session) <= 0 || h.Relevance <= 0 {
			t.Errorf("%q has relevance %v, features %v", h.Memory.Content, h.Relevance, h.Explanation.Features)
		}
	}
	if h := a.Hits[0]; feature(h, rank.MaxSim) != 1 || hasNeighbours(h) {
		t.Errorf("what matches has features %v", h.Explanation.Features)
	}
	f.forget(idOf(3))
	if got := contents(f.search(hippo.Query{Text: "holiday"})); !slices.Contains(got, "what about lunch") || slices.Contains(got, "lisbon and it rained") {
		t.Errorf("after a neighbour is forgotten: got %q", got)
	}
}

// A memory that was changed and changed back stands where it stood, and is no neighbour of
// itself.
func TestRerank_NoMemoryIsItsOwnNeighbour(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	f.put(turn(1, "s", "fuel pump"), turn(2, "s", "lisbon"))
	q := hippo.Query{Text: "petrol fuel", Detail: hippo.Detail{Explain: true}}
	want := f.search(q)
	for _, text := range []string{"another thing", "fuel pump"} {
		f.update(idOf(1), func(m *hippo.Memory) { m.Content = text })
		f.search(q)
	}
	got := f.search(q)
	if d := cmp.Diff(want.Hits[0].Explanation, got.Hits[0].Explanation); d != "" || len(got.Hits) != 2 || got.Hits[0].Signals != want.Hits[0].Signals {
		t.Errorf("got %q, %+v, want %+v (-want +got):\n%s", contents(got), got.Hits[0].Signals, want.Hits[0].Signals, d)
	}
}

func TestRerank_NeighboursPassTheFilters(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		q     hippo.Query
		match func(*hippo.Memory) // what makes a memory pass
	}{
		"type":      {hippo.Query{Filter: hippo.Filter{Types: []string{"error"}}}, func(m *hippo.Memory) { m.Type = "error" }},
		"tags":      {hippo.Query{Filter: hippo.Filter{Tags: []string{"go"}}}, func(m *hippo.Memory) { m.Tags = []string{"go", "x"} }},
		"author":    {hippo.Query{Filter: hippo.Filter{Origin: hippo.Origin{Author: "Ann"}}}, func(m *hippo.Memory) { m.Source.Author = "Ann" }},
		"created":   {hippo.Query{Filter: hippo.Filter{CreatedBefore: time.Unix(9, 0)}}, func(m *hippo.Memory) { m.CreatedAt = time.Unix(8, 0) }},
		"time":      {hippo.Query{Filter: hippo.Filter{EventBefore: time.Unix(9, 0)}}, func(m *hippo.Memory) { m.EventTime = time.Unix(8, 0) }},
		"when":      {hippo.Query{When: "before 1971"}, func(m *hippo.Memory) { m.EventTime = time.Unix(8, 0) }},
		"valid":     {hippo.Query{Filter: hippo.Filter{Moment: hippo.Moment{ValidAt: time.Unix(9, 0)}}}, func(m *hippo.Memory) { m.ValidFrom = time.Unix(8, 0) }},
		"trust":     {hippo.Query{Filter: hippo.Filter{MinTrust: hippo.TrustHigh}}, func(m *hippo.Memory) { m.Trust = hippo.TrustHigh }},
		"pinned":    {hippo.Query{Filter: hippo.Filter{Pinned: true}}, func(m *hippo.Memory) { m.Pinned = true }},
		"situation": {hippo.Query{Situation: []string{"debugging"}, Strict: true}, func(m *hippo.Memory) { m.Situation = []string{"debugging"} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openReranking(t)
			in, out, match := turn(1, "s", "passes"), turn(3, "s", "is kept out"), turn(2, "s", "holiday")
			if name == "valid" {
				out.ValidUntil = time.Unix(1, 0)
			}
			c.match(in)
			c.match(match)
			f.put(in, out, match)
			c.q.Text = "holiday"
			a := f.search(c.q)
			if d := cmp.Diff([]string{"holiday", "passes"}, contents(a)); d != "" || a.Total != 2 || a.Distribution.Sum() != 2 {
				t.Errorf("total %d, distribution %v (-want +got):\n%s", a.Total, a.Distribution, d)
			}
		})
	}
}

func TestRerank_FiltersThatNothingCanPass(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	f.put(turn(1, "s", "holiday"), turn(2, "s", "neighbour"))
	for _, filter := range []hippo.Filter{{Projects: []string{"unknown"}}, {Origin: hippo.Origin{Author: "unknown"}}} {
		if a := f.search(hippo.Query{Text: "holiday", Filter: filter}); a.Total != 0 || len(a.Hits) != 0 {
			t.Errorf("%+v: got %q", filter, contents(a))
		}
	}
	f.scope.Namespace = "unknown"
	if a := f.search(hippo.Query{Text: "holiday"}); a.Total != 0 || len(a.Hits) != 0 {
		t.Errorf("in another namespace: got %q", contents(a))
	}
}

// A context in which neighbours count separates conversations from notes that were recorded one after
// the other: turns are similar to their next ones, and such notes are not.
func TestRerank_CoherenceIsOfConversations(t *testing.T) {
	t.Parallel()
	coherence := func(contents ...string) float64 {
		f := openReranking(t, embedtest.NewWords("word"))
		for i, content := range contents {
			f.put(turn(i+1, "s", content))
		}
		a := f.search(hippo.Query{Text: "trip", Detail: hippo.Detail{Explain: true}})
		return a.Hits[0].Explanation.Context["coherence"]
	}
	talk := coherence("trip lisbon", "lisbon hotel", "trip car", "car pump", "trip music", "music band")
	notes := coherence("trip lisbon", "car pump", "trip car", "music band", "trip music", "lisbon hotel")
	if talk <= .5 || notes != 0 {
		t.Errorf("got %.2f for a conversation and %.2f for notes", talk, notes)
	}
}

// How well the situation of a neighbour matches counts as it does for a match.
func TestRerank_NeighboursHaveTheirContext(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	match, half := turn(1, "s", "holiday"), turn(2, "s", "neighbour")
	match.Situation, half.Situation = []string{"cache"}, []string{"debugging cache"}
	f.put(match, half)
	a := f.search(hippo.Query{Text: "holiday", Situation: []string{"cache"}})
	if len(a.Hits) != 2 || a.Hits[0].Signals.Context != 1 || a.Hits[1].Signals.Context != .9 {
		t.Errorf("got %q, contexts %v and %v, want 1 and .9", contents(a), a.Hits[0].Signals.Context, a.Hits[len(a.Hits)-1].Signals.Context)
	}
}

// Without a session and an author the features of a memory are of its text, whatever sessions the
// others have; those decide only what each feature counts.
func TestRerank_WithoutASessionOnlyTextCounts(t *testing.T) {
	t.Parallel()
	features := func(session string) map[string]map[string]float64 {
		out := make(map[string]map[string]float64)
		f := openReranking(t)
		f.put(
			turn(1, "", "petrol pump of the car"), turn(2, "", "car repair"),
			turn(3, session, "fuel for the car"), turn(4, session, "mending it"), turn(5, session, "car"),
		)
		for _, h := range f.search(hippo.Query{Text: "car fuel", Detail: hippo.Detail{Explain: true}}).Hits {
			if h.Memory.Source.Session != "" {
				continue
			}
			if feature(h, rank.Session) != 0 || feature(h, rank.NamesAuthor) != 0 || hasNeighbours(h) {
				t.Errorf("%q has %+v", h.Memory.Content, h.Explanation.Features)
			}
			if h.Memory.Source.Seq < 3 {
				delete(h.Explanation.Features, rank.Feedback.String()) // it depends on the order of the others
				out[h.Memory.Content] = h.Explanation.Features
			}
		}
		return out
	}
	alone, sessions := features(""), features("s")
	if d := cmp.Diff(alone, sessions); d != "" || len(alone) != 2 {
		t.Errorf("features depend on the sessions of others:\n%s", d)
	}
}

func TestRerank_SynonymsHelp(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	f.put(turn(1, "", "petrol car"), turn(2, "", "purple car"))
	a := f.search(hippo.Query{Text: "fuel car", Detail: hippo.Detail{Explain: true}})
	if d := cmp.Diff([]string{"petrol car", "purple car"}, contents(a)); d != "" {
		t.Error(d)
	}
	of := func(i int) float64 { return feature(a.Hits[i], rank.MaxSim) }
	if of(0) <= of(1) || of(0) >= 1 {
		t.Errorf("got a similarity of %v and %v", of(0), of(1))
	}
}

func TestRerank_NamedAuthorsComeFirst(t *testing.T) {
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
			f := openReranking(t)
			by, other := turn(1, "", "the cache is cold"), turn(2, "", "the cache is warm")
			by.Source.Author, other.Source.Author = c.author, "Zoe"
			f.put(by, other)
			a := f.search(hippo.Query{Text: c.text, Detail: hippo.Detail{Explain: true}})
			want := []string{"the cache is warm", "the cache is cold"} // the newer one first
			if c.want > 0 {
				slices.Reverse(want)
			}
			if d := cmp.Diff(want, contents(a)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			for _, h := range a.Hits {
				if h.Memory.Source.Author == c.author && feature(h, rank.NamesAuthor) != c.want {
					t.Errorf("the feature is %v, want %v", feature(h, rank.NamesAuthor), c.want)
				}
			}
		})
	}
}

func TestRerank_NotByOtherRankers(t *testing.T) {
	t.Parallel()
	with, without := openReranking(t, embedtest.NewWords("word")), open(t, nil, embedtest.NewWords("word"))
	for _, f := range []*fixture{with, without} {
		f.put(turn(1, "s", "fuel pump"), turn(2, "s", "lisbon"), turn(3, "", "petrol car"))
	}
	for _, r := range []hippo.Ranker{hippo.RankerInsight, hippo.RankerBM25, hippo.RankerCosine} {
		for _, text := range []string{"", "fuel"} {
			q := hippo.Query{Text: text, Ranker: r}
			if d := cmp.Diff(without.search(q), with.search(q), cmp.Transformer("memory", func(m *hippo.Memory) string { return m.Content })); d != "" {
				t.Errorf("%s, text %q (-without +with):\n%s", r, text, d)
			}
		}
	}
}

func TestRerank_NotWithoutTokens(t *testing.T) {
	t.Parallel()
	f := open(t, nil)
	named := turn(1, "s", "where was your holiday")
	named.Source.Author = "holiday"
	f.put(named, turn(2, "s", "lisbon and it rained"))
	a := f.search(hippo.Query{Text: "holiday", Detail: hippo.Detail{Explain: true}})
	if d := cmp.Diff([]string{"where was your holiday"}, contents(a)); d != "" || a.Total != 1 {
		t.Errorf("total %d (-want +got):\n%s", a.Total, d)
	}
	if x := a.Hits[0].Explanation; x.Reranked || x.Features != nil {
		t.Errorf("got %+v", x)
	}
}

// However long memories are, their words order them.
func TestRerank_LongMemoriesAreOrdered(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat(" filler", 400)
	for _, tokens := range []embed.TokenEmbedder{nil, &embedtest.Tokens{}} {
		f := open(t, tokens)
		f.put(turn(1, "", "fuel car"+filler), turn(2, "", "car one"+filler), turn(3, "", "two"+filler))
		if a := f.search(hippo.Query{Text: "fuel car"}); len(a.Hits) != 2 || !strings.HasPrefix(a.Hits[0].Memory.Content, "fuel") {
			t.Errorf("got %d hits, first %.10q of relevance %v", len(a.Hits), a.Hits[0].Memory.Content, a.Hits[0].Relevance)
		}
	}
}

// A memory is compared with others that may be hits: alone it is similar to nothing.
func TestRerank_FeedbackIsOfOthers(t *testing.T) {
	t.Parallel()
	f := openReranking(t, embedtest.NewWords("words"))
	f.put(turn(1, "", "petrol car"))
	of := func(q hippo.Query) []float64 {
		q.Text, q.Explain = "petrol car", true
		var out []float64
		for _, h := range f.search(q).Hits {
			out = append(out, feature(h, rank.Feedback))
		}
		return out
	}
	if got := of(hippo.Query{}); len(got) != 1 || got[0] != 0 {
		t.Errorf("alone: got %v, want 0", got)
	}
	f.put(turn(2, "", "petrol train"))
	if got := of(hippo.Query{}); len(got) != 2 || got[0] < .4 || got[1] < .4 {
		t.Errorf("of two with a word in common: got %v, want more than .4 each", got)
	}
	hidden := turn(3, "", "petrol car once more")
	hidden.Project = "other"
	f.put(hidden)
	with := of(hippo.Query{Filter: hippo.Filter{Projects: []string{"other"}}})
	if len(with) != 1 || with[0] != 0 {
		t.Errorf("beside those that a filter hides: got %v, want 0", with)
	}
}

// Contents are tokenized when they are indexed, and queries when they are searched.
func TestRerank_TokenizesOnce(t *testing.T) {
	t.Parallel()
	tokens := &embedtest.Tokens{}
	f := open(t, tokens)
	f.put(turn(1, "s", "petrol car"), turn(2, "s", "rainy days"))
	q := hippo.Query{Text: "car fuel", Detail: hippo.Detail{Explain: true}}
	for _, want := range [][]string{{"car", "car", "days", "fuel", "petrol", "rainy"}, {"car", "fuel"}} {
		f.search(q)
		if d := cmp.Diff(want, tokens.Tokenized()); d != "" {
			t.Errorf("tokenized (-want +got):\n%s", d)
		}
	}
	f.update(idOf(1), func(m *hippo.Memory) { m.Content = "purple car" })
	first := f.search(q).Hits[0]
	if d := cmp.Diff([]string{"car", "car", "fuel", "purple"}, tokens.Tokenized()); d != "" {
		t.Errorf("tokenized (-want +got):\n%s", d)
	}
	if x := feature(first, rank.MaxSim); first.Memory.Content != "purple car" || x <= 0 || x >= .7 {
		t.Errorf("%q has a similarity of %v", first.Memory.Content, x)
	}
}
