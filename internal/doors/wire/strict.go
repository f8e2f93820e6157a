package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
)

// Members returns the members of the JSON object in the body of a request. The error is a [*hippo.FieldError].
func Members(body []byte) (out map[string]json.RawMessage, err error) {
	if err := json.Unmarshal(body, &out); err != nil || out == nil {
		return nil, hippo.Fieldf("body", "must be a JSON object, got %.40q", strings.ToValidUTF8(string(body), "?"))
	}
	if err := CheckUTF8("text", body); err != nil {
		return nil, hippo.Fieldf("body", "must be valid UTF-8: %v", err)
	}
	if key, depth := RepeatedKey(body); depth > 0 {
		return nil, hippo.Fieldf(fmt.Sprintf("%.60s", key), "is given twice in one object")
	}
	return out, nil
}

// CheckUTF8 reports what Go would replace by U+FFFD when it decodes valid JSON: a byte that is not
// UTF-8, or half of a surrogate pair. name is what the error calls the text. Cost: O(len(text)).
func CheckUTF8(name string, text []byte) error {
	if !utf8.Valid(text) {
		return errors.New(name + " is not UTF-8")
	}
	return checkSurrogates(name, text)
}

// checkSurrogates looks for half of a surrogate pair among the escapes \uXXXX of valid JSON.
func checkSurrogates(name string, text []byte) error {
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
			return fmt.Errorf(`%s has half of a surrogate pair, \u%04x, in a text`, name, first)
		}
	}
	return nil
}

// RepeatedKey returns the first key that an object of a valid JSON value has twice, and how
// deep the object is nested, from 1; 0 if there is none.
func RepeatedKey(text []byte) (key string, depth int) {
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
