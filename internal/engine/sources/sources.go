// Package sources answers one question from the insights of a store and from source trees. The path is a line:
// [Search] asks both, [Merge] puts their hits on one scale, and what cannot take part is a note.
package sources

import (
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// Set is the sources that a question is put to. The zero value is that of a question that names none: insights alone.
type Set struct{ memory, code bool }

// Parse reads names of sources, each of which may be several with commas. No names are the zero Set. The error is a
// [*hippo.FieldError] of the field sources.
func Parse(names []string) (s Set, err error) {
	if names != nil && len(names) == 0 {
		names = []string{""} // an empty list asks nothing, which no caller means
	}
	for _, list := range names {
		for name := range strings.SplitSeq(list, ",") {
			switch strings.ToLower(strings.TrimSpace(name)) {
			case api.SourceMemory:
				s.memory = true
			case api.SourceCode:
				s.code = true
			default:
				return Set{}, hippo.Fieldf(field, "must be some of %s, %s, got %.40q", api.SourceMemory, api.SourceCode, name)
			}
		}
	}
	return s, nil
}

// field is the name of the argument in errors.
const field = "sources"

// HasCode reports whether source trees are asked. If not, the question is an ordinary search.
func (s Set) HasCode() bool { return s.code }
