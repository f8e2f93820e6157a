package formats

import (
	"strings"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
)

// clean replaces the control characters that [hippo.Memory.Validate] refuses, so that a memory
// which another program wrote can be changed and copied as any other.
func clean(m *hippo.Memory) {
	m.Content = cleanText(m.Content, true)
	for _, list := range [][]string{m.Situation, m.Tags} {
		for i, s := range list {
			list[i] = cleanText(s, false)
		}
	}
	for _, s := range []*string{
		&m.Type, &m.Source.Author, &m.Source.Client, &m.Source.Session, &m.Source.URI, &m.Project, &m.Namespace,
	} {
		*s = cleanText(*s, false)
	}
}

// cleanText replaces control characters; in one line, line breaks and tabs become spaces.
func cleanText(s string, multiline bool) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			if multiline {
				return r
			}
			return ' '
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			return utf8.RuneError
		default:
			return r
		}
	}, s)
}
