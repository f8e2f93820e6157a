// Package memorymcp holds the tools of memory-mcp: those of its design, and those of its versions 0.8 and 0.9. A memory is addressed by the last 20 digits of its ID. Each result is one line of JSON; a failure is
// a result with isError, a message, and the code in the structured content.
package memorymcp

import (
	"slices"
	"strings"

	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/verb"
)

// Name selects this system.
const Name = "memory-mcp"

// New returns the system.
func New() *d.System {
	s := &d.System{
		Name:    Name,
		Tools:   slices.Concat(storing(), reading(), searching(), relating(), ruling(), coding()),
		Is:      verb.Verbatim,
		Failure: failure,
	}
	for i := range s.Tools {
		for j := range s.Tools[i].Params {
			p := &s.Tools[i].Params[j]
			if other := camel(p.Name); other != p.Name {
				p.Also = strings.TrimSpace(p.Also + " " + other)
			}
		}
	}
	return s
}

// camel returns the other form of a name, such as minScore of min_score: some tools of this system have the one, some the other.
func camel(name string) string {
	first, rest, _ := strings.Cut(name, "_")
	for part := range strings.SplitSeq(rest, "_") {
		if part != "" {
			first += strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return first
}
