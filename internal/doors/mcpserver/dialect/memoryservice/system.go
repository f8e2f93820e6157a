// Package memoryservice holds the tools of mcp-memory-service: those of its version 11, which
// are listed, and the older names, which only answer. Its identifier of a memory is the
// content hash, SHA-256 of the text in lower case without the spaces around it; the short and
// long IDs of Hippo are accepted, too.
package memoryservice

import (
	"slices"

	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
)

// Name selects this system.
const Name = "memory-service"

// New returns the system.
func New() *d.System {
	return &d.System{
		Name:  Name,
		Tools: slices.Concat(storing(), reading(), changing(), judging(), noting(), missing(), both(), olderReading(), olderChanging()),
	}
}

// Parameters that several tools have.
func hashParam() d.Param {
	return d.Param{Name: "content_hash", Of: "ID IDs Up Down", Kind: d.Text, Required: true, Aliases: []string{"hash"}, About: "64 hex digits, or the first 8"}
}

func tagsParam() d.Param {
	return d.Param{Name: "tags", Of: "Tags", Kind: d.Texts, Aliases: []string{"tag"}}
}

func storeParam() d.Param {
	return d.Param{Name: "store", Of: "Projects project", Kind: d.Text, About: "a project; default: the current one"}
}

func agentParam() d.Param { return d.Param{Name: "agent_id", Of: "Author source.author", Kind: d.Text} }

func matchParam() d.Param {
	return d.Param{Name: "tag_match", Kind: d.Text, Choices: []string{"any", "all"}, Default: "any"}
}

func timeParams() []d.Param {
	return []d.Param{
		{Name: "after", Kind: d.Text, About: "2026-03-01"},
		{Name: "before", Kind: d.Text, About: "2026-03-01, excluded"},
	}
}

func count(name string, most, standard int) d.Param {
	return d.Param{Name: name, Of: "Count", Kind: d.Whole, Min: 1, Max: float64(most), Default: standard}
}
