// Package token tokenizes texts for models: WordPiece, as BERT does, SentencePiece unigrams, as
// XLM-RoBERTa does, and byte-level BPE, as GPT-2 and Qwen2 do. The token IDs are those of the reference
// implementation, Hugging Face tokenizers; a file that asks for anything that is not
// implemented exactly is refused.
//
// Invariant: any text gives IDs within the vocabulary, whatever its bytes are.
package token

// Tokenizer tokenizes texts. It is safe for concurrent use.
type Tokenizer interface {
	// Encode appends the IDs of the tokens of text to dst, without special tokens, and
	// returns the extended slice. Bytes that are not UTF-8 count as U+FFFD.
	Encode(dst []int32, text string) []int32
	// Special returns the IDs of the special tokens.
	Special() Special
}

// Special are the IDs of the tokens that stand for no text: the first and the last of a
// sequence ([CLS] and [SEP], or <s> and </s>), padding, and a word outside of the
// vocabulary. Those of a tokenizer that has none are negative.
type Special struct{ First, Last, Pad, Unknown int32 }

// Vocab is a read-only vocabulary.
type Vocab interface {
	// ID returns the ID of a token; it must not keep the bytes.
	ID(token []byte) (int32, bool)
}

// mapVocab is a [Vocab] in a map.
type mapVocab map[string]int32

func (v mapVocab) ID(token []byte) (int32, bool) {
	id, ok := v[string(token)]
	return id, ok
}
