package token

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// SentencePieceFile are the parts of a SentencePiece unigram model. They are read in place
// and must not change. Tries have the layout of the Darts-clone library, units of 4 bytes.
type SentencePieceFile struct {
	// Pieces is the trie from the texts of pieces to their IDs. Only the first character of
	// a piece may be U+2581, which stands for a space.
	Pieces []byte
	// Scores are the logarithms of the probabilities of the pieces, float32 by ID, the
	// lowest last.
	Scores []byte
	// Charmap is the trie from characters to the offsets of their replacements in
	// Replacements, each of which ends with a zero byte.
	Charmap, Replacements []byte
	// Special are the IDs of the special tokens.
	Special Special
}

// SentencePiece is a unigram tokenizer of the SentencePiece library, with its normalisation:
// the longest key of the character map is replaced, spaces are collapsed, and the text
// begins with one. It needs no memory beside the file. It implements [Tokenizer].
// Source: Kudo and Richardson, SentencePiece, arXiv 1808.06226.
type SentencePiece struct {
	pieces  trie
	scores  []byte
	charmap trie
	texts   []byte
	unknown float64
	special Special
}

// NewSentencePiece returns the tokenizer of f. The error is [hippo.ErrCorrupt].
// Cost: it checks sizes only, so a damaged file may give wrong tokens, but IDs below the
// number of scores.
func NewSentencePiece(f SentencePieceFile) (*SentencePiece, error) {
	switch {
	case len(f.Pieces) == 0 || len(f.Pieces)%4 != 0:
		return nil, corrupt("pieces: a trie of %d bytes, want a positive multiple of 4", len(f.Pieces))
	case len(f.Charmap) == 0 || len(f.Charmap)%4 != 0:
		return nil, corrupt("character map: a trie of %d bytes, want a positive multiple of 4", len(f.Charmap))
	case len(f.Scores) == 0 || len(f.Scores)%4 != 0:
		return nil, corrupt("scores: %d bytes, want a positive multiple of 4", len(f.Scores))
	case f.Special.Unknown < 0 || int(f.Special.Unknown) >= len(f.Scores)/4:
		return nil, corrupt("the unknown token %d is not one of %d", f.Special.Unknown, len(f.Scores)/4)
	}
	return &SentencePiece{
		pieces: f.Pieces, scores: f.Scores, charmap: f.Charmap, texts: f.Replacements,
		unknown: float64(score(f.Scores, len(f.Scores)/4-1)) - unknownPenalty, special: f.Special,
	}, nil
}

// Special implements [Tokenizer].
func (s *SentencePiece) Special() Special { return s.special }

// Encode implements [Tokenizer].
func (s *SentencePiece) Encode(dst []int32, text string) []int32 {
	text = strings.ToValidUTF8(text, "\uFFFD")
	w := words{SentencePiece: s, ids: dst}
	for at := 0; at < len(text); {
		to, n := s.replacement(text[at:])
		for i := range len(to) {
			w.add(to[i])
		}
		at += n
	}
	w.end()
	return w.ids
}

// replacement returns the replacement of the longest key of the character map that text
// begins with, and the length of that key; its first character if there is none.
func (s *SentencePiece) replacement(text string) (to string, n int) {
	at, longest := s.charmap.root(), int32(-1)
	for i := range len(text) {
		next, value, ok := s.charmap.step(at, text[i])
		if !ok {
			break
		}
		if value >= 0 {
			longest, n = value, i+1
		}
		at = next
	}
	if longest < 0 || int(longest) >= len(s.texts) {
		_, n = utf8.DecodeRuneInString(text)
		return text[:n], n
	}
	to, _, _ = strings.Cut(string(s.texts[longest:min(int(longest)+maxReplacement, len(s.texts))]), "\x00")
	return to, n
}

// maxReplacement bounds the bytes of a replacement.
const maxReplacement = 256

// words collects the normalised words of a text and appends their tokens. No piece extends
// beyond a space, so each word is tokenized by itself.
type words struct {
	*SentencePiece
	word []byte
	best []node
	ids  []int32
}

// add adds a byte of the normalised text.
func (w *words) add(c byte) {
	if c == ' ' {
		w.end()
		return
	}
	if len(w.word) == 0 {
		w.word = append(w.word, spaceMark...)
	}
	w.word = append(w.word, c)
}

// end appends the tokens of the current word.
func (w *words) end() {
	if len(w.word) == 0 {
		return
	}
	w.best = slices.Grow(w.best[:0], len(w.word)+1)[:len(w.word)+1]
	clear(w.best)
	w.best[0].known = true
	for at := 0; at < len(w.word); {
		_, size := utf8.DecodeRune(w.word[at:])
		if w.best[at].known {
			w.extend(at, size)
		}
		at += size
	}
	w.ids = backtrack(w.ids, w.word, w.best, w.special.Unknown, nil)
	w.word = w.word[:0]
}

// extend follows every piece that begins at a position, where the character has size bytes.
func (w *words) extend(at, size int) {
	from, single := w.best[at].score, false
	children := w.pieces.root()
	for n := at; n < len(w.word); n++ {
		next, id, ok := w.pieces.step(children, w.word[n])
		if !ok {
			break
		}
		children = next
		if id < 0 || int(id) >= len(w.scores)/4 {
			continue
		}
		single = single || n+1-at == size
		relax(&w.best[n+1], node{from + float64(score(w.scores, int(id))), at, id, true})
	}
	if !single {
		relax(&w.best[at+size], node{from + w.unknown, at, -1, true})
	}
}

// score returns the score of a piece.
func score(scores []byte, id int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(scores[4*id:]))
}
