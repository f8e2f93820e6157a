// Package entity extracts the entities of a text by rules: names, identifiers, paths,
// addresses, versions, quoted terms. It uses no index and no language model, and does not
// disambiguate entities of the same name.
//
// The rules prefer precision over recall: a capital at the beginning of a sentence is not
// enough for a name. Two words in a row that may be a term are a [Phrase], for callers that
// know document frequencies.
//
// Invariant: equal texts give equal entities, in the order of their first occurrence,
// each once; the time it takes grows linearly with the text.
package entity

import "strings"

// Kind says by which rule an entity was found.
type Kind string

// The kinds.
const (
	// Name is a run of capitalised words: Ada Lovelace, University of Oslo, NASA.
	Name Kind = "name"
	// Identifier is a word of a program: snake_case, camelCase, a.dotted.name,
	// with::colons, A_CONSTANT, gpt-4, --a-flag, a hash.
	Identifier Kind = "identifier"
	// Path names a file: /etc/hosts, ./a, ~/b, internal/retrieval/rank/rank.go, C:\x.
	Path Kind = "path"
	// URL is a web address, without its scheme.
	URL Kind = "url"
	// Address is an e-mail address or a handle.
	Address Kind = "address"
	// Quoted stands in quotes or backticks.
	Quoted Kind = "quoted"
	// Version numbers a release: v1.2, 1.2.3-rc1.
	Version Kind = "version"
	// Issue numbers a ticket: #123, ABC-123.
	Issue Kind = "issue"
	// Phrase is a pair of words, in lower case, that may or may not be a term.
	Phrase Kind = "phrase"
)

// Entity is one thing that a text mentions.
type Entity struct {
	Kind Kind
	// Text is what the text says.
	Text string
	// Norm is the normal form: in lower case, without a possessive, with single spaces.
	Norm string
}

// Of returns the entities of a text, which need not be valid UTF-8.
func Of(text string) []Entity {
	s := scanner{text: text, start: true, seen: make(map[string]bool)}
	s.scan()
	return s.found
}

// emit adds an entity unless an equal one was added.
func (s *scanner) emit(kind Kind, text string) { s.emitAs(kind, text, text) }

func (s *scanner) emitAs(kind Kind, text, norm string) {
	norm = strings.Join(strings.Fields(strings.ToLower(norm)), " ")
	if norm == "" || s.seen[norm] {
		return
	}
	s.seen[norm] = true
	s.found = append(s.found, Entity{Kind: kind, Text: text, Norm: norm})
}
