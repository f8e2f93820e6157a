// Package models holds the models that are built into the program. README.md has their
// cards: what they were made from, how, how good they are, and their limits.
package models

import _ "embed" // for the models

//go:embed builtin.bin
var builtin []byte

// Builtin returns the built-in model, in the format of package static. Nobody may
// change the bytes: they lie in the program itself.
func Builtin() []byte { return builtin }

//go:embed multilingual.bin
var multilingual []byte

// Multilingual returns the multilingual model, in the format of package cnn. Nobody may
// change the bytes: they lie in the program itself.
func Multilingual() []byte { return multilingual }
