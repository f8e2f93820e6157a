package engine

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/cue"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index"
)

const (
	// maxPieces is how many pieces of a query are compared.
	maxPieces = 512
	// leadPieces is how many pieces of a text are its beginning.
	leadPieces = 24
	// fullScore is the word score from which on a match is as strong as can be.
	fullScore = 20
)

// asking is a query as the closer look sees it.
type asking struct {
	pieces []int32
	// weights of the pieces: what they count in the model times how rare their words
	// are, and rarities alone; each adds up to 1.
	weights, rarities []float64
	compared          embed.MaxSim
	// pairs are the pieces that stand side by side, with what they weigh; most is the
	// sum.
	pairs  map[pair]float64
	most   float64
	firsts uint64 // a bit for the low bits of each first piece of a pair
	wants  cue.Cues
}

// pair is two pieces side by side.
type pair struct{ a, b int32 }

// word is a word of a query, and how rare it is among the memories.
type word struct {
	text   string
	rarity float64
}

// weighed returns the words of a query, in their order. It is asked after the search.
func weighed(v *index.View, text string) []word {
	var out []word
	for w := range wordsOf(text) {
		out = append(out, word{w, v.Rarity(w)})
	}
	return out
}

// newAsking cuts a query, which consists of words, into pieces.
func newAsking(model embed.TokenEmbedder, text string, words []word) asking {
	q := asking{wants: cue.Wanted(text), pairs: make(map[pair]float64)}
	for _, w := range words {
		from := len(q.pieces)
		if q.pieces = model.Tokenize(q.pieces, w.text); len(q.pieces) > maxPieces {
			q.pieces = q.pieces[:from]
			break
		}
		for _, p := range q.pieces[from:] {
			q.weights = append(q.weights, w.rarity*model.Weight(p))
			q.rarities = append(q.rarities, w.rarity)
		}
	}
	for i := 1; i < len(q.pieces); i++ {
		p := pair{q.pieces[i-1], q.pieces[i]}
		if _, ok := q.pairs[p]; !ok {
			q.pairs[p] = q.weights[i-1] + q.weights[i]
			q.most += q.pairs[p]
			q.firsts |= 1 << (p.a & 63)
		}
	}
	normalise(q.weights)
	normalise(q.rarities)
	q.compared = model.NewMaxSim(q.pieces)
	return q
}

// normalise makes numbers add up to 1, unless all are 0.
func normalise(list []float64) {
	total := 0.0
	for _, x := range list {
		total += x
	}
	for i := range list {
		if total > 0 {
			list[i] /= total
		}
	}
}

// sum weighs how well the pieces are met.
func sum(weights []float64, met []float32) float64 {
	total := 0.0
	for i, x := range met {
		total += float64(weights[i] * float64(x))
	}
	return total
}

// read compares the query with each passage, piece by piece.
func (c *closer) read(v *index.View) {
	defer c.query.compared.Close()
	n := len(c.query.pieces)
	if n == 0 {
		return
	}
	all := make([]float32, n*len(c.passages))
	var text []int32
	for i := range c.passages {
		p := &c.passages[i]
		p.met, all = all[:n:n], all[n:]
		text = v.Pieces(text[:0], p.match.Doc)
		c.query.meet(p, text)
	}
}

// meet gives a passage the evidence of its own text.
func (q *asking) meet(p *passage, text []int32) {
	e := &p.signals.Evidence
	lead := text[:min(leadPieces, len(text))]
	q.compared.Update(p.met, lead)
	e[hippo.EvidenceLead] = sum(q.weights, p.met)
	q.compared.Update(p.met, text[len(lead):])
	e[hippo.EvidenceInteraction] = sum(q.weights, p.met)
	e[hippo.EvidenceRare] = sum(q.rarities, p.met)
	e[hippo.EvidencePhrase] = q.phrase(text)
}

// phrase is the share of the pairs of the query that a text has.
func (q *asking) phrase(text []int32) float64 {
	if q.most == 0 {
		return 0
	}
	var seen []pair
	sum := 0.0
	for i := 1; i < len(text); i++ {
		if q.firsts&(1<<(text[i-1]&63)) == 0 {
			continue
		}
		p := pair{text[i-1], text[i]}
		if w := q.pairs[p]; w > 0 && !slices.Contains(seen, p) {
			seen = append(seen, p)
			sum += w
		}
	}
	return min(1, sum/q.most)
}

// compare completes the evidence of the passages by that of others: the best, those
// beside them, their sessions.
func (c *closer) compare() {
	var cosine, interaction float64
	for i := range c.passages {
		e := &c.passages[i].signals.Evidence
		cosine, interaction = max(cosine, e[hippo.EvidenceCosine]), max(interaction, e[hippo.EvidenceInteraction])
	}
	around := make([]float32, len(c.query.pieces))
	for i := range c.passages {
		p := &c.passages[i]
		e := &p.signals.Evidence
		e[hippo.EvidenceStrength] = min(e[hippo.EvidenceShare], p.signals.BM25/fullScore)
		if cosine > 0 {
			e[hippo.EvidenceCosineBest] = e[hippo.EvidenceCosine] / cosine
		}
		if interaction > 0 {
			e[hippo.EvidenceInteractionBest] = e[hippo.EvidenceInteraction] / interaction
		}
		c.hear(p, around)
		e[hippo.EvidenceAsks] = flag(p.cues&cue.Asks != 0)
		e[hippo.EvidenceTellsTime] = flag(p.cues&c.query.wants&cue.TellsTime != 0)
		e[hippo.EvidenceTellsNumber] = flag(p.cues&c.query.wants&cue.TellsNumber != 0)
		e[hippo.EvidenceTellsName] = flag(p.cues&c.query.wants&cue.TellsName != 0)
	}
	c.sessions()
}

// hear gives a passage the evidence of those beside it. around is working memory.
func (c *closer) hear(p *passage, around []float32) {
	before, after := c.passage(p.before), c.passage(p.after)
	if before == nil && after == nil {
		return
	}
	e := &p.signals.Evidence
	copy(around, p.met)
	if before != nil {
		b := &before.signals.Evidence
		e[hippo.EvidenceBeforeShare], e[hippo.EvidenceBeforeCosine] = b[hippo.EvidenceShare], b[hippo.EvidenceCosine]
		e[hippo.EvidenceBeforeInteraction] = b[hippo.EvidenceInteraction]
		e[hippo.EvidenceReply] = flag(before.cues&cue.Asks != 0) * b[hippo.EvidenceInteraction]
		raise(around, before.met)
		e[hippo.EvidenceCompleted] = sum(c.query.weights, around) - e[hippo.EvidenceInteraction]
		raise(around, c.metBy(before.before))
	}
	if after != nil {
		e[hippo.EvidenceAfterCosine] = after.signals.Evidence[hippo.EvidenceCosine]
		raise(around, after.met)
		raise(around, c.metBy(after.after))
	}
	e[hippo.EvidenceAround] = sum(c.query.weights, around) - e[hippo.EvidenceInteraction]
}

// passage returns a passage by its number, nil for -1.
func (c *closer) passage(i int) *passage {
	if i < 0 {
		return nil
	}
	return &c.passages[i]
}

// metBy returns how well a passage meets the query; nil for -1.
func (c *closer) metBy(i int) []float32 {
	if i < 0 {
		return nil
	}
	return c.passages[i].met
}

// raise makes numbers at least as high as others.
func raise(dst, by []float32) {
	for i, x := range by {
		dst[i] = max(dst[i], x)
	}
}

func flag(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// bestOfSession is how many memories speak for their session.
const bestOfSession = 3

// sessions gives each passage the evidence of its session.
func (c *closer) sessions() {
	found := make(map[uint32][]float64)
	for i := range c.passages {
		if p := &c.passages[i]; p.session != 0 {
			e := &p.signals.Evidence
			found[p.session] = append(found[p.session], (e[hippo.EvidenceShare]+e[hippo.EvidenceCosine]+e[hippo.EvidenceInteraction])/3)
		}
	}
	mean := make(map[uint32]float64, len(found))
	for n, list := range found {
		slices.SortFunc(list, func(a, b float64) int { return cmp.Compare(b, a) })
		total := 0.0
		for _, x := range list[:min(bestOfSession, len(list))] {
			total += x
		}
		mean[n] = total / bestOfSession
	}
	for i := range c.passages {
		p := &c.passages[i]
		p.signals.Evidence[hippo.EvidenceSession] = mean[p.session]
	}
}
