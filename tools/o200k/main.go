// Command o200k writes the vocabulary of package o200k from that of a Go module.
//
//	go -C tools run ./o200k FILE
package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/tiktoken-go/tokenizer"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: o200k FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "o200k:", err)
		os.Exit(1)
	}
}

// tokens is the number of tokens of o200k that stand for text; those above are marks such as that of the end.
const tokens = 199_998

func write(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = pack(f)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// pack writes the tokens in the form that package o200k reads.
func pack(w io.Writer) error {
	vocabulary, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	lengths, texts := make([]byte, 0, tokens+1), []byte(nil)
	for number := range uint(tokens) {
		token, err := vocabulary.Decode([]uint{number})
		if err != nil {
			return err
		}
		if len(token) == 0 || len(token) > math.MaxUint8 {
			return fmt.Errorf("token %d has %d bytes, want 1 to %d", number, len(token), math.MaxUint8)
		}
		lengths, texts = append(lengths, byte(len(token))), append(texts, token...)
	}
	if _, err := z.Write(append(append(lengths, 0), texts...)); err != nil {
		return err
	}
	return z.Close()
}
