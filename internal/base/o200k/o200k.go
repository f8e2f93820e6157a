// Package o200k counts tokens as the models with the vocabulary o200k do, offline.
package o200k

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"sync"

	"github.com/pkoukk/tiktoken-go"
)

//go:generate go -C ../../../tools run ./o200k ../internal/base/o200k/tokens.gz

// compressed holds the tokens in the order of their numbers from 0: the length of each in bytes, a byte, then a zero,
// then their bytes; all in gzip. Lengths apart from texts take a tenth less.
//
//go:embed tokens.gz
var compressed []byte

// pattern splits a text into the pieces within which tokens are merged: "pat_str" of o200k_base in
// openai/tiktoken, tiktoken_ext/openai_public.py.
const pattern = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
	`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
	`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// Count returns the number of tokens of a text. The first call unpacks the vocabulary, which takes some tenths of a
// second and 60 MB. It is safe for concurrent use.
func Count(text string) (int, error) {
	t, err := vocabulary()
	if err != nil {
		return 0, err
	}
	return len(t.EncodeOrdinary(text)), nil
}

//nolint:gochecknoglobals // it is unpacked once and never changes
var vocabulary = sync.OnceValues(func() (*tiktoken.Tiktoken, error) {
	ranks, err := unpack(compressed)
	if err != nil {
		return nil, fmt.Errorf("vocabulary o200k: %w", err)
	}
	merges, err := tiktoken.NewCoreBPE(ranks, nil, pattern)
	if err != nil {
		return nil, err
	}
	return tiktoken.NewTiktoken(merges, &tiktoken.Encoding{Name: tiktoken.MODEL_O200K_BASE}, nil), nil
})

// unpack returns the number of each token.
func unpack(compressed []byte) (map[string]int, error) {
	z, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	lengths, texts, _ := bytes.Cut(all, []byte{0})
	ranks := make(map[string]int, len(lengths))
	for number, n := range lengths {
		if int(n) > len(texts) {
			return nil, io.ErrUnexpectedEOF
		}
		ranks[string(texts[:n])] = number
		texts = texts[n:]
	}
	return ranks, nil
}
