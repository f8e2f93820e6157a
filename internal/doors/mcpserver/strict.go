package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/hippo-memory/hippo/internal/doors/wire"
)

// members returns the members of a JSON object that [json.Valid] accepts; nil for another
// value. The error is the first thing in it, at any depth, that Go would change without an
// error: a byte that is not UTF-8 or half of a surrogate pair, which would become U+FFFD,
// and a key that an object has twice, of which the last would count. Then the members may
// still be used to find the id. Cost: O(len(text)).
func members(text []byte) (map[string]json.RawMessage, error) {
	var out map[string]json.RawMessage
	if text[0] == '{' {
		if err := json.Unmarshal(text, &out); err != nil {
			return nil, err
		}
	}
	if err := wire.CheckUTF8("message", text); err != nil {
		return out, err
	}
	key, depth := wire.RepeatedKey(text)
	if depth == 0 {
		return out, nil
	}
	if depth == 1 {
		delete(out, key)
	}
	return out, fmt.Errorf("message has the key %.60q twice in one object", key)
}

// maxID is the most bytes of an id that is looked for in a line that is too long.
const maxID = 1024

// idFinder finds the id of a message that is too long to be kept, in pieces of any size.
// What it reads need not be JSON.
type idFinder struct {
	depth           int
	quoted, escaped bool
	inValue, isList bool
	key, value      []byte // of the member that is read, as far as they are of use
	id              []byte
	ids             int
}

// add reads the next bytes.
func (f *idFinder) add(text []byte) {
	for _, c := range text {
		switch {
		case f.escaped:
			f.escaped = false
		case f.quoted:
			f.escaped = c == '\\'
			f.quoted = c != '"'
		case c == '"':
			f.quoted = true
		case c == '{' || c == '[':
			f.isList = f.isList || f.depth == 0 && c == '['
			if f.depth++; f.depth == 1 {
				continue
			}
		case c == '}' || c == ']':
			if f.depth--; f.depth == 0 {
				f.endMember()
			}
		case c == ',' && f.depth == 1:
			f.endMember()
			continue
		case c == ':' && f.depth == 1:
			f.inValue = true
			continue
		}
		if f.depth != 1 {
			continue
		}
		if f.inValue && len(f.value) <= maxID {
			f.value = append(f.value, c)
		} else if !f.inValue && len(f.key) <= maxID {
			f.key = append(f.key, c)
		}
	}
}

func (f *idFinder) endMember() {
	if string(bytes.TrimSpace(f.key)) == `"id"` {
		f.id = bytes.TrimSpace(append([]byte(nil), f.value...))
		f.ids++
	}
	f.key, f.value, f.inValue = f.key[:0], f.value[:0], false
}

// found returns the id; nil if there is none, or not just one, or it is no id.
func (f *idFinder) found() json.RawMessage {
	if f.ids != 1 || f.isList || len(f.id) > maxID || !json.Valid(f.id) || !isID(f.id) {
		return nil
	}
	return f.id
}
