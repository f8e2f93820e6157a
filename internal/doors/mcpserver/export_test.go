package mcpserver

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/verb"
)

// ToolFields is what a tool takes, by its schema and by its decoder: the names that the schema
// has, those that it has not, and those that must be given.
type ToolFields struct {
	Schema                    string
	Names, Unlisted, Required []string
}

// Fields returns the fields of all tools.
func Fields() map[string]ToolFields {
	out := make(map[string]ToolFields)
	for _, t := range tools() {
		args := t.input().Args()
		f := ToolFields{Schema: string(verb.ToolSchema(args)), Names: verb.Listing(args)}
		for i := range args {
			name := args[i].NameAt(verb.MCP)
			if !args[i].Is.Has(verb.Listed) {
				f.Unlisted = append(f.Unlisted, name)
			}
			if args[i].Is.Has(verb.Required) {
				f.Required = append(f.Required, name)
			}
		}
		out[t.name] = f
	}
	return out
}

// InputsAskedTwice returns what the input of each tool holds before and after it, and the
// objects in it, were asked for their fields.
func InputsAskedTwice() map[string][2]string {
	out := make(map[string][2]string)
	for _, t := range tools() {
		in := t.input()
		before := fmt.Sprintf("%+v", in)
		for _, a := range in.Args() {
			if object, ok := a.To.(verb.Object); ok {
				object.Args()
			}
		}
		out[t.name] = [2]string{before, fmt.Sprintf("%+v", in)}
	}
	return out
}

// Members reads a JSON object strictly.
func Members(text []byte) (map[string]json.RawMessage, error) { return members(text) }

// FindID returns the id of a message that comes in pieces.
func FindID(parts ...[]byte) json.RawMessage {
	var f idFinder
	for _, p := range parts {
		f.add(p)
	}
	return f.found()
}

// Stdio returns the transport of a server.
func Stdio(in io.Reader, out io.Writer) mcp.Transport { return &stdio{in: in, out: out} }

// MaxCalls is the most calls over HTTP at a time.
const MaxCalls = maxCalls

// EventStore is a store of events.
type EventStore = eventStore

// NewEventStore returns a store of events.
func NewEventStore(limit int, closed func(string)) *EventStore { return newEventStore(limit, closed) }

// EventBytes returns the size of a store of events.
func EventBytes(s *EventStore) int { return s.size }

// Found returns what votes on ids are about after searches, by the number of the search.
func Found(searches [][]hippo.ID, ids ...hippo.ID) map[hippo.ID]string {
	c := &conversation{}
	for i, shown := range searches {
		c.showed(strconv.Itoa(i), shown)
	}
	return c.found(ids)
}
