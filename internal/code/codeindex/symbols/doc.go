// Package symbols finds what source files define, refer to and import. Languages with a grammar are
// read from their syntax tree, by a table a language; documents and configuration by their structure.
package symbols
