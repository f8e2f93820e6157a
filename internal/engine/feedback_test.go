package engine_test

import (
	"testing"

	"github.com/hippo-memory/hippo"
)

// A memory is compared with others that may be hits: alone it is like nothing.
func TestFeedback_OfOthers(t *testing.T) {
	t.Parallel()
	m := openTalk(t, newKept(), &wordPieces{}, instant(newFake("words")))
	m.put(turn(1, "", "petrol car"))
	of := func(q hippo.Query) []float64 {
		q.Text, q.NoTouch = "petrol car", true
		var out []float64
		for _, h := range m.search(q).Hits {
			out = append(out, h.Signals.Evidence[hippo.EvidenceFeedback])
		}
		return out
	}
	if got := of(hippo.Query{}); len(got) != 1 || got[0] != 0 {
		t.Errorf("alone: got %v, want 0", got)
	}
	m.put(turn(2, "", "petrol car again"))
	if got := of(hippo.Query{}); len(got) != 2 || got[0] < .5 || got[1] < .5 {
		t.Errorf("of two alike: got %v, want more than .5 each", got)
	}
	hidden := turn(3, "", "petrol car once more")
	hidden.Project = "other"
	m.put(hidden)
	with := of(hippo.Query{Filter: hippo.Filter{Projects: []string{"other"}}})
	if len(with) != 1 || with[0] != 0 {
		t.Errorf("beside those that a filter hides: got %v, want 0", with)
	}
}
