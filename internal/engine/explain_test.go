package engine_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// place is where the channels put a memory.
type place struct {
	Content       string
	Words, Cosine int
}

func placesOf(hits []hippo.Hit) []place {
	var out []place
	for _, h := range hits {
		out = append(out, place{h.Memory.Content, h.Explanation.WordsRank, h.Explanation.CosineRank})
	}
	slices.SortFunc(out, func(a, b place) int { return int(a.Content[0]) - int(b.Content[0]) })
	return out
}

func TestSearch_ExplainsPlacesByChannel(t *testing.T) {
	t.Parallel()
	m := openTalk(t, newKept(), &wordPieces{}, engine.Model{Embedder: newFake("f"), Instant: true})
	m.put(
		turn(1, "", "a car repair"),
		turn(2, "", "b automobile mending"),
		turn(3, "", "c car sold today in the small town"),
		turn(4, "s", "d the dentist has moved"),
		turn(5, "s", "e car and boat"),
		turn(6, "", "f something else"),
	)
	q := hippo.Query{Text: "car repair", NoTouch: true}
	for _, h := range m.search(q).Hits {
		if h.Explanation != nil {
			t.Fatalf("explained without being asked: %+v", h.Explanation)
		}
	}
	q.Explain = true
	want := []place{
		{"a car repair", 1, 1},
		{"b automobile mending", 0, 1}, // as alike by meaning, by no word
		{"c car sold today in the small town", 3, 4},
		{"d the dentist has moved", 0, 0}, // stands beside e
		{"e car and boat", 2, 3},
	}
	if d := cmp.Diff(want, placesOf(m.search(q).Hits)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	q.Ranker = hippo.RankerBM25
	want = []place{{"a car repair", 1, 0}, {"c car sold today in the small town", 3, 0}, {"e car and boat", 2, 0}}
	if d := cmp.Diff(want, placesOf(m.search(q).Hits)); d != "" {
		t.Errorf("bm25 (-want +got):\n%s", d)
	}
	q.Offset, q.Count = 1, 1
	if got := m.search(q).Hits; len(got) != 1 || got[0].Explanation.WordsRank != 2 {
		t.Errorf("the second page: %+v", got)
	}
}

func TestSearch_EqualsShareAPlace(t *testing.T) {
	t.Parallel()
	m := newTalk(t)
	m.put(turn(1, "", "a red lamp"), turn(2, "", "b red lamp"), turn(3, "", "c red and blue and green"))
	want := []place{{"a red lamp", 1, 0}, {"b red lamp", 1, 0}, {"c red and blue and green", 3, 0}}
	if d := cmp.Diff(want, placesOf(m.search(hippo.Query{Text: "red lamp", Explain: true, NoTouch: true}).Hits)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestSearch_ExplainsWithoutAQuery(t *testing.T) {
	t.Parallel()
	m := newTalk(t)
	m.put(turn(1, "", "a red lamp"))
	x := m.search(hippo.Query{Explain: true, NoTouch: true}).Hits[0].Explanation
	if x == nil || x.WordsRank != 0 || x.CosineRank != 0 || x.Evidence != nil || len(x.Prior) == 0 {
		t.Errorf("got %+v", x)
	}
}

func TestSearch_ExplainsPlacesInTheGraph(t *testing.T) {
	t.Parallel()
	m := newTalk(t)
	m.put(
		turn(1, "", "a Northwind Traders moved to Lisbon"),
		turn(2, "", "b the invoice of Northwind Traders is late"),
		turn(3, "s", "c where is the invoice"),
		turn(4, "s", "d nobody knows"),
		turn(5, "", "e something else"),
	)
	hits := m.search(hippo.Query{Text: "late invoice", Ranker: hippo.RankerHybrid, Explain: true, NoTouch: true}).Hits
	by := map[float64]int{}
	for _, h := range hits {
		by[h.Signals.Graph] = h.Explanation.GraphRank
	}
	graph := slices.Sorted(maps.Keys(by))
	if len(graph) < 3 || graph[len(graph)-1] != 1 {
		t.Fatalf("the graph says %v of %v", graph, hits)
	}
	place := 0
	for _, g := range slices.Backward(graph) {
		if n := by[g]; n <= place && g > 0 || g == 0 && n != 0 {
			t.Errorf("graph %v is at place %d after %d", g, n, place)
		}
		place = by[g]
	}
	if first := by[1]; first != 1 {
		t.Errorf("the best of the graph is at place %d", first)
	}
}
