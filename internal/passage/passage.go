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

// Lengths are in units: a word of up to six bytes is one, each further six bytes are one more. That
// is about a token of a sentence encoder, and two characters of a script without spaces.
const (
	unitBytes = 6
	// whole is the length up to which a text is one passage, window the length of a passage
	// of a longer one, and step the distance of their beginnings. Windows of 100 to 160 units
	// were about equally good on manual pages.
	whole  = 200
	window = 160
	step   = 120
)

// Span is the range of bytes of a passage in its text.
type Span struct{ From, To int }

// Split returns the passages of a text, in order: at least one. Together they cover it, and each
// begins and ends between words, or between characters of a word that is longer than a passage.
func Split(text string) []Span {
	pieces := cut(text)
	total := 0
	for _, p := range pieces {
		total += p.units
	}
	if total <= whole {
		return []Span{{0, len(text)}}
	}
	var out []Span
	for i := 0; ; {
		to, n := i, 0
		for to < len(pieces) && (n == 0 || n+pieces[to].units <= window) {
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
		for n = 0; i < to && n < step; i++ {
			n += pieces[i].units
		}
	}
}

// Of returns the texts of the passages of a memory as models embed them: each preceded by the
// situation, which says what it is about.
func Of(m *hippo.Memory) []string {
	lead := ""
	if len(m.Situation) > 0 {
		lead = strings.Join(m.Situation, "; ") + ": "
	}
	spans := Split(m.Content)
	out := make([]string, len(spans))
	for i, s := range spans {
		out[i] = lead + m.Content[s.From:s.To]
	}
	return out
}

// piece is a word with the space after it, or a part of a long word.
type piece struct{ at, units int }

// maxPiece is the number of bytes of a word after which it is cut.
const maxPiece = 10 * unitBytes

// cut splits a text into pieces.
func cut(text string) []piece {
	var out []piece
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
