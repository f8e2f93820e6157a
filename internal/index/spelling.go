package index

import (
	"unicode/utf8"
)

// Nearly reports whether a word is nearly one that a live document has: one letter
// that is missing, too many, another, or changed places with the next, in words of
// four letters or more; two in those of eight. Cost: a pass over the dictionary, some
// 20 ns a term; so it is for what goes wrong. It is asked after a search.
func (v *View) Nearly(word string) bool {
	found := false
	v.x.analyzer.Terms(word, func(term []byte) {
		most := slips(utf8.RuneCountInString(word))
		if found || most == 0 {
			return
		}
		want := []rune(string(term))
		for _, p := range v.x.parts() {
			for id := range uint32(p.terms()) {
				name := p.term(id)
				if d := len(name) - len(term); d > 4*most || d < -4*most || name[0] == wordless {
					continue
				}
				if within([]rune(string(name)), want, most) && v.last.alive(p.postings(id), p.first) > 0 {
					found = true
					return
				}
			}
		}
	})
	return found
}

// slips is how many letters may be wrong in a word of so many.
func slips(letters int) int {
	switch {
	case letters < 4:
		return 0
	case letters < 8:
		return 1
	default:
		return 2
	}
}

// within reports whether one word becomes the other by at most so many slips: the
// optimal string alignment distance (Damerau 1964).
func within(a, b []rune, most int) bool {
	if d := len(a) - len(b); d > most || d < -most {
		return false
	}
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[(i+2)%3], rows[i%3], rows[(i+1)%3]
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > most {
			return false
		}
	}
	return rows[(len(a)+1)%3][len(b)] <= most
}
