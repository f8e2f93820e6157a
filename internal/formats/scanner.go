package formats

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/hippo-memory/hippo"
)

// elements splits JSON into values by brackets and strings alone, so that a broken element
// does not affect its neighbours.
type elements struct {
	r    *bufio.Reader
	line int // of the byte read next, from 1
}

// newElements skips a byte order mark.
func newElements(r *bufio.Reader) *elements {
	mark := byteOrderMark()
	if head, err := r.Peek(len(mark)); err == nil && bytes.Equal(head, mark) {
		_, _ = r.Discard(len(mark)) // cannot fail, it was peeked
	}
	return &elements{r: r, line: 1}
}

func (e *elements) read() (byte, error) {
	c, err := e.r.ReadByte()
	if c == '\n' {
		e.line++
	}
	return c, err
}

// unread puts back the last byte that was read.
func (e *elements) unread(c byte) error {
	if c == '\n' {
		e.line--
	}
	return e.r.UnreadByte()
}

// peek returns the next byte that is not white space, without consuming it.
func (e *elements) peek() (byte, error) {
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
func (e *elements) expect(want byte) error {
	c, err := e.peek()
	if err != nil {
		return broken(err)
	}
	if c != want {
		return fmt.Errorf("%w: broken JSON: %q where %q must be", hippo.ErrCorrupt, c, want)
	}
	_, err = e.read()
	return err
}

// value consumes one value and the white space before it. One that is too long is skipped:
// [hippo.ErrInvalid].
func (e *elements) value() ([]byte, error) {
	if _, err := e.peek(); err != nil {
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
		if size <= MaxEntry {
			b = append(b, c)
		}
		if s.add(c) {
			break
		}
	}
	if len(b) > MaxEntry {
		return nil, tooLong("entry")
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

// array consumes an array and calls fn for each element with its number and line, both from
// 1. An element that is too long comes with an error.
func (e *elements) array(fn func(b []byte, n, line int, err error) error) error {
	if err := e.expect('['); err != nil {
		return err
	}
	for n := 1; ; {
		c, err := e.peek()
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
		b, err := e.value()
		if err != nil && !errors.Is(err, hippo.ErrInvalid) {
			return fmt.Errorf("entry %d (line %d): %w", n, line, err)
		}
		if err := fn(b, n, line, err); err != nil {
			return err
		}
		n++
	}
}

// decodeElements returns a function for [elements.array] that yields entries.
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

// end returns an error if anything but white space follows.
func (e *elements) end() error {
	c, err := e.peek()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("line %d: %w: %q after the end of the JSON value", e.line, hippo.ErrCorrupt, c)
}

func readArray(r *bufio.Reader, d *decoder, y yield) error {
	e := newElements(r)
	if err := e.array(decodeElements(d.decode, y)); err != nil {
		return err
	}
	return e.end()
}

// countArray calls see for each entry of an array, broken or not.
func countArray(r *bufio.Reader, visit func([]byte)) error {
	err := newElements(r).array(func(b []byte, _, _ int, _ error) error { visit(b); return nil })
	if errors.Is(err, hippo.ErrCorrupt) {
		return nil // the entries before it are good, and reading them reports it
	}
	return err
}
