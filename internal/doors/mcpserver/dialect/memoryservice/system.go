// Package memoryservice holds the tools of mcp-memory-service: those of its version 11, which
// are listed, and the older names, which only answer. Its identifier of a memory is the
// content hash, SHA-256 of the text in lower case without the spaces around it; the short and
// long IDs of Hippo are also accepted.
package memoryservice

import (
	"slices"

	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/verb"
)

// Name selects this system.
const Name = "memory-service"

// New returns the system.
func New() *d.System {
	return &d.System{
		Name:  Name,
		Is:    verb.Verbatim,
		Tools: slices.Concat(storing(), reading(), changing(), judging(), noting(), missing(), both(), olderReading(), olderChanging()),
	}
}

// Parameters that several tools have.
func hashParam() verb.Arg {
	return verb.Arg{Name: "content_hash", Also: "hash", Field: "ID IDs Up Down", About: "64 hex digits, or the first 8", Is: verb.Required, To: verb.New[string]}
}

func storeParam() verb.Arg {
	return verb.Arg{Name: "store", Field: "Projects project", About: "a project; default: the current one", To: verb.New[verb.Project]}
}

func agentParam() verb.Arg {
	return verb.Arg{Name: "agent_id", Field: "Author source.author", To: verb.New[string]}
}

func count(name string, most, standard int) verb.Arg {
	return verb.Arg{Name: name, Field: "Count", Rules: verb.Between(1, float64(most), standard), To: verb.New[int]}
}
