// Package o200k counts tokens as the models with the vocabulary o200k do, offline.
package o200k

import (
	"sync"

	"github.com/tiktoken-go/tokenizer"
)

// Count returns the number of tokens of a text. It is safe for concurrent use.
func Count(text string) (int, error) {
	v, err := vocabulary()
	if err != nil {
		return 0, err
	}
	return v.Count(text)
}

//nolint:gochecknoglobals // it is built once and never changes
var vocabulary = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })
