package index

import (
	"math/bits"
	"unicode/utf8"
)

// speller finds terms within an edit distance of a word: the optimal string alignment distance, in
// which an insertion, a deletion, a substitution and a swap of neighbours count one each. Sources:
// Damerau 1964; the bit-parallel computation is from Hyyrö, A Bit-Vector Algorithm for Computing
// Levenshtein and Damerau Edit Distances, 2003.
type speller struct {
	ascii   [utf8.RuneSelf]uint64 // by character: the places in the word that hold it
	others  map[rune]uint64
	letters int       // of the word, at most 64
	sign    signature // of the word
	limit   int
}

// newSpeller returns the speller for a word of at most [bm25.MaxTerm] bytes.
func newSpeller(word []byte, limit int) *speller {
	s := &speller{sign: signatureOf(word), limit: limit}
	for _, r := range string(word) {
		at := uint64(1) << s.letters
		s.letters++
		if r < utf8.RuneSelf {
			s.ascii[r] |= at
			continue
		}
		if s.others == nil {
			s.others = make(map[rune]uint64)
		}
		s.others[r] |= at
	}
	return s
}

// maxEdits is the number of edits that make a typo in a word of this many letters.
func maxEdits(letters int) int {
	switch {
	case letters < 4:
		return 0
	case letters < 8:
		return 1
	default:
		return 2
	}
}

// signature is what rules most terms out: the number of characters of a term in the upper 6 bits, at
// most 63, and the set of its characters below, modulo 26 and all that are not ASCII as one.
type signature uint32

const setBits = 26

func signatureOf(term []byte) signature {
	set, letters := uint32(0), uint32(0)
	for _, c := range term {
		switch {
		case c < utf8.RuneSelf:
			set |= 1 << (c & 31 % setBits)
			letters++
		case utf8.RuneStart(c):
			set |= 1
			letters++
		}
	}
	return signature(min(letters, 63)<<setBits | set)
}

// possible reports whether a term of a signature may be within the limit: an edit changes the length
// by one at most, and so the number of characters that one word has and the other has not.
func (s *speller) possible(of signature) bool {
	const set = 1<<setBits - 1
	d := int(of>>setBits) - int(s.sign>>setBits)
	return d <= s.limit && -d <= s.limit &&
		bits.OnesCount32(uint32(of&^s.sign)&set) <= s.limit && bits.OnesCount32(uint32(s.sign&^of)&set) <= s.limit
}

// distance returns the distance of a term.
func (s *speller) distance(term []byte) int {
	if s.letters == 0 {
		return utf8.RuneCount(term)
	}
	distance, top := s.letters, uint64(1)<<(s.letters-1)
	increased, decreased := ^uint64(0), uint64(0) // vertical differences of the column
	var diagonal, before uint64
	for _, r := range string(term) {
		at := s.places(r)
		swapped := ((^diagonal & at) << 1) & before
		diagonal = (((at & increased) + increased) ^ increased) | at | decreased | swapped
		up, down := decreased|^(diagonal|increased), diagonal&increased
		if up&top != 0 {
			distance++
		}
		if down&top != 0 {
			distance--
		}
		up, down = up<<1|1, down<<1
		increased, decreased, before = down|^(diagonal|up), up&diagonal, at
	}
	return distance
}

// places returns where in the word a character is.
func (s *speller) places(r rune) uint64 {
	if r < utf8.RuneSelf {
		return s.ascii[r]
	}
	return s.others[r]
}
