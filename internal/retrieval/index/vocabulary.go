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
func (p *partFound) postings(id uint32) list { return p.lexicon.postings(id).within(p.scope.docRange) }

// within returns the postings of a range of documents. Cost: two binary searches, and a pass over those before if some are rare.
func (l list) within(r docRange) list {
	first, end := from(l.posts, r.from), from(l.posts, r.to)
	if len(l.rare) > 0 {
		skipped := 0
		for b := l.posts[:first]; len(b) >= postSize; b = b[postSize:] {
			if b[0] == 0 {
				skipped += rareSize
			}
		}
		l.rare = l.rare[skipped:]
	}
	l.posts = l.posts[first:end]
	return l
}

// from returns where the postings begin of a document and those after it, in bytes.
func from(posts []byte, doc uint32) int {
	return postSize * sort.Search(len(posts)/postSize, func(i int) bool { return docOf(posts[i*postSize:]) >= doc })
}
