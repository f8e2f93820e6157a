package index

import "sort"

// terms are those of a dictionary that documents of a namespace have, in their order.
type terms struct {
	lexicon *lexicon
	some    []uint32 // numbers of terms; nil: all
}

func (t terms) len() int {
	if t.some == nil {
		return t.lexicon.terms.len()
	}
	return len(t.some)
}

// at returns the number of the i-th term.
func (t terms) at(i int) uint32 {
	if t.some == nil {
		return uint32(i)
	}
	return t.some[i]
}

func (t terms) text(i int) []byte { return t.lexicon.terms.at(int(t.at(i))) }

// from returns the first term that is not less than a text.
func (t terms) from(text string) int {
	return sort.Search(t.len(), func(i int) bool { return string(t.text(i)) >= text })
}

// vocabularyOf returns the terms of a namespace. Cost: 100 ns a term of the dictionary when it is asked for the first time, unless the
// segment has no other namespace, and four bytes for each of the terms from then on.
func vocabularyOf(s *segment, t tenant) terms {
	if len(s.tenants) == 1 {
		return terms{lexicon: &s.lexicon}
	}
	if known, ok := s.vocabularies.Load(t.namespace); ok {
		return terms{&s.lexicon, known.([]uint32)} //nolint:errcheck // nothing else is stored
	}
	some := []uint32{}
	for id := range uint32(s.lexicon.terms.len()) {
		if posts := s.lexicon.postings(id).posts; from(posts, t.from) < from(posts, t.to) {
			some = append(some, id)
		}
	}
	s.vocabularies.Store(t.namespace, some)
	return terms{&s.lexicon, some}
}

// postings returns where a term occurs in the scope.
func (p *partFound) postings(id uint32) list { return p.lexicon.postings(id).within(p.scope.hull()) }
