package screen

import "slices"

// matcher finds words in a text in one pass (Aho and Corasick 1975), without regard to the
// case of ASCII letters. It is immutable after newMatcher.
//
// A state is a beginning of a word. States are numbered breadth first; 0 is the empty one. The short ones, in which a
// text is most of the time, have a row with a transition for each class. The others have the edges of the trie alone: a
// class without an edge is looked up at the longest suffix that is a state. The phrases of instructions take .13 MB so,
// and 1.3 MB with rows for all states.
type matcher struct {
	class [256]uint8 // of a byte; 0: in no word
	width int        // number of classes
	next  []uint16   // of states with a row: by state times width plus class; with ends if a word ends there
	rows  uint16     // the number of states with a row
	edges []edge     // of state s those from first[s] to first[s+1]
	first []uint16
	// suffix is the longest proper suffix of a state that is a state.
	suffix []uint16
	// word is 1 plus the word that a state is, or 0, shorter the longest suffix of it that is a word, or 0.
	word, shorter []uint16
	// same is 1 plus the next word equal to a word, or 0.
	same []uint16
}

// ends marks the transition to a state in which a word ends.
const ends = 1 << 15

// edge leads from a state to one that is longer by a byte.
type edge struct {
	class uint8
	to    uint16 // with ends if a word ends there
}

// rowLength is the length of the longest states with a row: rows for longer ones made no text faster.
const rowLength = 2

// newMatcher returns a matcher of words, which have no upper-case ASCII letters. They have at most 32,767
// bytes together.
func newMatcher(words []string) *matcher {
	m := &matcher{same: make([]uint16, len(words))}
	m.classify(words)
	m.link(m.trie(words))
	return m
}

// classify gives each byte of a word a class.
func (m *matcher) classify(words []string) {
	m.width = 1
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
}

// node is a state of a trie that is being made.
type node struct {
	edges  []edge
	word   uint16
	length int
}

// trie returns the states of words in the order in which they were met.
func (m *matcher) trie(words []string) []node {
	nodes := make([]node, 1)
	for i := len(words) - 1; i >= 0; i-- { // of equal words the first one leads to the next
		s := uint16(0)
		for j := range len(words[i]) {
			c := m.class[words[i][j]]
			k := slices.IndexFunc(nodes[s].edges, func(e edge) bool { return e.class == c })
			if k < 0 {
				k = len(nodes[s].edges)
				nodes[s].edges = append(nodes[s].edges, edge{c, uint16(len(nodes))})
				nodes = append(nodes, node{length: j + 1})
			}
			s = nodes[s].edges[k].to
		}
		m.same[i], nodes[s].word = nodes[s].word, uint16(i+1)
	}
	return nodes
}

// link makes a trie an automaton, breadth first.
func (m *matcher) link(nodes []node) {
	n := len(nodes)
	m.edges, m.first = make([]edge, 0, n-1), make([]uint16, 0, n+1)
	m.suffix, m.word, m.shorter = make([]uint16, n), make([]uint16, n), make([]uint16, n)
	queue := make([]uint16, 1, n) // by number of a state: its node
	for s := 0; s < len(queue); s++ {
		from := nodes[queue[s]]
		m.first = append(m.first, uint16(len(m.edges)))
		for _, e := range from.edges {
			to, word := uint16(len(queue)), nodes[e.to].word
			if queue = append(queue, e.to); s > 0 {
				m.suffix[to] = m.step(m.suffix[s], e.class) &^ ends
			}
			m.word[to], m.shorter[to] = word, m.suffix[to]
			if m.word[m.suffix[to]] == 0 {
				m.shorter[to] = m.shorter[m.suffix[to]]
			}
			if word != 0 || m.shorter[to] != 0 {
				to |= ends
			}
			m.edges = append(m.edges, edge{e.class, to})
		}
		if from.length <= rowLength {
			m.row(uint16(s))
		}
	}
	m.first = append(m.first, uint16(len(m.edges)))
}

// row gives a state, whose edges are the last ones, a row: that of its suffix, but where it has an edge.
func (m *matcher) row(s uint16) {
	if s == 0 {
		m.next = make([]uint16, m.width)
	} else {
		from := int(m.suffix[s]) * m.width
		m.next = append(m.next, m.next[from:from+m.width]...)
	}
	for _, e := range m.edges[m.first[s]:] {
		m.next[int(s)*m.width+int(e.class)] = e.to
	}
	m.rows++
}

// step returns the state after a byte of a class, with ends if a word ends there.
func (m *matcher) step(s uint16, class uint8) uint16 {
	for s >= m.rows {
		for _, e := range m.edges[m.first[s]:m.first[s+1]] {
			if e.class == class {
				return e.to
			}
		}
		s = m.suffix[s]
	}
	return m.next[int(s)*m.width+int(class)]
}

// each calls found for every occurrence of a word, in the order of their ends, the longest first: the number of the
// word, and the offset behind it.
func (m *matcher) each(text string, found func(word, end int)) {
	state := uint16(0)
	for i := range len(text) {
		if c := m.class[text[i]]; state < m.rows { // nearly always; step is a call
			state = m.next[int(state)*m.width+int(c)]
		} else {
			state = m.step(state, c)
		}
		if state&ends == 0 {
			continue
		}
		state &^= ends
		for s := state; s != 0; s = m.shorter[s] {
			for w := m.word[s]; w != 0; w = m.same[w-1] {
				found(int(w)-1, i+1)
			}
		}
	}
}

// in reports whether a text contains a word.
func (m *matcher) in(text string) bool {
	state := uint16(0)
	for i := range len(text) {
		if state = m.step(state, m.class[text[i]]); state&ends != 0 {
			return true
		}
	}
	return false
}
