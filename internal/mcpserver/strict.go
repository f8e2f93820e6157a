package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// members reads a JSON value that [json.Valid] accepts. It returns the members of the
// object that the value is, nil if it is another value, and the first thing in it, at any
// depth, that Go would change without an error: a key that an object has twice, of which
// the last would count, and half of a surrogate pair or a byte that is not UTF-8, which
// would become U+FFFD. Members are nil, too, if a key of the object itself is there twice.
// Cost: O(len(text)).
func members(text []byte) (map[string]json.RawMessage, error) {
	s := strictReader{text: text}
	if !utf8.Valid(text) {
		s.note("message is not UTF-8")
	}
	s.skipSpace()
	if s.text[s.at] != '{' {
		s.value()
		return nil, s.problem
	}
	return s.object(), s.problem
}

// strictReader walks over valid JSON and notes the first problem.
type strictReader struct {
	text    []byte
	at      int
	problem error
}

func (s *strictReader) note(format string, args ...any) {
	if s.problem == nil {
		s.problem = fmt.Errorf(format, args...)
	}
}

func (s *strictReader) skipSpace() {
	for bytes.IndexByte([]byte(" \t\r\n"), s.text[s.at]) >= 0 {
		s.at++
	}
}

// value passes over a value.
func (s *strictReader) value() {
	switch s.skipSpace(); s.text[s.at] {
	case '{':
		s.object()
	case '[':
		s.at++
		for s.skipSpace(); s.text[s.at] != ']'; s.skipSpace() {
			if s.text[s.at] == ',' {
				s.at++
			}
			s.value()
		}
		s.at++
	case '"':
		s.string()
	default:
		for s.at < len(s.text) && bytes.IndexByte([]byte(",]} \t\r\n"), s.text[s.at]) < 0 {
			s.at++
		}
	}
}

// object passes over an object and returns its members; nil if a key is there twice.
func (s *strictReader) object() map[string]json.RawMessage {
	out, repeated := make(map[string]json.RawMessage), false
	s.at++
	for s.skipSpace(); s.text[s.at] != '}'; s.skipSpace() {
		if s.text[s.at] == ',' {
			s.at++
			s.skipSpace()
		}
		key := s.string()
		s.skipSpace()
		s.at++ // the colon
		s.skipSpace()
		begin := s.at
		s.value()
		if _, ok := out[key]; ok {
			repeated = true
			s.note("message has the key %.60q twice in one object", key)
		}
		out[key] = s.text[begin:s.at]
	}
	s.at++
	if repeated {
		return nil
	}
	return out
}

// string passes over a string and returns its value.
func (s *strictReader) string() string {
	begin, escaped := s.at, false
	for s.at++; s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] != '\\' {
			continue
		}
		escaped = true
		s.at++
		if s.text[s.at] == 'u' {
			s.surrogate()
		}
	}
	s.at++
	if !escaped {
		return string(s.text[begin+1 : s.at-1])
	}
	var value string
	if err := json.Unmarshal(s.text[begin:s.at], &value); err != nil {
		s.note("message is not JSON: %w", err)
	}
	return value
}

// surrogate passes over the digits of \uXXXX and, if that is the first half of a
// surrogate pair, over the other half.
func (s *strictReader) surrogate() {
	const (
		high, low, end = 0xd800, 0xdc00, 0xe000
		digits         = 4
	)
	first := s.hex(s.at + 1)
	s.at += digits
	if first < high || first >= end {
		return
	}
	if next := s.at + 1; first < low && bytes.HasPrefix(s.text[next:], []byte(`\u`)) {
		if second := s.hex(next + 2); second >= low && second < end {
			s.at = next + 1 + digits
			return
		}
	}
	s.note(`message has half of a surrogate pair, \u%04x, in a text`, first)
}

func (s *strictReader) hex(at int) uint64 {
	n, err := strconv.ParseUint(string(s.text[at:at+4]), 16, 32)
	if err != nil {
		s.note("message is not JSON: %w", err)
	}
	return n
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
