// Package grammar parses source code by the grammars of tree-sitter. Each is a WebAssembly module
// of its own (modules/README.md), which runs without access to anything but its memory: a
// source that makes a parser loop, or take memory without end, costs what the limits say and
// its own tree, never the process.
package grammar
