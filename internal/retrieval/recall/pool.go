package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// pool collects the candidates to be reranked: the best of the first stage, and the best of each
// list whatever the others say, so that no list is overruled by weights that do not fit the query;
// and, for a vague query, the most important of those that have most of it, see [reserveSlots].
type pool struct {
	first *firstStage
	lists []*top.List[listed]
	sizes []int // of the lists
}

const (
	// importantKept is the length of the list by importance.
	importantKept = 8
	// vagueTerms is the largest number of terms of a vague query, of those that a memory has.
	vagueTerms = 2
	// rankedChannels is the number of channels whose cosines rank: those before [retrieve.Instant], which only stands in for them.
	rankedChannels = int(retrieve.Instant)
)

// listed is a match and the score that orders a list.
type listed struct {
	by float64
	scoredMatch
}

func newPool(f *firstStage) *pool {
	p := &pool{first: f, sizes: slices.Repeat([]int{f.weights.Rerank.Lists}, 1+rankedChannels)}
	if known := knownTerms(f.Plan, f.found); known >= 1 && known <= vagueTerms { // words hardly tell which memory is meant
		p.sizes = append(p.sizes, importantKept)
	}
	for _, n := range p.sizes {
		p.lists = append(p.lists, top.New(n, p.better))
	}
	return p
}

// vague reports whether there is a list by importance.
func (p *pool) vague() bool { return len(p.lists) > byImportance }

// size is the largest number of candidates.
func (p *pool) size() int {
	return p.first.weights.Rerank.TopK + len(p.lists)*p.first.weights.Rerank.Lists
}

func (p *pool) better(a, b listed) int {
	if a.by != b.by {
		return cmp.Compare(b.by, a.by)
	}
	return p.first.better(a.scoredMatch, b.scoredMatch)
}

// scores are what orders the lists of a [pool], each by one of them.
type scores [byImportance + 1]float64

// byImportance is the number of the list by importance.
const byImportance = 1 + rankedChannels

func scoresOf(m *retrieve.Match, salience float64) scores {
	return scores{m.Score, m.Cosine, m.Multilingual, importantFirst(m, salience)}
}

func (p *pool) add(m *retrieve.Match, row *retrieve.Row, x scoredMatch) {
	scores := scoresOf(m, salienceOf(p.first.work.signals.Importance, row.Surprise))
	for i, list := range p.lists {
		by := scores[i]
		if by <= 0 {
			continue
		}
		if b := list.Bound(); b == nil || by >= b.by {
			list.Add(listed{by, x})
		}
	}
}

// top returns the candidates, best first. best are the best of the first stage, best first.
func (p *pool) top(best []scoredMatch) []scoredMatch {
	out := make([]scoredMatch, 0, p.size())
	out = append(out, firstOf(best, p.first.weights.Rerank.TopK)...)
	for _, list := range p.lists {
		for _, x := range list.Items() {
			out = append(out, x.scoredMatch)
		}
	}
	slices.SortFunc(out, func(a, b scoredMatch) int { return cmp.Compare(a.number, b.number) })
	out = slices.CompactFunc(out, func(a, b scoredMatch) bool { return a.number == b.number })
	slices.SortFunc(out, p.first.better)
	return out
}

// knownTerms is the number of terms of a query that any memory has; 0 if the query may not be vague: one of many terms, or that sets a
// range of relevance.
func knownTerms(p *Plan, found *retrieve.Result) int {
	const long = 8 // no need to look up its words
	if p.ranker != hippo.RankerHippo || p.ranged || found.Terms == 0 || found.Terms > long {
		return 0
	}
	unknown := make(map[string]bool)
	for w := range wordsIn(p.search.Text) {
		if w = strings.ToLower(w); found.Vocabulary.Unknown(w) {
			unknown[w] = true
		}
	}
	return found.Terms - len(unknown)
}

// salienceOf is how much a memory stands out, in [0, 1].
func salienceOf(importance, surprise float64) float64 { return (importance + surprise) / 2 }

// importantFirst orders matches by the share of the query that they have literally, and those of
// equal shares by their salience, half of the sum of importance and surprise; 0 for one that has nothing of it.
func importantFirst(m *retrieve.Match, salience float64) float64 {
	const steps = 100
	if m.Score == 0 {
		return 0
	}
	return math.Floor(steps*m.Coverage) + salience
}
