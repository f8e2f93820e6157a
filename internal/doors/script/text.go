package script

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/base/tokencount"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

// Write is one write of a program.
type Write struct {
	// Verb is the function, Text what it changed: ids, and the beginning of a new content.
	Verb string `json:"verb"`
	Text string `json:"text"`
}

const (
	// maxListed is how many writes of a dry run are listed.
	maxListed = 20
	// shownOfWrite is how many characters of a new content are.
	shownOfWrite = 120
)

// text returns the report of a program: its text and what it wrote, within a limit of tokens.
func (s *session) text(text string, limit int) string {
	note := s.wrote()
	if note != "" {
		note = cut(note, limit/2)
	}
	if text == "" && note == "" {
		return "no result: end the program with an expression, or print"
	}
	if text != "" {
		text = cut(text, limit-tokencount.Of(note))
	}
	return strings.Trim(text+"\n"+note, "\n")
}

// wrote says what was written; empty if nothing was.
func (s *session) wrote() string {
	switch {
	case len(s.writes) == 0 && s.program.DryRun:
		return "dry run: nothing would be stored"
	case len(s.writes) == 0:
		return ""
	case !s.program.DryRun:
		return fmt.Sprintf("stored %d", len(s.writes))
	}
	var b strings.Builder
	b.WriteString("dry run, nothing was stored. It would:")
	for i, w := range s.writes {
		if i == maxListed {
			fmt.Fprintf(&b, "\n... and %d more", len(s.writes)-i)
			break
		}
		b.WriteString("\n" + w.Verb + " " + wire.Clip(w.Text, shownOfWrite))
	}
	return b.String()
}

// cut returns the beginning of a text that a model reads as at most limit tokens, without characters that
// control a terminal. A note says how much is missing.
func cut(text string, limit int) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = termtext.Line(lines[i])
	}
	text = strings.Join(lines, "\n")
	if tokencount.Of(text) <= limit {
		return text
	}
	note := func(shown int) string {
		return fmt.Sprintf("... cut at max_tokens: %d of %d characters are shown; return less, or raise max_tokens", shown, utf8.RuneCountInString(text))
	}
	room := max(0, limit-tokencount.Of(note(len(text))))
	n := sort.Search(len(text), func(n int) bool { return tokencount.Of(text[:n+1]) > room })
	shown := strings.TrimRight(strings.ToValidUTF8(text[:n], ""), "\n ")
	if i := strings.LastIndexByte(shown, '\n'); i > len(shown)/2 { // a whole line, if that is not much less
		shown = shown[:i]
	}
	return strings.TrimLeft(shown+"\n"+note(utf8.RuneCountInString(shown)), "\n")
}
