package server

import (
	"strings"

	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
)

// ToolSystems lists the systems whose tools can be listed, for people.
func ToolSystems() string { return strings.Join(mcpserver.ToolSystems(), ", ") }

// Tools are the tools of all systems over MCP.
type Tools struct {
	List  []mcpserver.ToolCost
	Total []SystemCost
}

// SystemCost is the number of bytes that the tools of a system take in the list that a client reads.
type SystemCost struct {
	System string
	Bytes  int
}

// AllTools returns the tools by system.
func AllTools() (t Tools, err error) {
	if t.List, err = mcpserver.Catalog(); err != nil {
		return t, err
	}
	bytes := make(map[string]int)
	for _, x := range t.List {
		bytes[x.System] += x.Bytes
	}
	for _, name := range mcpserver.ToolSystems() {
		t.Total = append(t.Total, SystemCost{name, bytes[name]})
	}
	return t, nil
}

// listed returns the systems whose tools are listed; nil: the default.
func (o *Options) listed() ([]string, error) {
	if o.Tools == "" {
		return nil, nil
	}
	systems, err := mcpserver.ParseTools(o.Tools)
	if err != nil {
		return nil, optionf("--%v", err)
	}
	return systems, nil
}
