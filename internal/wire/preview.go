package wire

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
)

// Preview is the part of a content that is shown.
type Preview struct {
	// Text is in one piece. It begins with "…" unless it is the beginning of the content.
	Text string
	// More is how many characters of the content it leaves out.
	More int
	// Ends says that Text reaches the end of the content.
	Ends bool
}

// previewSlack is how many characters above the limit a content may have and still be shown
// whole: less than what says that there are more.
const previewSlack = 40

// PreviewOf returns at most n characters of the content of a hit (n > 0), or all of it if it is
// hardly longer: the beginning, or its passage that was found, if that lies behind the first n.
// It ends at the end of a word, if one ends in its last quarter. Cost: O(len(content)).
func PreviewOf(h *hippo.Hit, n int) Preview {
	s := h.Memory.Content
	total := utf8.RuneCountInString(s)
	if total <= n+min(previewSlack, n/4) {
		return Preview{Text: s, Ends: true}
	}
	text, first := s, ""
	if p := h.Passage; p.From > 0 && utf8.RuneCountInString(s[:p.To]) > n {
		text, first = s[p.From:], "…"
	}
	shown := cut(text, n-len([]rune(first)))
	return Preview{Text: first + shown, More: total - utf8.RuneCountInString(shown), Ends: len(shown) == len(text)}
}

// cut returns at most n characters of the beginning of a text, without spaces at the end.
func cut(text string, n int) string {
	end, word := 0, 0
	for i := 0; i < n && end < len(text); i++ {
		r, size := utf8.DecodeRuneInString(text[end:])
		if unicode.IsSpace(r) && i >= n-n/4 {
			word = end
		}
		end += size
	}
	rest, _ := utf8.DecodeRuneInString(text[end:])
	if end < len(text) && word > 0 && !unicode.IsSpace(rest) {
		end = word
	}
	return strings.TrimRightFunc(text[:end], unicode.IsSpace)
}
