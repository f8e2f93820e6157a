package screen

import "slices"

// matcher finds words in a text in one pass (Aho and Corasick 1975), without regard to the
// case of ASCII letters. It is immutable after newMatcher.
type matcher struct {
	class [256]uint8 // of a byte; 0: in no word
	width int        // number of classes
	next  []uint16   // by state times width plus class; with ends if a word ends there
	words [][]uint16 // the words that end in a state, the longest first
}

// ends marks the transition to a state in which a word ends.
const ends = 1 << 15

// newMatcher returns a matcher of words, which have no upper-case ASCII letters. They have at most 32,767
// bytes together.
func newMatcher(words []string) *matcher {
	m := &matcher{width: 1}
	for _, w := range words {
		for i := range len(w) {
			if m.class[w[i]] == 0 {
				m.class[w[i]] = uint8(m.width)
				m.width++
			}
		}
	}
	for c := byte('a'); c <= 'z'; c++ {
		m.class[c-'a'+'A'] = m.class[c]
	}
	children := [][]edge{nil} // of each state of a trie; 0 is its root
	m.words = [][]uint16{nil}
	for i, w := range words {
		s := uint16(0)
		for j := range len(w) {
			c := m.class[w[j]]
			k := slices.IndexFunc(children[s], func(e edge) bool { return e.class == c })
			if k < 0 {
				k = len(children[s])
				children[s] = append(children[s], edge{c, uint16(len(children))})
				children, m.words = append(children, nil), append(m.words, nil)
			}
			s = children[s][k].to
		}
		m.words[s] = append(m.words[s], uint16(i))
	}
	m.link(children)
	return m
}

// edge leads from a state of a trie to another.
type edge struct {
	class uint8
	to    uint16
}

// link makes a trie an automaton, breadth first: a state has the transitions of the state of its longest suffix, but
// where it has its own.
func (m *matcher) link(children [][]edge) {
	m.next = make([]uint16, len(children)*m.width)
	suffix := make([]uint16, len(children))
	queue := make([]uint16, 1, len(children))
	for i := 0; i < len(queue); i++ {
		s := int(queue[i])
		row, shorter := m.next[s*m.width:(s+1)*m.width], int(suffix[s])
		copy(row, m.next[shorter*m.width:])
		for _, e := range children[s] {
			if s != 0 {
				suffix[e.to] = row[e.class] &^ ends
			}
			m.words[e.to] = append(m.words[e.to], m.words[suffix[e.to]]...)
			row[e.class] = e.to
			if len(m.words[e.to]) > 0 {
				row[e.class] |= ends
			}
			queue = append(queue, e.to)
		}
	}
}

// each calls found for every occurrence of a word, in the order of their ends: the number of the
// word, and the offset behind it.
func (m *matcher) each(text string, found func(word, end int)) {
	state := uint16(0)
	for i := range len(text) {
		state = m.next[int(state&^ends)*m.width+int(m.class[text[i]])]
		if state&ends != 0 {
			for _, w := range m.words[state&^ends] {
				found(int(w), i+1)
			}
		}
	}
}

// in reports whether a text contains a word.
func (m *matcher) in(text string) bool {
	state := uint16(0)
	for i := range len(text) {
		if state = m.next[int(state)*m.width+int(m.class[text[i]])]; state&ends != 0 {
			return true
		}
	}
	return false
}
