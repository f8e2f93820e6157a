package recall

import (
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// passage is a memory that is reranked: one of the best candidates, or a neighbour of one in
// its session.
type passage struct {
	candidate
	first
	// admitted: it may be a hit. counted: it is in the tally, with the relevance of the
	// candidate.
	admitted, counted bool
	// previous and next are the passages beside it, or nil.
	previous, next *passage
	session        uint32
	cues           cue.Cues
	similarities   []float32 // the highest cosine of each token of the query; nil: not read
	features       rank.Features
	weights        rank.Weighing
	votes          votes
}

// sum is the weighted sum of the features.
func (p *passage) sum() float64 { return p.weights.Sum(&p.features) }

// votes are those on a passage and its openings. lesson is what those on questions near the query
// say, in (-1, 1); 0: nothing. proven: they put a candidate before all others.
type votes struct {
	list   []hippo.Feedback
	lesson float64
	proven bool
}

// passages are those of one search.
type passages struct {
	list []passage // the top candidates, best first, then their neighbours
	// at has the number of each, and by a document that a candidate stands for that of the candidate.
	at map[retrieve.Doc]int
	// context is that of the top candidates, which are the first ones.
	context rank.Context
	top     int
}

// gatherPassages returns the top candidates and their neighbours with the features of the
// first stage.
func gatherPassages(f *firstStage, top []scoredMatch) *passages {
	docs := make([]retrieve.Doc, len(top), 3*len(top))
	about := make([]retrieve.Passage, len(top), 3*len(top))
	at := make(map[retrieve.Doc]int, 3*len(top))
	for i, x := range top {
		d := f.found.Matches[x.number].Doc
		docs[i], about[i], at[d] = d, f.found.Reader.Passage(d), i
	}
	around := slices.Clip(about)
	for i, d := range docs {
		for _, same := range f.found.Same(d) {
			if len(around) < len(top)+maxSameAround {
				at[same] = i
				around = append(around, f.found.Reader.Passage(same))
			}
		}
	}
	for i := range around {
		for _, d := range [...]retrieve.Doc{around[i].Before, around[i].After} {
			if _, ok := at[d]; !ok && d != retrieve.None {
				at[d] = len(docs)
				docs, about = append(docs, d), append(about, f.found.Reader.Passage(d))
			}
		}
	}
	g := &passages{at: at, list: make([]passage, len(docs)), top: len(top)}
	named := namesAuthor(f.search.Text)
	for i, d := range docs {
		x, p := &about[i], &g.list[i]
		if p.match.Doc = d; i < len(top) {
			p.candidate, p.counted, p.admitted = f.candidate(top[i]), true, true
		}
		p.previous, p.next, p.session, p.cues = g.of(x.Before), g.of(x.After), x.Session, x.Cues
		p.features[rank.NamesAuthor] = indicator(named(x.Author))
		p.votes.list = f.found.Feedback(d)
	}
	g.complete(f)
	return g
}

// maxSameAround is how many memories that others stand for bring the memories beside them in their sessions.
const maxSameAround = 32

// fullScore is the BM25 score at which [rank.BM25Absolute] is 1.
const fullScore = 20

// complete adds the neighbours and the first-stage scores of all.
func (g *passages) complete(f *firstStage) {
	reader := f.found.Reader
	for i := range g.list {
		p := &g.list[i]
		if i >= g.top {
			p.match, p.admitted = reader.Admit(p.match.Doc)
			if m, ok := f.found.Match(p.match.Doc); ok {
				p.match, p.counted = m, true
			}
		}
		p.Key, p.first = reader.Key(p.match.Doc), f.of(&p.match)
		if i >= g.top && p.counted {
			p.relevance = f.relevance(f.weights, &p.signals)
		}
		x := &p.features
		x[rank.BM25Relative], x[rank.BM25Absolute], x[rank.Coverage] = p.bm25, min(p.bm25, p.match.Score/fullScore), p.match.Coverage
		x[rank.Cosine], x[rank.CosineStandard] = p.match.Cosine, f.standard[retrieve.Semantic](p.match.Cosine)
		x[rank.Multilingual], x[rank.MultilingualStandard] = p.match.Multilingual, f.standard[retrieve.Multilingual](p.match.Multilingual)
		x[rank.Length] = rank.BoundedLength(p.length)
		x[rank.IsForeign], x[rank.InSession] = indicator(p.cues&cue.Foreign != 0), indicator(p.session != 0)
	}
}

// alike is the similarity from which a memory says the same as another one.
const alike = .8

// keepUnsaid leaves archived memories behind only if a passage that may be a hit and is not archived says nearly the same: what nothing else says ranks as
// if it were not archived. Cost: a comparison of vectors for each archived passage with each other one.
func (g *passages) keepUnsaid(reader retrieve.Reader) {
	var others []retrieve.Doc
	for i := range g.list {
		if p := &g.list[i]; p.admitted && !p.signals.Behind {
			others = append(others, p.match.Doc)
		}
	}
	for i := range g.list {
		if p := &g.list[i]; p.signals.Behind {
			p.signals.Behind = slices.ContainsFunc(others, func(d retrieve.Doc) bool { return reader.Similarity(p.match.Doc, d) >= alike })
		}
	}
}

// of returns the passage of a document, or of the one that stands for it; nil if there is none.
func (g *passages) of(d retrieve.Doc) *passage {
	if g == nil {
		return nil
	}
	if i, ok := g.at[d]; ok {
		return &g.list[i]
	}
	return nil
}

// namesAuthor returns a function that reports whether a text names an author: by the whole
// name, or by its first word.
func namesAuthor(text string) func(string) bool {
	words := make(map[string]bool)
	for w := range wordsIn(strings.ToLower(text)) {
		words[w] = true
	}
	known := make(map[string]bool)
	return func(author string) bool {
		if author == "" {
			return false
		}
		is, ok := known[author]
		if !ok {
			for first := range wordsIn(strings.ToLower(author)) {
				is = words[first]
				break
			}
			known[author] = is
		}
		return is
	}
}
