// Package models holds the model that is built into the program. README.md is
// its card: what it was made from, how, how good it is, and where it ends.
package models

import _ "embed" // for the model

//go:embed builtin.bin
var builtin []byte

// Builtin returns the built-in model, in the format of package static. Nobody may
// change the bytes: they lie in the program itself.
func Builtin() []byte { return builtin }
