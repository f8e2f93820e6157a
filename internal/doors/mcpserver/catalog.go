package mcpserver

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ToolCost is a tool and what it costs a client to know it.
type ToolCost struct {
	System string `json:"system"`
	Name   string `json:"name"`
	// Listed: it is in the list if its system is; others only answer.
	Listed bool `json:"listed"`
	// Bytes is the length of its entry in tools/list; 0 if it is not listed.
	Bytes int `json:"bytes,omitempty"`
	// Missing names what Hippo lacks and what to use instead, for a tool that only reports this.
	Missing string `json:"missing,omitempty"`
}

// Catalog returns all tools of all systems, in the order in which systems answer.
func Catalog() ([]ToolCost, error) {
	var out []ToolCost
	listed := func(system string, t *mcp.Tool) error {
		text, err := json.Marshal(t)
		out = append(out, ToolCost{System: system, Name: t.Name, Listed: true, Bytes: len(text)})
		return err
	}
	for _, s := range systems() {
		if s.open == nil {
			for _, t := range tools() {
				if err := listed(s.name, t.describe()); err != nil {
					return nil, err
				}
			}
			continue
		}
		system := s.open()
		for i := range system.Tools {
			t := &system.Tools[i]
			if t.Unlisted {
				out = append(out, ToolCost{System: s.name, Name: t.Name, Missing: t.Missing})
			} else if err := listed(s.name, describeDialect(t)); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
