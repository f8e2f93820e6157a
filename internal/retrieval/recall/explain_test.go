package recall_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
)

// ranks are those of a memory in the lists of candidates.
type ranks struct {
	Content           string
	Lexical, Semantic int
}

func ranksOf(hits []hippo.Hit) []ranks {
	var out []ranks
	for _, h := range hits {
		out = append(out, ranks{h.Memory.Content, h.Explanation.LexicalRank, h.Explanation.SemanticRank})
	}
	slices.SortFunc(out, func(a, b ranks) int { return int(a.Content[0]) - int(b.Content[0]) })
	return out
}

func TestExplain_RanksInTheLists(t *testing.T) {
	t.Parallel()
	f := openReranking(t, embedtest.NewWords("f"))
	f.put(
		turn(1, "", "a car repair"),
		turn(2, "", "b automobile mending"),
		turn(3, "", "c car sold today in the small town"),
		turn(4, "s", "d the dentist has moved"),
		turn(5, "s", "e car and boat"),
		turn(6, "", "f something else"),
	)
	q := hippo.Query{Text: "car repair"}
	for _, h := range f.search(q).Hits {
		if h.Explanation != nil {
			t.Fatalf("explained without being asked: %+v", h.Explanation)
		}
	}
	q.Explain = true
	want := []ranks{
		{"a car repair", 1, 1},
		{"b automobile mending", 0, 1}, // as similar semantically, and has no term
		{"c car sold today in the small town", 3, 4},
		{"d the dentist has moved", 0, 0}, // neighbour of e
		{"e car and boat", 2, 3},
	}
	if d := cmp.Diff(want, ranksOf(f.search(q).Hits)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	q.Ranker = hippo.RankerBM25
	want = []ranks{{"a car repair", 1, 0}, {"c car sold today in the small town", 3, 0}, {"e car and boat", 2, 0}}
	if d := cmp.Diff(want, ranksOf(f.search(q).Hits)); d != "" {
		t.Errorf("bm25 (-want +got):\n%s", d)
	}
	q.Offset, q.Count = 1, 1
	if got := f.search(q).Hits; len(got) != 1 || got[0].Explanation.LexicalRank != 2 {
		t.Errorf("the second page: %+v", got)
	}
}

func TestExplain_TiesShareARank(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	f.put(turn(1, "", "a red lamp"), turn(2, "", "b red lamp"), turn(3, "", "c red and blue and green"))
	want := []ranks{{"a red lamp", 1, 0}, {"b red lamp", 1, 0}, {"c red and blue and green", 3, 0}}
	if d := cmp.Diff(want, ranksOf(f.search(hippo.Query{Text: "red lamp", Detail: hippo.Detail{Explain: true}}).Hits)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestExplain_WithoutText(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	f.put(turn(1, "", "a red lamp"))
	x := f.search(hippo.Query{Detail: hippo.Detail{Explain: true}}).Hits[0].Explanation
	if x == nil || x.LexicalRank != 0 || x.SemanticRank != 0 || x.Features != nil || len(x.Prior) == 0 {
		t.Errorf("got %+v", x)
	}
}
