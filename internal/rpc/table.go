package rpc

import (
	"maps"

	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/history"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
)

// Verbs returns the table of verbs by name. Cost: some 50 us.
func Verbs() map[string]engine.Verb {
	table := make(map[string]engine.Verb)
	for _, part := range []map[string]engine.Verb{engine.Verbs(), memory.Verbs(), knowledge.Verbs(), history.Verbs(), transfer.Verbs(), upkeep.Verbs(), query.Verbs()} {
		maps.Copy(table, part)
	}
	for name, v := range table {
		table[name] = engine.Named(v, name)
	}
	return table
}
