package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/hippo-memory/hippo/internal/base/o200k"
)

// TestPack_SameCounts compares package o200k with the library that the vocabulary is from, on the documents
// of this repository and on random texts.
func TestPack_SameCounts(t *testing.T) {
	t.Parallel()
	texts := []string{"", "\x00", "a\u200db", "  \n\n \t x", "<|endoftext|>"}
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d documents, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	draw := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		random := make([]rune, draw.IntN(100))
		for i := range random {
			random[i] = rune(draw.IntN(0xd800))
		}
		texts = append(texts, string(random))
	}
	other, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		want, err := other.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := o200k.Count(text); err != nil || got != want {
			t.Errorf("%d tokens, %v, want %d, of %.60q", got, err, want, text)
		}
	}
}

// TestPack_Same compares what is packed with the file in the repository.
func TestPack_Same(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	if err := pack(&packed); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile("../../internal/base/o200k/tokens.gz")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(packed.Bytes(), kept) {
		t.Error("internal/base/o200k/tokens.gz is not what go generate writes")
	}
}
