package consolidate

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// keptWeights is the number of terms of a cluster that have a weight.
	keptWeights = 64
	// labelled is the number of members in whose texts the words of a label are looked for.
	labelled = 32
	// shortest is the number of letters of a word of a label; one of a script without spaces is shorter.
	shortest = 3
)

// telling returns the terms that distinguish a cluster from the rest, with their weights: the share of the members that
// have the term, times its inverse document frequency. A term of one member of several says nothing of the others.
func (c *corpus) telling(stop pause, at []int) (map[uint32]float64, error) {
	count := make(map[uint32]int)
	for k, i := range at {
		if err := stop.at(k, checkEvery); err != nil {
			return nil, err
		}
		for _, t := range c.items[i].terms {
			count[t]++
		}
	}
	type weighted struct {
		term   uint32
		weight float64
	}
	list := make([]weighted, 0, len(count))
	for t, n := range count {
		if n > 1 || len(at) == 1 {
			list = append(list, weighted{t, float64(n) / float64(len(at)) * c.idf(t)})
		}
	}
	slices.SortFunc(list, func(a, b weighted) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.term, b.term)) })
	out := make(map[uint32]float64, keptWeights)
	for _, w := range list[:min(len(list), keptWeights)] {
		out[w.term] = w.weight
	}
	return out, nil
}

// label returns the words of the most central members whose terms have the largest weights. Of the words of one
// term the most frequent one stands for it.
func (c *corpus) label(g *group, n int) []string {
	forms := make(map[uint32]map[string]int)
	for _, m := range g.members[:min(len(g.members), labelled)] {
		for word := range strings.FieldsFuncSeq(c.items[m.at].Content, between) {
			word = strings.ToLower(word)
			if utf8.RuneCountInString(word) < shortest && word[0] < utf8.RuneSelf || !strings.ContainsFunc(word, unicode.IsLetter) {
				continue
			}
			if t, ok := c.only(word); ok && g.weights[t] > 0 {
				if forms[t] == nil {
					forms[t] = make(map[string]int)
				}
				forms[t][word]++
			}
		}
	}
	type candidate struct {
		word   string
		weight float64
	}
	list := make([]candidate, 0, len(forms))
	for t, words := range forms {
		list = append(list, candidate{mostFrequent(words), g.weights[t]})
	}
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.word, b.word)) })
	var out []string
	for _, x := range list[:min(len(list), n)] {
		out = append(out, x.word)
	}
	return out
}

// between reports whether a character separates words of a label.
func between(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' }

// only returns the term of a word; not ok if it has several or none.
func (c *corpus) only(word string) (term uint32, ok bool) {
	n := 0
	c.analyzer.Terms(word, func(t []byte) {
		if n++; !c.analyzer.Stop(string(t)) {
			term, ok = c.term(t)
		}
	})
	return term, ok && n == 1
}

// mostFrequent returns the word with the largest count, the first of the alphabet among equals.
func mostFrequent(words map[string]int) string {
	best := ""
	for w, n := range words {
		if best == "" || n > words[best] || n == words[best] && w < best {
			best = w
		}
	}
	return best
}
