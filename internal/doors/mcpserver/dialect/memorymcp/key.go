package memorymcp

import (
	"encoding/json"
	"strings"

	"github.com/hippo-memory/hippo/internal/verb"
)

// record is a reference to a record of a SurrealDB: its key, TABLE:KEY, or {"tb": TABLE, "id": {"String": KEY}}. It becomes the key.
type record string

// ReadArg implements [verb.Value].
func (r *record) ReadArg(_ verb.Door, name string, raw json.RawMessage) error {
	if *r = record(keyIn(raw)); *r == "" {
		return verb.Misshapen(name, "must be an ID as text, got %.40s", raw)
	}
	return nil
}

// keyIn returns the key in a reference, which may be nested as deep as clients write it; empty: there is none.
func keyIn(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return strings.Trim(strings.TrimSpace(text[strings.LastIndexByte(text, ':')+1:]), "⟨⟩`")
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) == 1 {
		return keyIn(list[0])
	}
	var nested struct{ ID, Key, String json.RawMessage }
	if json.Unmarshal(raw, &nested) != nil {
		return ""
	}
	for _, inner := range []json.RawMessage{nested.ID, nested.Key, nested.String} {
		if inner != nil {
			return keyIn(inner)
		}
	}
	return ""
}

// Schema implements [verb.Value].
func (*record) Schema() verb.Schema { return verb.Schema{"type": "string"} }

// Plain returns where the key is.
func (r *record) Plain() any { return (*string)(r) }
