// Package token cuts texts into the pieces that embedding models know: WordPiece,
// as BERT does it, and SentencePiece unigrams, as XLM-R does it. Its numbers are
// those of the reference implementation, Hugging Face tokenizers; a file that asks
// for anything it does not do exactly is refused.
//
// Invariant: any text gives numbers within the vocabulary, whatever its bytes are.
package token

// Tokenizer cuts texts into pieces. It is safe for concurrent use.
type Tokenizer interface {
	// Encode appends the numbers of the pieces of text to dst, without special
	// ones, and returns the extended slice. Bytes that are not UTF-8 count as
	// U+FFFD.
	Encode(dst []int32, text string) []int32
	// Special returns the numbers of the special pieces.
	Special() Special
}

// Special are the numbers of the pieces that stand for no text: what a sequence
// begins and ends with, what fills it up, and what a word without pieces becomes.
type Special struct{ First, Last, Pad, Unknown int32 }

// Vocab looks up pieces. It is only read.
type Vocab interface {
	// ID returns the number of a piece; it must not keep the bytes.
	ID(piece []byte) (int32, bool)
}

// table is a [Vocab] in a map.
type table map[string]int32

func (t table) ID(piece []byte) (int32, bool) {
	id, ok := t[string(piece)]
	return id, ok
}
