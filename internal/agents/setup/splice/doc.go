// Package splice edits the configuration files of other programs without
// rewriting them: it parses a text to find byte offsets, and replaces only the
// bytes of one entry. Comments, unknown keys, the order of keys, indentation, line ends
// and a byte order mark survive.
//
// An [Edit] can be applied and removed. Both verify that nothing but the entry changed in
// meaning, and refuse a text that its program would refuse. The package reads and writes no
// files.
package splice

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Edit is one entry of ours in a text. Implementations are values without state.
type Edit interface {
	// Apply returns text with the entry. The result is text itself if the entry is there
	// already, in whatever layout. An empty text is a file that does not exist yet.
	Apply(text []byte) ([]byte, error)
	// Remove returns text without the entry. before is the text before the first Apply, or
	// nil if there was no file: what the entry replaced there comes back, and empty
	// containers that are not in it go. The result is text itself if [Edit.Has] is false.
	Remove(text, before []byte) ([]byte, error)
	// Has reports whether an entry that a setup wrote is there, in this or another version.
	Has(text []byte) bool
}

// errChanged is returned if an edit would change the meaning of something else.
var errChanged = errors.New("the entry cannot be changed without changing the rest: edit the file by hand")

// byteOrderMark is U+FEFF in UTF-8.
const byteOrderMark = "\ufeff"

// withoutMark calls edit with the text after its byte order mark, and puts the mark back.
func withoutMark(text []byte, edit func([]byte) ([]byte, error)) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("the file is not UTF-8")
	}
	body, marked := bytes.CutPrefix(text, []byte(byteOrderMark))
	out, err := edit(body)
	if err != nil || !marked {
		return out, err
	}
	return append([]byte(byteOrderMark), out...), nil
}

// lineBreak returns the line end that a text uses.
func lineBreak(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// withLineBreaks returns s with the line ends of text.
func withLineBreaks(s string, text []byte) []byte {
	return bytes.ReplaceAll([]byte(s), []byte("\n"), []byte(lineBreak(text)))
}

// replace returns text with text[from:to] replaced.
func replace(text []byte, from, to int, with []byte) []byte {
	out := make([]byte, 0, len(text)+len(with))
	out = append(out, text[:from]...)
	out = append(out, with...)
	return append(out, text[to:]...)
}

// Whole is a file that belongs to us alone.
type Whole struct {
	Text string
	// Mark is a part of the text that no other file has.
	Mark string
}

// Has implements [Edit].
func (w Whole) Has(text []byte) bool { return bytes.Contains(text, []byte(w.Mark)) }

// Apply implements [Edit].
func (w Whole) Apply(text []byte) ([]byte, error) {
	if want := withLineBreaks(w.Text, text); bytes.Equal(text, want) {
		return text, nil
	}
	return []byte(w.Text), nil
}

// Remove implements [Edit].
func (w Whole) Remove(text, before []byte) ([]byte, error) {
	if !w.Has(text) {
		return text, nil
	}
	return before, nil
}

// Block is a block of lines between two markers in a Markdown file.
type Block struct{ Text string }

// Has implements [Edit].
func (Block) Has(text []byte) bool {
	from, _, err := findBlock(text)
	return err == nil && from >= 0
}

// The markers are HTML comments, which Markdown does not show.
const (
	beginMarker = "<!-- hippo:begin -->"
	endMarker   = "<!-- hippo:end -->"
)

// Apply implements [Edit]. A new block is appended after a blank line.
func (b Block) Apply(text []byte) ([]byte, error) {
	return withoutMark(text, func(text []byte) ([]byte, error) {
		from, to, err := findBlock(text)
		if err != nil {
			return nil, err
		}
		block := withLineBreaks(beginMarker+"\n"+b.Text+"\n"+endMarker, text)
		if from >= 0 {
			if bytes.Equal(text[from:to], block) {
				return text, nil
			}
			return replace(text, from, to, block), nil
		}
		eol := []byte(lineBreak(text))
		out := bytes.Clone(text)
		if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
			out = append(out, eol...)
		}
		if len(out) > 0 {
			out = append(out, eol...)
		}
		return append(append(out, block...), eol...), nil
	})
}

// Remove implements [Edit]. It also removes the blank line before the block.
func (b Block) Remove(text, _ []byte) ([]byte, error) {
	return withoutMark(text, func(text []byte) ([]byte, error) {
		from, to, err := findBlock(text)
		if err != nil || from < 0 {
			return text, err
		}
		if to < len(text) {
			to = lineEnd(text, to)
		}
		return replace(text, blankBefore(text, from), to, nil), nil
	})
}

// findBlock returns the place of the block with its markers; -1 if there is none.
func findBlock(text []byte) (from, to int, err error) {
	begins, ends := bytes.Count(text, []byte(beginMarker)), bytes.Count(text, []byte(endMarker))
	if begins == 0 && ends == 0 {
		return -1, -1, nil
	}
	from, to = bytes.Index(text, []byte(beginMarker)), bytes.Index(text, []byte(endMarker))
	if begins != 1 || ends != 1 || to < from {
		return 0, 0, fmt.Errorf("the markers %s and %s must be there once each, in this order: repair them by hand", beginMarker, endMarker)
	}
	return from, to + len(endMarker), nil
}

// lineEnd returns where the line after that of a byte begins.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// blankBefore returns where the blank line before a line that begins at byte from begins;
// from if there is none.
func blankBefore(text []byte, from int) int {
	for _, blank := range []string{"\r\n", "\n"} {
		if rest, ok := bytes.CutSuffix(text[:from], []byte(blank)); ok && bytes.HasSuffix(rest, []byte("\n")) {
			return len(rest)
		}
	}
	return from
}
