package index

// Memories is the number of live documents.
func (v *View) Memories() int { return v.x.rows.live.Docs }

// Asked is the number of distinct terms that the latest search looked for, function
// words left out; 0 if its query had no text.
func (v *View) Asked() int { return len(v.last.terms) }

// Unknown reports whether a word that is no function word occurs in no live document,
// whole or in part. It is asked after a search.
func (v *View) Unknown(word string) bool {
	x, terms, known := v.x, 0, false
	x.analyzer.Terms(word, func(term []byte) {
		terms++
		known = known || x.analyzer.Stop(string(term))
		for _, p := range x.parts() {
			if known {
				return
			}
			if id, ok := p.find(string(term)); ok {
				known = v.last.alive(p.postings(id), p.first) > 0
			}
		}
	})
	return terms > 0 && !known
}
