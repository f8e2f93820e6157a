package recall

import (
	"iter"
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
	first first
	// admitted: it may be a hit. counted: it is in the tally, with the relevance of the
	// candidate.
	admitted, counted bool
	// previous and next are the passages beside it, or -1.
	previous, next int
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
// say, in (-1, 1); 0: nothing.
type votes struct {
	list   []hippo.Feedback
	lesson float64
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
	for i, d := range sameAsTop(f, docs) {
		at[d] = i
		around = append(around, f.found.Reader.Passage(d))
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
		p.previous, p.next, p.session, p.cues = g.number(x.Before), g.number(x.After), x.Session, x.Cues
		p.features[rank.NamesAuthor] = indicator(named(x.Author))
		p.votes.list = f.found.Feedback(d)
	}
	g.complete(f, len(top))
	return g
}

// maxSameAround is how many memories that others stand for bring the memories beside them in their sessions.
const maxSameAround = 32

// sameAsTop yields memories that the top candidates stand for, with the numbers of those.
func sameAsTop(f *firstStage, top []retrieve.Doc) iter.Seq2[int, retrieve.Doc] {
	return func(yield func(int, retrieve.Doc) bool) {
		n := 0
		for i, d := range top {
			for _, other := range f.found.Same(d) {
				if n++; n > maxSameAround || !yield(i, other) {
					return
				}
			}
		}
	}
}

// fullScore is the BM25 score at which [rank.BM25Absolute] is 1.
const fullScore = 20

// complete adds the neighbours, which begin at number n, and the first-stage scores of all.
func (g *passages) complete(f *firstStage, n int) {
	reader := f.found.Reader
	for i := range g.list {
		p := &g.list[i]
		if i >= n {
			p.match, p.admitted = reader.Admit(p.match.Doc)
			if m, ok := f.found.Match(p.match.Doc); ok {
				p.match, p.counted = m, true
			}
		}
		p.Key, p.first = reader.Key(p.match.Doc), f.of(&p.match)
		if i >= n && p.counted {
			p.relevance = f.relevance(f.weights, &p.first.signals)
		}
		p.features[rank.BM25Relative], p.features[rank.Coverage], p.features[rank.Length] = p.first.bm25, p.match.Coverage, rank.BoundedLength(p.first.length)
		p.features[rank.BM25Absolute] = min(p.first.bm25, p.match.Score/fullScore)
		p.features[rank.Cosine], p.features[rank.Multilingual] = p.match.Cosine, p.match.Multilingual
		p.features[rank.CosineStandard] = f.standard[retrieve.Semantic](p.match.Cosine)
		p.features[rank.MultilingualStandard] = f.standard[retrieve.Multilingual](p.match.Multilingual)
		p.features[rank.IsForeign] = indicator(p.cues&cue.Foreign != 0)
		p.features[rank.InSession] = indicator(p.session != 0)
	}
}

// alike is the similarity from which a memory says the same as another one.
const alike = .8

// keepUnsaid leaves archived memories behind only if a passage that may be a hit and is not archived says nearly the same: what nothing else says ranks as
// if it were not archived. Cost: a comparison of vectors for each archived passage with each other one.
func (g *passages) keepUnsaid(reader retrieve.Reader) {
	var others []retrieve.Doc
	for i := range g.list {
		if p := &g.list[i]; p.admitted && !p.first.signals.Behind {
			others = append(others, p.match.Doc)
		}
	}
	for i := range g.list {
		if p := &g.list[i]; p.first.signals.Behind {
			p.first.signals.Behind = slices.ContainsFunc(others, func(d retrieve.Doc) bool { return reader.Similarity(p.match.Doc, d) >= alike })
		}
	}
}

// number returns the passage of a document, or -1.
func (g *passages) number(d retrieve.Doc) int {
	if i, ok := g.at[d]; ok {
		return i
	}
	return -1
}

// neighbour returns a passage by its number, nil for -1.
func (g *passages) neighbour(i int) *passage {
	if i < 0 {
		return nil
	}
	return &g.list[i]
}

// byID returns the passage of a memory, or nil.
func (g *passages) byID(id hippo.ID) *passage {
	if g == nil {
		return nil
	}
	for i := range g.list {
		if g.list[i].ID == id {
			return &g.list[i]
		}
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
