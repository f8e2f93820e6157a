package wire

import (
	"sort"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/tokencount"
	"github.com/hippo-memory/hippo/internal/retrieval/preview"
)

// Preview is the part of a content that is shown.
type Preview = preview.Preview

// PreviewOf returns at most n characters of the content of a hit (n > 0), see [preview.Of].
func PreviewOf(h *hippo.Hit, n int) Preview {
	return preview.Of(h.Memory.Content, h.Excerpt, n)
}

// Part returns at most n characters of a text (n > 0): of one that is longer the excerpt, see [preview.Of], or the beginning if it has none.
func Part(text string, excerpt []hippo.Span, n int) Preview {
	total := utf8.RuneCountInString(text)
	switch {
	case total <= n:
		return Preview{Text: text, Ends: true}
	case excerpt == nil:
		shown := preview.Beginning(text, n)
		return Preview{Text: shown, More: total - utf8.RuneCountInString(shown)}
	default:
		return preview.Of(text, excerpt, n)
	}
}

// partTokens is how much of a long memory is shown for a question where no limit is given.
const partTokens = 1200

// PartOf returns what of a text answers a question, see [Part], within 1,200 tokens; the whole text if it has no more.
func PartOf(text string, excerpt []hippo.Span) Preview {
	n := sort.Search(utf8.RuneCountInString(text), func(i int) bool { return tokencount.Of(Part(text, excerpt, i+1).Text) > partTokens })
	return Part(text, excerpt, max(n, 1))
}
