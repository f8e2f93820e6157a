package index

import (
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/detect"
)

const (
	// joinWeight is the weight of a word that neighbours in the query form together. Chosen on the
	// development sets.
	joinWeight = .5
	// functionWeight is the weight of the function words of other languages than English. In a
	// store of several languages they find what is in the same one. Chosen on the development sets.
	functionWeight = .5
	// maxExpanded is the number of terms of a query that get variants by expansion, maxCompounds that
	// of the terms that are looked for in compounds, maxJoined that of the words of a query that are
	// joined.
	maxExpanded  = 8
	maxCompounds = 16
	maxJoined    = 16
)

// queryTerms are the terms of a query.
type queryTerms struct {
	list     []term
	counted  int // of list that are not extra
	totalIDF float64
	most     float64 // the bound of the score
}

// resolve analyses a text and finds its terms, each once, in the order of their first occurrence.
func (q *queryTerms) resolve(text string, o *Options, stats bm25.Stats, in dictionaries) {
	*q = queryTerms{list: q.list[:0]}
	var languages detect.Set
	if !o.Literal {
		languages = in.languagesOf(text, stats.Docs)
	}
	q.analyse(text, o.Analyzer, languages)
	expanded := 0
	for i := range q.list {
		t := &q.list[i]
		df := 0
		t.lists, df = in.lookup(t.text)
		df = max(df, in.stems(t))
		if i < maxCompounds && languages&compounding() != 0 && !t.function {
			if n := in.compounds(t); df == 0 {
				df = n
			}
		}
		if df == 0 && expanded < maxExpanded && !o.Literal {
			df = min(in.expand(t), stats.Docs)
			expanded++
		}
		// A word that no memory has counts like one that one memory has: in a small
		// store it would outweigh all that was found.
		idf := bm25.IDF(stats.Docs, max(df, 1))
		if t.function {
			idf *= functionWeight
		}
		q.add(t, idf, o.Params)
		q.totalIDF += idf
	}
	if q.counted = len(q.list); !o.Literal {
		q.join(text, o, stats.Docs, in)
	}
}

// add notes what a term may add to the score.
func (q *queryTerms) add(t *term, idf float64, p *bm25.Params) {
	t.idf = idf
	q.most += float64(idf * (p.K1 + 1))
}

// analyse finds the terms of a query, without stop words if it has others, and their stems in the
// languages that it may be in.
func (q *queryTerms) analyse(text string, a bm25.Analyzer, languages detect.Set) {
	only := languages.Only()
	places := make(map[string]int) // of terms in the list
	stops := 0
	for word := range strings.FieldsSeq(text) {
		function := only != detect.Unknown && detect.HintOf(word).FunctionWord(only)
		a.Terms(word, func(b []byte) {
			if _, ok := places[string(b)]; ok {
				return
			}
			t := term{text: string(b), stop: a.Stop(string(b)), function: function}
			if t.stop {
				stops++
			}
			places[t.text] = len(q.list)
			q.list = append(q.list, t)
		})
		for l := range languages.All() {
			a.Stems(l, word, func(b, stem []byte) {
				if at, ok := places[string(b)]; ok {
					q.list[at].addStem(string(stem))
				}
			})
		}
	}
	if stops > 0 && stops < len(q.list) {
		q.list = slices.DeleteFunc(q.list, func(t term) bool { return t.stop })
	}
}

// join adds the terms that two or three neighbours, or all words, of a query form together
// (new cipher: NewCipher), if some document has them.
func (q *queryTerms) join(text string, o *Options, docs int, in dictionaries) {
	words := strings.Fields(text)
	if len(words) < 2 || len(words) > maxJoined {
		return
	}
	for i := range words {
		for n := 2; i+n <= len(words); n++ {
			if n > 3 && n < len(words) {
				continue
			}
			joined, terms := "", 0
			o.Analyzer.Terms(strings.Join(words[i:i+n], ""), func(b []byte) { joined, terms = string(b), terms+1 })
			if terms != 1 || slices.ContainsFunc(q.list, func(t term) bool { return t.text == joined }) {
				continue
			}
			if df := in.frequency(joined); df > 0 {
				t := term{text: joined, extra: true}
				t.lists, _ = in.lookup(joined)
				q.add(&t, joinWeight*bm25.IDF(docs, df), o.Params)
				q.list = append(q.list, t)
			}
		}
	}
}
