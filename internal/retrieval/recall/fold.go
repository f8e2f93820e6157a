package recall

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// fold is [retrieve.Choice.Fold] for a plan: of matches that say the same stays a pinned one, or else the one with the most votes for or
// against it as an answer to the question, or else the most relevant one, or else the newest.
func (p *Plan) fold(found *retrieve.Result) func([]retrieve.Match) retrieve.Doc {
	first, question := newFirstStage(p, found), sync.OnceValue(func() hippo.Question { return p.question(p.search.Text) })
	return func(group []retrieve.Match) retrieve.Doc {
		best := first.strength(group[0], question)
		for i := range group[1:] {
			if s := first.strength(group[1+i], question); s.compare(best) < 0 {
				best = s
			}
		}
		return best.match.Doc
	}
}

// strength is what decides which of the matches that say the same is kept.
type strength struct {
	candidate
	// within: the match takes part, and is in the range of relevance.
	within, pinned   bool
	lesson, surprise float64
}

func (f *firstStage) strength(m retrieve.Match, question func() hippo.Question) strength {
	row := f.found.Reader.Row(m.Doc)
	relevance, ok := f.rank(&m, &row)
	s := strength{candidate: candidate{f.found.Reader.Key(m.Doc), m, relevance}, within: ok && f.within.has(relevance), pinned: row.Pinned}
	if f.surprising() {
		s.surprise = row.Surprise
	}
	if list := f.found.Feedback(m.Doc); f.rerank && len(list) > 0 {
		s.lesson, _ = f.weights.Learning.Lesson(list, question(), f.search.Day)
	}
	return s
}

func (s strength) compare(o strength) int {
	return cmp.Or(
		cmp.Compare(indicator(o.within), indicator(s.within)), cmp.Compare(indicator(o.pinned), indicator(s.pinned)),
		cmp.Compare(math.Abs(o.lesson), math.Abs(s.lesson)), cmp.Compare(o.surprise, s.surprise), better(s.candidate, o.candidate),
	)
}

// sameShown is how many memories that say the same as a hit are named.
const sameShown = 10

// sameAs returns the memories that a hit stands for, the newest first.
func sameAs(found *retrieve.Result, doc retrieve.Doc) hippo.Same {
	others := found.Same(doc)
	if len(others) == 0 {
		return hippo.Same{}
	}
	keys := make([]retrieve.Key, len(others))
	for i, o := range others {
		keys[i] = found.Reader.Key(o)
	}
	slices.SortFunc(keys, retrieve.Key.Compare)
	out := hippo.Same{Count: len(keys)}
	for _, k := range firstOf(keys, sameShown) {
		out.IDs = append(out.IDs, k.ID)
	}
	return out
}
