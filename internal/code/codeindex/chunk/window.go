package chunk

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// tokenBytes is how many letters or digits of a word are about one token of a model.
const tokenBytes = 6

// Tokens estimates how many tokens a model makes of a text: one for each six bytes of a word of ASCII
// letters and digits that are begun, and one for each other character that is no space.
func Tokens(text []byte) (n int) {
	word := 0
	for i, c := range text {
		switch {
		case isWord(c):
			if word%tokenBytes == 0 {
				n++
			}
			word++
			continue
		case c == ' ' || '\t' <= c && c <= '\r':
		case utf8.RuneStart(c) || i == 0:
			n++
		}
		word = 0
	}
	return n
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// hasWord reports whether a text has anything but punctuation.
func hasWord(text []byte) bool {
	return bytes.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf || isWord(byte(r)) }) >= 0
}

// lines maps bytes of a text to lines.
type lines []int // where each begins

func newLines(src []byte) lines {
	l := lines{0}
	for i, c := range src {
		if c == '\n' {
			l = append(l, i+1)
		}
	}
	return l
}

// of returns the line, from 1, that a byte is in.
func (l lines) of(at int) int { return sort.Search(len(l), func(i int) bool { return l[i] > at }) }

// windows appends the chunks of a piece.
func (s *splitter) windows(out []Chunk, p piece, l lines) []Chunk {
	add := func(from, until, part int) {
		out = append(out, Chunk{From: from, Until: until, First: l.of(from), Last: l.of(max(from, until-1)), Symbol: p.symbol, Part: part})
	}
	if p.until-p.from <= MaxTokens || Tokens(s.src[p.from:p.until]) <= MaxTokens {
		add(p.from, p.until, 0)
		return out
	}
	ends := s.units(p.from, p.until)
	from, begin := p.from, 0
	for part := 0; ; part++ {
		end, n := begin, 0
		for end < len(ends) && (end == begin || n+ends[end].tokens <= MaxTokens) {
			n += ends[end].tokens
			end++
		}
		add(from, ends[end-1].until, part)
		if end == len(ends) {
			return out
		}
		begin = end
		for n = 0; begin > 0 && n+ends[begin-1].tokens <= Overlap && ends[begin-1].until-ends[begin-1].size > from; begin-- {
			n += ends[begin-1].tokens
		}
		if next := ends[end].tokens; n+next > MaxTokens { // the window would hold nothing else
			begin = end
		}
		from = ends[begin].until - ends[begin].size
	}
}

// unit is a line, or a part of one that is longer than a window.
type unit struct{ until, size, tokens int }

// units cuts a text at its lines. Between paragraphs nothing is lost: a blank line belongs to the line before.
func (s *splitter) units(from, until int) (list []unit) {
	for from < until {
		end := until
		if i := bytes.IndexByte(s.src[from:until], '\n'); i >= 0 {
			end = from + i + 1
		}
		for from < end {
			to := end
			if end-from > longLine || Tokens(s.src[from:end]) > MaxTokens {
				to = s.cutLong(from, end)
			}
			list = append(list, unit{to, to - from, Tokens(s.src[from:to])})
			from = to
		}
	}
	return list
}

// longLine is the number of bytes from which on a line is cut without counting its tokens: they are many but in white
// space, and counting what is left of it after every cut would take quadratic time.
const longLine = 16 * MaxTokens

// longPart is the number of bytes after which a line that is longer than a window is cut: no text of
// that many bytes has more tokens.
const longPart = MaxTokens

// cutLong returns where to cut a long line: not within a character.
func (s *splitter) cutLong(from, end int) int {
	to := min(from+longPart, end)
	for cut := to; cut > to-utf8.UTFMax && cut > from; cut-- {
		if cut == end || utf8.RuneStart(s.src[cut]) {
			return cut
		}
	}
	return to
}
