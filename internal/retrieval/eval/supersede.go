package eval

import (
	"encoding/json"

	"github.com/hippo-memory/hippo"
)

// supersedesKey is the column of a corpus with the document that a document supersedes.
const supersedesKey = "supersedes"

// supersede ends each document that another one supersedes, by its column, when that one begins.
// The error is a [*hippo.FieldError] for a column that names no document, or one that is superseded
// already.
func (s *Set) supersede() error {
	byName := make(map[string]*hippo.Memory)
	for _, g := range s.Groups {
		for _, m := range g.Docs {
			byName[Name(m)] = m
		}
	}
	for _, g := range s.Groups {
		for _, m := range g.Docs {
			raw, ok := m.Metadata[supersedesKey]
			if !ok {
				continue
			}
			var name string
			err := json.Unmarshal(raw, &name)
			old := byName[canonical(name)]
			if err != nil || old == nil || old == m {
				return hippo.Fieldf(supersedesKey, "must be the _id of another document, got %.60s in %s", raw, Name(m))
			}
			if !old.SupersededBy.IsZero() {
				return hippo.Fieldf(supersedesKey, "must name a document that nothing else supersedes, got %s in %s", name, Name(m))
			}
			old.SupersededBy, old.ValidUntil = m.ID, m.When()
			delete(m.Metadata, supersedesKey)
		}
	}
	return nil
}
