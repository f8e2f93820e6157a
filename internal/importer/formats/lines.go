package formats

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/hippo-memory/hippo"
)

// lines reads a text line by line in bounded memory.
type lines struct {
	r   *bufio.Reader
	n   int // the number of the line read last, from 1
	buf []byte
}

func newLines(r *bufio.Reader) *lines { return &lines{r: r} }

// next returns the next line that is not blank, without its end; the bytes are
// valid until the next call. At the end it is [io.EOF]. A line that is too long is a
// [*hippo.FieldError], and reading continues after it.
func (l *lines) next() ([]byte, error) {
	for {
		line, err := l.read()
		if l.n == 1 {
			line = bytes.TrimPrefix(line, byteOrderMark())
		}
		if line = bytes.TrimSpace(line); len(line) > 0 || err != nil {
			return line, err
		}
	}
}

// read returns the next line, blank ones too.
func (l *lines) read() ([]byte, error) {
	l.buf = l.buf[:0]
	over, any := false, false
	for {
		part, err := l.r.ReadSlice('\n')
		any = any || len(part) > 0
		if !over && len(l.buf)+len(part) <= MaxEntry {
			l.buf = append(l.buf, part...)
		} else {
			over = true
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && (!errors.Is(err, io.EOF) || !any) {
			return nil, err
		}
		l.n++
		if over {
			return nil, tooLong("line")
		}
		return l.buf, nil
	}
}

// each calls visit for each remaining line, with an error for one that is too long.
func (l *lines) each(visit func(line []byte, err error) error) error {
	for {
		line, err := l.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, hippo.ErrInvalid):
			return fmt.Errorf("line %d: %w", l.n+1, err)
		}
		if err := visit(line, err); err != nil {
			return err
		}
	}
}

// entries yields the result of decode for every remaining line.
func (l *lines) entries(decode func([]byte) (*hippo.Memory, error), y yield) error {
	return l.each(func(line []byte, err error) error {
		var m *hippo.Memory
		if err == nil {
			m, err = checked(decode(line))
		}
		if err != nil {
			err = fmt.Errorf("line %d: %w", l.n, err)
		}
		if !y(m, err) {
			return errStop
		}
		return nil
	})
}

// survey calls visit for each remaining line, with nil for one that is too long.
func (l *lines) survey(visit func([]byte)) error {
	return l.each(func(line []byte, _ error) error { visit(line); return nil })
}

func byteOrderMark() []byte { return []byte("\ufeff") }
