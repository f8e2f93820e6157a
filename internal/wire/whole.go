package wire

import (
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/preview"
)

// Whole is a memory with all its fields, as its file holds them, and its relations.
type Whole struct {
	Insight json.RawMessage `json:"insight"`
	// MoreCharacters is how many characters of the content are left out; absent if none are.
	MoreCharacters int               `json:"more_characters,omitempty"`
	Relations      []json.RawMessage `json:"relations,omitempty"`
	// Code is what it speaks of in the source trees of its project.
	Code []CodeLink `json:"code,omitempty"`
}

// WholeOf returns a memory with the first n characters of its content (n > 0), and its relations.
// The error is that of [Stored].
func WholeOf(m *hippo.Memory, n int, relations []hippo.Relation, now time.Time) (*Whole, error) {
	out := &Whole{}
	if total := utf8.RuneCountInString(m.Content); total > n {
		shown := preview.Beginning(m.Content, n)
		out.MoreCharacters = total - utf8.RuneCountInString(shown)
		m = m.Clone()
		m.Content = shown
	}
	var err error
	if out.Insight, err = Stored(m, now); err != nil {
		return nil, err
	}
	out.Relations, err = RelationsOf(relations, now)
	return out, err
}
