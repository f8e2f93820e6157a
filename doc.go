// Package hippo is the domain of a memory for AI agents: the record, the query, the answer, and
// the errors. It does no I/O and imports only the standard library.
//
// The path of a search, top down:
//
//	front end -> engine.Memories.Search -> recall: index, rank -> store: load, touch -> answer
//
// docs/architecture.md has the picture, docs/ranking.md the formulas.
package hippo
