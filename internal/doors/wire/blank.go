package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// IsBlank reports whether a JSON value stands for none: null, a text of white space, or a list of nothing else. Clients and models
// fill in what they do not mean, so an argument that is blank is as if it were absent, at every front end.
func IsBlank(raw json.RawMessage) bool {
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) == 0 || string(raw) == "null":
		return true
	case raw[0] == '"':
		var text string
		return json.Unmarshal(raw, &text) == nil && strings.TrimSpace(text) == ""
	case raw[0] == '[':
		var list []json.RawMessage
		return json.Unmarshal(raw, &list) == nil && !slices.ContainsFunc(list, func(x json.RawMessage) bool { return !IsBlank(x) })
	default:
		return false
	}
}
