package token

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// WordPieceOptions adjusts a [WordPiece]; nil means all off.
type WordPieceOptions struct {
	// Lower converts letters to lower case, StripAccents removes marks from them.
	Lower, StripAccents bool
	// Unknown appends the tokens of a word that the vocabulary does not cover; nil appends
	// the unknown token.
	Unknown func(dst []int32, word []byte) []int32
}

// WordPiece splits a text into words, at spaces, around punctuation and around each
// Chinese character, and a word greedily into the longest tokens from its beginning. Those
// within a word begin with "##".
type WordPiece struct {
	vocab   Vocab
	special Special
	o       WordPieceOptions
	newer   []runeRange // see afterUnicode8
	pool    sync.Pool   // of *[]byte
}

// maxWord is the longest word, in characters, that is split into tokens; a longer one is
// unknown.
const maxWord = 100

// NewWordPiece returns a WordPiece over a vocabulary.
func NewWordPiece(v Vocab, special Special, o *WordPieceOptions) *WordPiece {
	w := &WordPiece{vocab: v, special: special, newer: parseRanges(afterUnicode8)}
	if o != nil {
		w.o = *o
	}
	w.pool.New = func() any { return new([]byte) }
	return w
}

// Special implements [Tokenizer].
func (w *WordPiece) Special() Special { return w.special }

// Encode implements [Tokenizer]. Cost: about 50 ns for a word of common text.
func (w *WordPiece) Encode(dst []int32, text string) []int32 {
	held, ok := w.pool.Get().(*[]byte)
	if !ok {
		panic("token: the pool holds a foreign value")
	}
	word := append((*held)[:0], "##"...) // the word begins after the marker
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			switch classOf(c) {
			case letter:
				if w.o.Lower && 'A' <= c && c <= 'Z' {
					c += 'a' - 'A'
				}
				word = append(word, c)
			case space:
				dst, word = w.flush(dst, word), word[:marker]
			case punctuation:
				dst = w.flush(dst, word)
				dst = w.flush(dst, append(word[:marker], c))
				word = word[:marker]
			case dropped:
			}
			continue
		}
		end := i + 1
		for end < len(text) && text[end] >= utf8.RuneSelf { // marks combine with what precedes them
			end++
		}
		dst, word = w.nonASCII(dst, word, text[i:end])
		i = end
	}
	dst = w.flush(dst, word)
	*held = word
	w.pool.Put(held)
	return dst
}

// nonASCII handles consecutive characters outside of ASCII.
func (w *WordPiece) nonASCII(dst []int32, word []byte, text string) ([]int32, []byte) {
	var buf [256]byte
	rest := append(buf[:0], text...)
	if w.o.StripAccents {
		rest = norm.NFD.AppendString(buf[:0], text)
	}
	for len(rest) > 0 {
		r, n := utf8.DecodeRune(rest)
		rest = rest[n:]
		switch w.classOf(r) {
		case space:
			dst, word = w.flush(dst, word), word[:marker]
		case punctuation:
			dst = w.flush(dst, word)
			dst = w.flush(dst, utf8.AppendRune(word[:marker], w.lower(r)))
			word = word[:marker]
		case letter:
			word = utf8.AppendRune(word, w.lower(r))
		case dropped:
		}
	}
	return dst, word
}

// classOf returns the class of a character. One of ASCII is here the base of an accented
// letter.
func (w *WordPiece) classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		return classOf(byte(r))
	case r == utf8.RuneError, unicode.In(r, unicode.Cc, unicode.Co, unicode.Cs):
		return dropped
	case r == '\u166D', r == '\U000111C9': // punctuation in Unicode 8
		return punctuation
	case r == '\u1734' && w.o.StripAccents: // a mark in Unicode 8
		return dropped
	case inRanges(w.newer, r):
		return letter
	case unicode.IsSpace(r):
		return space
	case unicode.IsPunct(r), isChinese(r):
		return punctuation
	case unicode.Is(unicode.Cf, r), w.o.StripAccents && unicode.Is(unicode.Mn, r):
		return dropped
	default:
		return letter
	}
}

func (w *WordPiece) lower(r rune) rune {
	if w.o.Lower {
		return unicode.ToLower(r)
	}
	return r
}

// marker is the length of "##".
const marker = 2

// flush appends the tokens of a word, which begins after the marker.
func (w *WordPiece) flush(dst []int32, word []byte) []int32 {
	if len(word) == marker {
		return dst
	}
	text := word[marker:]
	if len(text) > maxWord && utf8.RuneCount(text) > maxWord {
		return w.unknown(dst, text)
	}
	mark := len(dst)
	for from := 0; from < len(text); {
		end, id := w.longest(word, from)
		if end == from {
			return w.unknown(dst[:mark], text)
		}
		dst = append(dst, id)
		from = end
	}
	return dst
}

// longest returns the longest token of the word that begins at from, and its end, which
// is from if there is none. It writes the marker before the token for the lookup, and
// restores the word.
func (w *WordPiece) longest(word []byte, from int) (end int, id int32) {
	first := marker
	a, b := word[from], word[from+1]
	if from > 0 {
		first, word[from], word[from+1] = from, '#', '#'
	}
	text := word[marker:]
	end = len(text)
	for found := false; end > from; end-- {
		if end < len(text) && !utf8.RuneStart(text[end]) {
			continue
		}
		if id, found = w.vocab.ID(word[first : marker+end]); found {
			break
		}
	}
	word[from], word[from+1] = a, b
	return max(end, from), id
}

func (w *WordPiece) unknown(dst []int32, word []byte) []int32 {
	if w.o.Unknown != nil {
		return w.o.Unknown(dst, word)
	}
	return append(dst, w.special.Unknown)
}
