// Package passage splits long texts into overlapping passages, which are embedded and found each
// by itself: the vector of a whole page is near to nothing that one sentence of it says. It is
// pure, so the passages of a text are the same wherever they are computed.
package passage

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
)

// unitBytes is the unit of lengths: a word of up to six bytes is one, each further six bytes are one more. That is about a token of a
// sentence encoder, and two characters of a script without spaces.
const unitBytes = 6

// sizes are the lengths in units up to which a text is one passage, of a passage of a longer one, and of the distance of their beginnings.
type sizes struct{ whole, window, step int }

// Notes are embedded by the passage, because a vector of fewer words says more of each: of notes inside notes of 100, 500 and 2,000 words the
// answer was in sight in .94, .84 and .71 of the cases, and in .89, .78 and .66 with the sizes for code, which needs its context: recall@10 of
// functions is .80 with theirs, and .77 with those of prose. Windows of 40 and 48 units found no more.
var (
	prose = sizes{whole: 100, window: 64, step: 48}   //nolint:gochecknoglobals // constants
	code  = sizes{whole: 200, window: 160, step: 120} //nolint:gochecknoglobals // constants
)

// sizesOf returns the sizes for a text.
func sizesOf(text string, words int) sizes {
	if isCode(text, words) {
		return code
	}
	return prose
}

// isCode reports whether one in five of the words and signs of a text is a sign of source code. On the development sets 97 of 100
// functions have more, and 8 of 100 manual pages.
func isCode(text string, words int) bool {
	const share = 5
	signs := 0
	for i := range len(text) {
		switch text[i] {
		case '(', ')', '{', '}', '[', ']', '=', '_', ';', '<', '>':
			signs++
		}
	}
	return share*signs >= words+signs
}

// Span is the range of bytes of a passage in its text.
type Span struct{ From, To int }

// Split returns the passages of a text, in order: at least one. Together they cover it, and each
// begins and ends between words, or between characters of a word that is longer than a passage.
func Split(text string) []Span {
	if len(text) < 2*prose.whole { // a word and the space after it are two bytes a unit, at least
		return []Span{{0, len(text)}}
	}
	pieces := cut(text)
	total := 0
	for _, p := range pieces {
		total += p.units
	}
	size := sizesOf(text, len(pieces))
	if total <= size.whole {
		return []Span{{0, len(text)}}
	}
	var out []Span
	for i := 0; ; {
		to, n := i, 0
		for to < len(pieces) && (n == 0 || n+pieces[to].units <= size.window) {
			n += pieces[to].units
			to++
		}
		end := len(text)
		if to < len(pieces) {
			end = pieces[to].at
		}
		out = append(out, Span{pieces[i].at, end})
		if to == len(pieces) {
			out[0].From = 0
			return out
		}
		for n = 0; i < to && n < size.step; i++ {
			n += pieces[i].units
		}
	}
}

// Texts returns the passages of a text, see [Split].
func Texts(text string) []string {
	spans := Split(text)
	out := make([]string, len(spans))
	for i, s := range spans {
		out[i] = text[s.From:s.To]
	}
	return out
}

// Of returns the texts of the passages of a memory as models embed them: each preceded by the
// situation, which says what it is about.
func Of(m *hippo.Memory) []string {
	lead := ""
	if len(m.Situation) > 0 {
		lead = strings.Join(m.Situation, "; ") + ": "
	}
	out := Texts(m.Content)
	for i := range out {
		out[i] = lead + out[i]
	}
	return out
}

// piece is a word with the space after it, or a part of a long word.
type piece struct{ at, units int }

// maxPiece is the number of bytes of a word after which it is cut.
const maxPiece = 10 * unitBytes

// cut splits a text into pieces.
func cut(text string) []piece {
	out := make([]piece, 0, len(text)/unitBytes)
	from, word := 0, 0 // of the piece, and the bytes of its word
	space := false
	for i, r := range text {
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case space && word > 0, word >= maxPiece:
			out = append(out, piece{from, units(word)})
			from, word = i, 0
		}
		space = false
		word += utf8.RuneLen(r)
	}
	if word > 0 {
		out = append(out, piece{from, units(word)})
	}
	return out
}

func units(bytes int) int { return (bytes + unitBytes - 1) / unitBytes }
