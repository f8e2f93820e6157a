package formats

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/hippo-memory/hippo"
)

// Scanner splits JSON into values by brackets and strings alone, so that a broken element
// does not affect its neighbours. It holds one value in memory at a time.
type Scanner struct {
	r     *bufio.Reader
	line  int // of the byte read next, from 1
	limit int // of a value, in bytes
}

// NewScanner returns a scanner of the JSON of r, after a byte order mark. A value may have
// [MaxEntry] bytes.
func NewScanner(r *bufio.Reader) *Scanner { return NewScannerSize(r, MaxEntry) }

// NewScannerSize is [NewScanner] with another limit of a value, in bytes.
func NewScannerSize(r *bufio.Reader, limit int) *Scanner {
	mark := byteOrderMark()
	if head, err := r.Peek(len(mark)); err == nil && bytes.Equal(head, mark) {
		_, _ = r.Discard(len(mark)) // cannot fail, it was peeked
	}
	return &Scanner{r: r, line: 1, limit: limit}
}

func (e *Scanner) read() (byte, error) {
	c, err := e.r.ReadByte()
	if c == '\n' {
		e.line++
	}
	return c, err
}

// unread puts back the last byte that was read.
func (e *Scanner) unread(c byte) error {
	if c == '\n' {
		e.line--
	}
	return e.r.UnreadByte()
}

// Line returns the line of the byte read next, from 1.
func (e *Scanner) Line() int { return e.line }

// Peek returns the next byte that is not white space, without consuming it.
func (e *Scanner) Peek() (byte, error) {
	for {
		c, err := e.read()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, e.unread(c)
		}
	}
}

// expect consumes the byte want and the white space before it.
func (e *Scanner) expect(want byte) error {
	c, err := e.Peek()
	if err != nil {
		return broken(err)
	}
	if c != want {
		return fmt.Errorf("%w: broken JSON: %q where %q must be", hippo.ErrCorrupt, c, want)
	}
	_, err = e.read()
	return err
}

// Value consumes one value and the white space before it. One that is too long is skipped:
// [hippo.ErrInvalid].
func (e *Scanner) Value() ([]byte, error) {
	if _, err := e.Peek(); err != nil {
		return nil, broken(err)
	}
	var b []byte
	var s nesting
	for size := 0; ; size++ {
		c, err := e.read()
		if errors.Is(err, io.EOF) && size > 0 && s.scalar() {
			break
		}
		if err != nil {
			return nil, broken(err)
		}
		if size > 0 && s.scalar() && endsScalar(c) {
			if err := e.unread(c); err != nil {
				return nil, err
			}
			break
		}
		if size <= e.limit {
			b = append(b, c)
		}
		if s.add(c) {
			break
		}
	}
	if len(b) > e.limit {
		return nil, hippo.Fieldf("entry", "must be at most %d bytes", e.limit)
	}
	return b, nil
}

func endsScalar(c byte) bool { return bytes.IndexByte([]byte(",]} \t\r\n"), c) >= 0 }

// nesting tracks the brackets and strings of one value.
type nesting struct {
	depth           int
	quoted, escaped bool
}

// scalar reports whether no bracket and no string is open.
func (s *nesting) scalar() bool { return s.depth == 0 && !s.quoted }

// add processes the next byte and reports whether it ends the value.
func (s *nesting) add(c byte) bool {
	switch {
	case s.escaped:
		s.escaped = false
	case s.quoted:
		s.escaped = c == '\\'
		if c == '"' {
			s.quoted = false
			return s.depth == 0
		}
	case c == '"':
		s.quoted = true
	case c == '{' || c == '[':
		s.depth++
	case c == '}' || c == ']':
		s.depth--
		return s.depth <= 0
	}
	return false
}

// Array consumes an array and calls fn for each element with its number and line, both from
// 1. An element that is too long comes with an error.
func (e *Scanner) Array(fn func(b []byte, n, line int, err error) error) error {
	if err := e.expect('['); err != nil {
		return err
	}
	for n := 1; ; {
		c, err := e.Peek()
		if err != nil {
			return broken(err)
		}
		if c == ',' || c == ']' {
			if _, err := e.read(); err != nil || c == ']' {
				return err
			}
			continue
		}
		line := e.line
		b, err := e.Value()
		if err != nil && !errors.Is(err, hippo.ErrInvalid) {
			return fmt.Errorf("entry %d (line %d): %w", n, line, err)
		}
		if err := fn(b, n, line, err); err != nil {
			return err
		}
		n++
	}
}

// Object consumes an object and calls fn for each key, to consume its value with the scanner.
func (e *Scanner) Object(fn func(key string) error) error {
	if err := e.expect('{'); err != nil {
		return err
	}
	for {
		c, err := e.Peek()
		if err != nil {
			return broken(err)
		}
		if c == ',' || c == '}' {
			if _, err := e.read(); err != nil || c == '}' {
				return err
			}
			continue
		}
		if err := e.field(fn); err != nil {
			return err
		}
	}
}

// field consumes a key and calls fn for its value.
func (e *Scanner) field(fn func(key string) error) error {
	line := e.line
	b, err := e.Value()
	if err != nil {
		return fmt.Errorf("line %d: %w", line, err)
	}
	var key string
	if err := json.Unmarshal(b, &key); err != nil {
		return fmt.Errorf("line %d: %w: broken JSON: %w", line, hippo.ErrCorrupt, err)
	}
	if err := e.expect(':'); err != nil {
		return fmt.Errorf("line %d: %w", line, err)
	}
	return fn(key)
}

// decodeElements returns a function for [Scanner.Array] that yields entries.
func decodeElements(decode func([]byte) (*hippo.Memory, error), y yield) func([]byte, int, int, error) error {
	return func(b []byte, n, line int, err error) error {
		var m *hippo.Memory
		if err == nil {
			m, err = checked(decode(b))
		}
		if err != nil {
			err = fmt.Errorf("entry %d (line %d): %w", n, line, err)
		}
		if !y(m, err) {
			return errStop
		}
		return nil
	}
}

// End returns an error if anything but white space follows.
func (e *Scanner) End() error {
	c, err := e.Peek()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("line %d: %w: %q after the end of the JSON value", e.line, hippo.ErrCorrupt, c)
}

func readArray(r *bufio.Reader, d *decoder, y yield) error {
	e := NewScanner(r)
	if err := e.Array(decodeElements(d.decode, y)); err != nil {
		return err
	}
	return e.End()
}

// countArray calls see for each entry of an array, broken or not.
func countArray(r *bufio.Reader, visit func([]byte)) error {
	err := NewScanner(r).Array(func(b []byte, _, _ int, _ error) error { visit(b); return nil })
	if errors.Is(err, hippo.ErrCorrupt) {
		return nil // the entries before it are good, and reading them reports it
	}
	return err
}
