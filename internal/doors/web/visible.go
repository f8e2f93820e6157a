package web

import (
	"context"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
)

// markup is HTML in which everything was escaped that has to be.
type markup string

// Render writes it, see [templ.Component].
func (m markup) Render(_ context.Context, w io.Writer) error {
	_, err := io.WriteString(w, string(m))
	return err
}

// visible returns a text as HTML. Characters that control, hide or reorder text, and bytes that are no UTF-8, are shown
// by their code points; line breaks and tabs stay.
func visible(s string) markup { return (*marker)(nil).html(s) }

// marker marks the words of a query, in any form that has the same stem. Nil marks nothing.
type marker struct {
	analyzer bm25.Analyzer
	terms    map[string]bool
}

// maxMarked is the length of the longest word that is marked, in bytes: texts without spaces are one word.
const maxMarked = 64

func newMarker(query string) *marker {
	m := &marker{analyzer: bm25.Words(), terms: make(map[string]bool)}
	m.analyzer.Terms(query, func(term []byte) {
		if !m.analyzer.Stop(string(term)) {
			m.terms[string(term)] = true
		}
	})
	return m
}

// matches reports whether a word has a term of the query.
func (m *marker) matches(word string) (found bool) {
	if m == nil || len(word) > maxMarked {
		return false
	}
	m.analyzer.Terms(word, func(term []byte) { found = found || m.terms[string(term)] })
	return found
}

// html is [visible], and marks the words of the query.
func (m *marker) html(s string) markup {
	var b strings.Builder
	for len(s) > 0 {
		n := wordLength(s)
		if n == 0 {
			n = writeOther(&b, s)
		} else if word := s[:n]; m.matches(word) {
			fmt.Fprintf(&b, "<mark>%s</mark>", html.EscapeString(word))
		} else {
			b.WriteString(html.EscapeString(word))
		}
		s = s[n:]
	}
	return markup(b.String())
}

// wordLength returns the length of the word at the beginning of s, in bytes; 0 if there is none.
func wordLength(s string) int {
	n := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if n < 0 {
		return len(s)
	}
	return n
}

// writeOther writes the character at the beginning of s, which is part of no word, and returns its length.
func writeOther(b *strings.Builder, s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && n == 1:
		fmt.Fprintf(b, `<span class="code-point">0x%02X</span>`, s[0])
	case r == '\r' && strings.HasPrefix(s[n:], "\n"):
	case r == '\n' || r == '\t' || !termtext.Special(r):
		b.WriteString(html.EscapeString(s[:n]))
	default:
		fmt.Fprintf(b, `<span class="code-point">U+%04X</span>`, r)
	}
	return n
}
