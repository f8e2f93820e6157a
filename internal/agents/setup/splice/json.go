package splice

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"
)

// Dialect is the kind of JSON that a program reads.
type Dialect int

// The dialects. A text of a wider one is refused, because its program refuses it.
const (
	Strict   Dialect = iota // as in RFC 8259
	Comments                // and comments
	Commas                  // and trailing commas
)

// span is the place of an item in a text.
type span struct{ from, to int }

// container is an object or a list in a text.
type container struct {
	span           // from the opening to after the closing bracket
	items []span   // of members, from their names on, or of elements
	keys  []string // of members; nil for a list
	parts []*hujson.Value
}

// parse reads a text of a dialect. An empty text is an empty object.
func (d Dialect) parse(text []byte) (*hujson.Value, error) {
	v, err := hujson.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the file is not valid JSON, with or without comments: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if v.Value.Kind() != '{' {
		return nil, errors.New("the file is not a JSON object")
	}
	if d == Strict {
		if bad, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(text, new(json.RawMessage))); ok {
			line := 1 + bytes.Count(text[:bad.Offset-1], []byte("\n"))
			return nil, fmt.Errorf("line %d has a comment or is behind a trailing comma, which its program refuses: remove it first", line)
		}
	}
	if d == Comments {
		if at := trailingComma(&v, text); at >= 0 {
			return nil, fmt.Errorf("line %d has a trailing comma, which its program refuses: remove it first", 1+bytes.Count(text[:at], []byte("\n")))
		}
	}
	return &v, nil
}

// trailingComma returns the offset of a comma before a closing bracket; -1 if there is none.
func trailingComma(root *hujson.Value, text []byte) int {
	for v := range root.All() {
		c, ok := newContainer(v)
		if !ok || len(c.items) == 0 {
			continue
		}
		if at := comma(text, c.items[len(c.items)-1].to); at >= 0 {
			return at
		}
	}
	return -1
}

// newContainer returns the view of an object or a list; ok is false for other values.
func newContainer(v *hujson.Value) (c container, ok bool) {
	c.span = span{v.StartOffset, v.EndOffset}
	switch x := v.Value.(type) {
	case *hujson.Object:
		for i := range x.Members {
			m := &x.Members[i]
			name, _ := m.Name.Value.(hujson.Literal)
			c.items = append(c.items, span{m.Name.StartOffset, m.Value.EndOffset})
			c.keys = append(c.keys, name.String())
			c.parts = append(c.parts, &m.Value)
		}
	case *hujson.Array:
		for i := range x.Elements {
			e := &x.Elements[i]
			c.items = append(c.items, span{e.StartOffset, e.EndOffset})
			c.parts = append(c.parts, e)
		}
	default:
		return c, false
	}
	return c, true
}

// find returns the index of a key; -1 if there is none. A key that is there twice is an error.
func (c *container) find(key string) (int, error) {
	at := -1
	for i, k := range c.keys {
		if k != key {
			continue
		}
		if at >= 0 {
			return 0, fmt.Errorf("the key %q is there twice: remove one of them first", key)
		}
		at = i
	}
	return at, nil
}

// skipExtra returns the offset after white space and comments.
func skipExtra(text []byte, at int) int {
	for at < len(text) {
		rest := text[at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			at++
		case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")):
			at = skipComment(text, at)
		default:
			return at
		}
	}
	return at
}

// skipComment returns the offset after the comment that begins at a byte of a valid text.
func skipComment(text []byte, at int) int {
	if bytes.HasPrefix(text[at:], []byte("//")) {
		return lineEnd(text, at)
	}
	return at + 2 + bytes.Index(text[at+2:], []byte("*/")) + 2
}

// comma returns the offset of the comma after a value that ends at a byte; -1 if there is none.
func comma(text []byte, at int) int {
	if at = skipExtra(text, at); at < len(text) && text[at] == ',' {
		return at
	}
	return -1
}

// trimmed returns where white space before a byte begins.
func trimmed(text []byte, at int) int { return len(bytes.TrimRight(text[:at], " \t\r\n")) }

// commentEnd returns the end of the comments that follow a byte on its line; at itself if
// there are none.
func commentEnd(text []byte, at int) int {
	end := at
	for i := at; i < len(text); {
		rest := text[i:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t':
			i++
		case bytes.HasPrefix(rest, []byte("//")):
			return trimmed(text, lineEnd(text, i))
		case bytes.HasPrefix(rest, []byte("/*")):
			next := skipComment(text, i)
			if bytes.ContainsRune(text[i:next], '\n') {
				return end
			}
			i, end = next, next
		default:
			return end
		}
	}
	return end
}

// indentation returns the white space that begins the line of a byte, and whether nothing
// else stands before the byte.
func indentation(text []byte, at int) (indent string, first bool) {
	begin := bytes.LastIndexByte(text[:at], '\n') + 1
	rest := text[begin:at]
	n := len(rest) - len(bytes.TrimLeft(rest, " \t"))
	return string(rest[:n]), n == len(rest)
}

// unit returns the indentation of one level: that of the first member of the root.
func unit(text []byte, root *hujson.Value) string {
	if c, ok := newContainer(root); ok && len(c.items) > 0 {
		if indent, first := indentation(text, c.items[0].from); first && indent != "" {
			return indent
		}
	}
	return "  "
}

// render returns a JSON value in the layout of a text: with an indentation, or on one line.
func render(value any, indent, unit string, inline bool) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if !inline {
		enc.SetIndent(indent, unit)
	}
	if err := enc.Encode(value); err != nil {
		return "", err
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

// plain returns a text of any dialect as Go values; an empty one is an empty object.
func plain(text []byte) (any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return map[string]any{}, nil
	}
	std, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(std))
	d.UseNumber() // numbers that a float cannot hold must compare as they are written
	var v any
	err = d.Decode(&v)
	return v, err
}

// sameValue reports whether a part of a text means the same as a value.
func sameValue(text []byte, value any) bool {
	if text == nil {
		return false
	}
	want, err := render(value, "", "", true)
	if err != nil {
		return false
	}
	a, errA := plain(text)
	b, errB := plain([]byte(want))
	return errA == nil && errB == nil && reflect.DeepEqual(a, b)
}
