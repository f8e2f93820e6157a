package index

// term is a term of a query.
type term struct {
	text  string
	idf   float64
	lists []list // by part
	// variants stand for the term where a document lacks it.
	variants []variant
	// extra: the term adds to the score and not to the coverage; those come last.
	extra bool
}

// variant is a term that counts like another one, with a weight of at most 1.
type variant struct {
	weight float64
	lists  []list // by part
}

// dictionaries are those of the parts of a search.
type dictionaries []partFound

// lookup returns the postings of a term by part, and its document frequency.
func (d dictionaries) lookup(text string) (lists []list, df int) {
	lists = make([]list, len(d))
	for k := range d {
		p := &d[k]
		if id, ok := p.lexicon.find(text); ok {
			lists[k] = p.lexicon.postings(id)
			df += p.frequency(lists[k])
		}
	}
	return lists, df
}

// frequency counts the live documents of the scope that have a term.
func (d dictionaries) frequency(text string) (df int) {
	for k := range d {
		p := &d[k]
		if p.outside {
			continue
		}
		if id, ok := p.lexicon.find(text); ok {
			df += p.frequency(p.lexicon.postings(id))
		}
	}
	return df
}

// frequency counts the live documents of the scope in a list.
func (p *partFound) frequency(l list) int {
	switch {
	case p.whole:
		return l.len()
	case p.outside:
		return 0
	default:
		return l.in(p.filter.docs)
	}
}
