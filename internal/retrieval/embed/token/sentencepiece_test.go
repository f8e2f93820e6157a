package token_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/token"
)

// Package cnn has the tests of the tokens themselves: it has a model.

func TestNewSentencePiece(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*token.SentencePieceFile){
		"no pieces":          func(f *token.SentencePieceFile) { f.Pieces = nil },
		"half a unit":        func(f *token.SentencePieceFile) { f.Pieces = make([]byte, 6) },
		"no character map":   func(f *token.SentencePieceFile) { f.Charmap = nil },
		"half a character":   func(f *token.SentencePieceFile) { f.Charmap = make([]byte, 7) },
		"no scores":          func(f *token.SentencePieceFile) { f.Scores = nil },
		"half a score":       func(f *token.SentencePieceFile) { f.Scores = make([]byte, 9) },
		"no unknown token":   func(f *token.SentencePieceFile) { f.Special.Unknown = -1 },
		"unknown token is 4": func(f *token.SentencePieceFile) { f.Special.Unknown = 4 },
	} {
		f := token.SentencePieceFile{Pieces: make([]byte, 4), Charmap: make([]byte, 4), Scores: make([]byte, 16)}
		if _, err := token.NewSentencePiece(f); err != nil {
			t.Fatal(err)
		}
		change(&f)
		if _, err := token.NewSentencePiece(f); !errors.Is(err, hippo.ErrCorrupt) {
			t.Errorf("%s: error %v, want %v", name, err, hippo.ErrCorrupt)
		}
	}
}

// Whatever the bytes of a file are, the tokens are within the vocabulary.
func TestSentencePiece_damaged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		// Units that look like those of a trie: a label, an end of a key, a near offset.
		units := rapid.Custom(func(t *rapid.T) []byte {
			var out []byte
			for _, u := range rapid.SliceOfN(rapid.Uint32(), 1, 300).Draw(t, "units") {
				if rapid.Bool().Draw(t, "near") {
					u &= 1<<18 - 1
				}
				out = binary.LittleEndian.AppendUint32(out, u)
			}
			return out
		})
		var scores []byte
		for _, s := range rapid.SliceOfN(rapid.Float32(), 1, 20).Draw(t, "scores") {
			scores = binary.LittleEndian.AppendUint32(scores, math.Float32bits(s))
		}
		s, err := token.NewSentencePiece(token.SentencePieceFile{
			Pieces: units.Draw(t, "pieces"), Charmap: units.Draw(t, "charmap"), Scores: scores,
			Replacements: rapid.SliceOf(rapid.Byte()).Draw(t, "replacements"),
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range s.Encode(nil, string(rapid.SliceOf(rapid.Byte()).Draw(t, "text"))) {
			if id < 0 || int(id) >= len(scores)/4 {
				t.Fatalf("token %d of %d", id, len(scores)/4)
			}
		}
	})
}
