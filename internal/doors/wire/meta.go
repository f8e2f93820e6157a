package wire

import "github.com/hippo-memory/hippo"

// MetaKey is the key of [Meta] in the _meta of an MCP result.
const MetaKey = "hippo"

// Meta is what a program reads of a result whose text is for a model. Clients do not show it to
// a model.
type Meta struct {
	// IDs are those of the memories that were returned or changed, in the order of the text.
	IDs []hippo.ID `json:"ids,omitempty"`
	// Total counts what a search found, NextOffset is where its next page begins.
	Total      int `json:"total,omitempty"`
	NextOffset int `json:"next_offset,omitempty"`
	// Confidence and Weak are those of an [Answer].
	Confidence float64 `json:"confidence,omitempty"`
	Weak       string  `json:"weak,omitempty"`
	// Error is absent if the call succeeded.
	Error *ErrorBody `json:"error,omitempty"`
}

// IsZero reports whether it says nothing.
func (m *Meta) IsZero() bool {
	return m.IDs == nil && m.Total == 0 && m.NextOffset == 0 && m.Confidence == 0 && m.Weak == "" && m.Error == nil
}
