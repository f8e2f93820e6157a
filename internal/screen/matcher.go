package screen

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
	m.grow()
	for i, w := range words {
		s := 0
		for j := range len(w) {
			at := s*m.width + int(m.class[w[j]])
			if m.next[at] == 0 {
				m.next[at] = uint16(m.grow())
			}
			s = int(m.next[at])
		}
		m.words[s] = append(m.words[s], uint16(i))
	}
	m.link()
	return m
}

// grow adds a state and returns it.
func (m *matcher) grow() int {
	m.next = append(m.next, make([]uint16, m.width)...)
	m.words = append(m.words, nil)
	return len(m.words) - 1
}

// link makes the trie an automaton: a missing transition becomes that of the longest suffix
// which has one, breadth first.
func (m *matcher) link() {
	suffix := make([]uint16, len(m.words))
	queue := []uint16{0}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for c := range m.width {
			to := &m.next[int(s)*m.width+c]
			back := uint16(0)
			if s != 0 {
				back = m.next[int(suffix[s])*m.width+c] &^ ends
			}
			if *to == 0 {
				*to = back
			} else {
				suffix[*to] = back
				m.words[*to] = append(m.words[*to], m.words[back]...)
				queue = append(queue, *to)
			}
			if len(m.words[*to]) > 0 {
				*to |= ends
			}
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
