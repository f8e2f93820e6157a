// Package hippo is the domain of a memory for AI agents: the record, the query, the answer, and
// the errors. It does no I/O and imports only the standard library.
//
// The path of a search, top down:
//
//	front end -> query.Search -> recall: plan, gather, score, rerank, relate, succeed, judge
//	          -> store: load the page, count the accesses -> answer
//
// docs/architecture.md has the picture, docs/ranking.md the formulas, docs/glossary.md the terms.
package hippo

//go:generate go -C tools run ./docs ..
//go:generate go -C tools run ./libraries ..
