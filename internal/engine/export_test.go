package engine

import (
	"context"

	"github.com/hippo-memory/hippo"
)

// Scope returns the scope of the caller.
func (m *Memories) Scope() hippo.Scope { return m.scope }

// Compare is [Compare], which [Memories.RecordCompared] runs beside the record.
func (m *Memories) Compare(ctx context.Context, x *hippo.Memory) (*Comparison, error) {
	return Compare(ctx, m, x)
}

// Instructs is what [Context] marks memories by.
func Instructs(text string) bool { return instructs(text) }
