package mcpserver

import (
	"encoding/json"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/verb"
)

// fieldsOf returns the fields for arguments of a verb.
func fieldsOf(args []verb.Arg) []field {
	out := make([]field, len(args))
	for i := range args {
		a := &args[i]
		out[i] = field{name: a.NameAt(verb.MCP), also: a.Also, unlisted: !a.Listed, to: a.To}
		switch to := a.To.(type) {
		case *[]string:
			out[i].to = (*texts)(to)
		case *verb.Time:
			out[i].to = (*moment)(to)
		case *string:
			if a.Values != nil {
				out[i].to = &choice{to, a.Values}
			}
		}
	}
	return out
}

// choice is a keyword of which there are few.
type choice struct {
	to     *string
	values []string
}

// set implements [setter].
func (c *choice) set(name string, raw json.RawMessage) error {
	var k keyword
	if err := k.set(name, raw); err != nil {
		return err
	}
	*c.to = string(k)
	return hippo.OneOf(name, *c.to, c.values...)
}
