package wire

import (
	"encoding/json"
	"time"

	"github.com/hippo-memory/hippo"
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

// WholeOf returns a memory with at most n characters of its content (n > 0), see [Part], and its relations. The error is that of [Stored].
func WholeOf(m *hippo.Memory, excerpt []hippo.Span, n int, relations []hippo.Relation, now time.Time) (*Whole, error) {
	out := &Whole{}
	if p := Part(m.Content, excerpt, n); p.More > 0 {
		out.MoreCharacters = p.More
		m = m.Clone()
		m.Content = p.Text
	}
	var err error
	if out.Insight, err = Stored(m, now); err != nil {
		return nil, err
	}
	out.Relations, err = RelationsOf(relations, now)
	return out, err
}
