package consolidate

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/recall"
)

// judged is the number of older memories, those with the rarest words in common, whose texts a memory is compared with.
// Texts that contradict each other have nearly all words in common, so that the right one is among the first few.
const judged = 16

// rivals finds older memories that speak of the same as a newer one.
type rivals struct {
	*corpus
	// postings are the last memories that came, at least [compared], by term.
	postings map[uint32][]int
	// shared is the sum of the idf of the words in common with the current memory, by item.
	shared []float64
}

// rival is an item with what it has in common with another one.
type rival struct {
	at     int
	shared float64
}

// contradictions calls found with each pair of memories of a project that seem to contradict each other, the newest of those that
// contradict a memory last. It may miss one that is older than 64 others with the same words.
func contradictions(stop pause, c *corpus, found func(older, newer *hippo.Memory, reason string)) error {
	claims := make([]recall.Claim, len(c.items))
	var order []int
	for i := range c.items {
		if err := stop.at(i, checkTexts); err != nil {
			return err
		}
		if claims[i] = recall.ClaimOf(c.items[i].Memory); !claims[i].Empty() {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return claims[b].Compare(claims[a]) })
	r := &rivals{corpus: c, postings: make(map[uint32][]int), shared: make([]float64, len(c.items))}
	for n, at := range order {
		if err := stop.at(n, checkTexts); err != nil {
			return err
		}
		for _, x := range r.of(at) {
			if reason, ok := claims[x.at].Contradicts(claims[at]); ok {
				found(c.items[x.at].Memory, c.items[at].Memory, reason)
			}
		}
		r.add(at)
	}
	return nil
}

// of returns the older memories that have most in common with an item.
func (r *rivals) of(at int) []rival {
	var candidates []int
	for _, t := range r.items[at].terms {
		list, idf := r.postings[t], r.idf(t)
		for _, y := range list[max(0, len(list)-compared):] {
			if r.shared[y] == 0 {
				candidates = append(candidates, y)
			}
			r.shared[y] += idf
		}
	}
	best := top.New(judged, func(a, b rival) int { return cmp.Or(cmp.Compare(b.shared, a.shared), cmp.Compare(a.at, b.at)) })
	for _, y := range candidates {
		best.Add(rival{y, r.shared[y]})
		r.shared[y] = 0
	}
	return best.Sorted()
}

// add makes an item one of the older ones.
func (r *rivals) add(at int) {
	for _, t := range r.items[at].terms {
		list := r.postings[t]
		if len(list) == 2*compared {
			list = list[:copy(list, list[compared:])]
		}
		r.postings[t] = append(list, at)
	}
}

// declared finds the contradictions that somebody declared by a relation.
func (a *auditor) declared() {
	for i := range a.Relations {
		r := &a.Relations[i]
		from, to := a.holding(r.From), a.holding(r.To)
		if r.Kind != hippo.Contradicts || !r.ValidAt(a.Now) || from == nil || to == nil {
			continue
		}
		if recall.ClaimOf(from).Compare(recall.ClaimOf(to)) < 0 {
			from, to = to, from
		}
		a.contradicted(from, to, "declared by a relation")
	}
}

// holding returns a memory that is live, valid and not superseded; nil if it is not.
func (a *auditor) holding(id hippo.ID) *hippo.Memory {
	x := a.live[id]
	if x == nil || !x.SupersededBy.IsZero() || !x.ValidAt(a.Now) {
		return nil
	}
	return x.Memory
}
