package mcpserver

import "encoding/json"

// metadata is an object of any keys and values, which programs keep with a memory. A modification sets
// its keys and keeps the others, and clear removes one.
type metadata map[string]json.RawMessage

// set implements [setter].
func (m *metadata) set(name string, raw json.RawMessage) error {
	if text, ok := textOf(raw); ok {
		raw = json.RawMessage(text)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return misshapen(name, "must be an object, such as {\"ticket\":\"OPS-7\"}")
	}
	*m = object
	return nil
}

// forPrograms returns an error if a model gave metadata, as for an argument that is unknown: it should use
// tags, which searches filter by. Programs ask for JSON.
func (m *metadata) forPrograms(s *session, fields []field) error {
	if *m == nil || s.json {
		return nil
	}
	return refuseUnknown(map[string]json.RawMessage{"metadata": nil}, fields, "")
}
