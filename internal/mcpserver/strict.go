package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
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
	if !utf8.Valid(text) {
		return out, errors.New("message is not UTF-8")
	}
	if err := checkSurrogates(text); err != nil {
		return out, err
	}
	key, depth := repeatedKey(text)
	if depth == 0 {
		return out, nil
	}
	if depth == 1 {
		delete(out, key)
	}
	return out, fmt.Errorf("message has the key %.60q twice in one object", key)
}

// checkSurrogates looks for half of a surrogate pair among the escapes \uXXXX of valid JSON.
func checkSurrogates(text []byte) error {
	const (
		high, low, end = 0xd800, 0xdc00, 0xe000
		size           = len(`\uXXXX`)
	)
	escape := func(text []byte) uint64 { // 0 if text begins with another escape or none
		if !bytes.HasPrefix(text, []byte(`\u`)) {
			return 0
		}
		n, _ := strconv.ParseUint(string(text[2:size]), 16, 32) // valid JSON has four digits
		return n
	}
	for i := bytes.IndexByte(text, '\\'); i >= 0; i = bytes.IndexByte(text, '\\') {
		text = text[i:]
		first := escape(text)
		switch {
		case first < high || first >= end:
			text = text[2:] // also of \\, whose second byte begins no escape
		case first < low && escape(text[size:]) >= low && escape(text[size:]) < end:
			text = text[2*size:]
		default:
			return fmt.Errorf(`message has half of a surrogate pair, \u%04x, in a text`, first)
		}
	}
	return nil
}

// repeatedKey returns the first key that an object of a valid JSON value has twice, and how
// deep the object is nested, from 1; 0 if there is none.
func repeatedKey(text []byte) (key string, depth int) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var open []map[string]bool // keys of the objects that are open; nil for a list
	isKey := false             // the next token is a key or ends the object
	for {
		token, err := d.Token()
		if err != nil {
			return "", 0 // the end
		}
		if key, isText := token.(string); isText && isKey {
			keys := open[len(open)-1]
			if keys[key] {
				return key, len(open)
			}
			keys[key], isKey = true, false
			continue
		}
		switch token {
		case json.Delim('{'):
			open = append(open, make(map[string]bool))
		case json.Delim('['):
			open = append(open, nil)
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
		isKey = len(open) > 0 && open[len(open)-1] != nil
	}
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
