// Package models holds the models that are built into the program. README.md has their
// cards: what they were made from, how, how good they are, and their limits.
//
// The encoders are strings because the linker puts these where they cannot be written: their pages
// are those of the file, and may leave the memory of the process at any time.
package models

import (
	_ "embed" // for the models
	"encoding/binary"
	"math"
	"unsafe"
)

//go:embed builtin.bin
var builtin []byte

//go:embed contextual.bin
var contextual string

// Builtin returns the static model, in the format of package static. Nobody may
// change the bytes: they lie in the program itself.
func Builtin() []byte { return builtin }

// Contextual returns the contextual encoder, all-MiniLM-L6-v2 with 8-bit weights, as
// bert.OpenPacked reads it. Nobody may change the bytes: they lie in the program itself.
func Contextual() []byte { return bytesOf(contextual) }

// bytesOf returns the bytes of a string, where they are.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

//go:embed code.bin
var code []byte

// Code returns the table for source code, as static.OpenWithCode reads it beside [Builtin]. Nobody
// may change the bytes: they lie in the program itself.
func Code() []byte { return code }

//go:embed multilingual.bin
var multilingual string

// Multilingual returns the multilingual model, in the format of package cnn. Nobody may
// change the bytes: they lie in the program itself.
func Multilingual() []byte { return bytesOf(multilingual) }

//go:embed questions.bin
var questions []byte

// Questions returns the mean of the vectors that [Multilingual] has for questions in six languages:
// a number for each component, of length below 1. Cost: a microsecond.
func Questions() []float32 {
	mean := make([]float32, len(questions)/4)
	for i := range mean {
		mean[i] = math.Float32frombits(binary.LittleEndian.Uint32(questions[4*i:]))
	}
	return mean
}
