package recall_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hippo-memory/hippo"
)

// chats returns notes of low importance that have a word, and one decision that does.
func chats(n int) []*hippo.Memory {
	var out []*hippo.Memory
	for i := range n {
		m := turn(i+1, "", fmt.Sprintf("auth auth chat%d", i))
		m.Importance = hippo.Importance{Base: .3, Value: .3}
		out = append(out, m)
	}
	decision := turn(n+1, "", "the gateway signs short tokens instead of sessions on the server, which ends the debate on auth that took us all of spring")
	decision.Importance = hippo.Importance{Base: .8, Value: .8}
	return append(out, decision)
}

// TestReserve_VagueQuestion: of many memories that a vague query fits equally, the most important
// one is among the first five, once, and says why; what is asked precisely stays as it is.
func TestReserve_VagueQuestion(t *testing.T) {
	t.Parallel()
	const decision = "the gateway signs short tokens instead of sessions on the server, which ends the debate on auth that took us all of spring"
	at := func(ms []*hippo.Memory, query string) (place int, a *hippo.Answer) {
		f := openReranking(t)
		f.put(ms...)
		a = f.search(hippo.Query{Text: query, Detail: hippo.Detail{Explain: true}, Count: 50})
		return slices.Index(contents(a), decision), a
	}
	ms := chats(19)
	place, a := at(ms, "tell me about auth")
	if place < 0 || place > 4 || place > 1 && a.Hits[place].Explanation.Via != hippo.ViaImportance {
		t.Errorf("the decision is at place %d of %q", place, contents(a))
	}
	if a.Total != 20 || a.Distribution.Sum() != 20 || len(a.Hits) != 20 {
		t.Errorf("total %d, distribution %v, %d hits, want 20", a.Total, a.Distribution, len(a.Hits))
	}
	if !slices.IsSortedFunc(a.Hits, func(x, y hippo.Hit) int { return int(1e9 * (y.Relevance - x.Relevance)) }) {
		t.Error("the hits are not in the order of their relevance")
	}
	precise := []string{"auth chat7", "auth debate"}
	for _, query := range precise {
		for i, h := range func() []hippo.Hit { _, a := at(ms, query); return a.Hits }() {
			if h.Explanation.Via == hippo.ViaImportance {
				t.Errorf("%q: reserved place %d", query, i)
			}
		}
	}
	for _, m := range ms {
		m.Importance = hippo.Importance{Base: .5, Value: .5}
	}
	if _, a := at(ms, "tell me about auth"); slices.ContainsFunc(a.Hits, func(h hippo.Hit) bool { return h.Explanation.Via == hippo.ViaImportance }) {
		t.Error("a reserved place among memories of equal importance")
	}
	if _, a := at(chats(5), "tell me about auth"); slices.ContainsFunc(a.Hits, func(h hippo.Hit) bool { return h.Explanation.Via == hippo.ViaImportance }) {
		t.Error("a reserved place among a handful")
	}
}
