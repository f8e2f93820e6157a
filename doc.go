// Package hippo is the domain of a memory for AI agents: the record, the query,
// the answer, and the errors. It does no I/O and imports only the standard
// library; everything else in this module builds on it.
//
// The life of a recall, top down:
//
//	front end -> engine.Recall -> index: filter, words -> rank -> store: load, touch -> answer
//
// docs/architecture.md has the picture, docs/ranking.md the formulas.
package hippo
