package mcpserver

import (
	"sort"

	"github.com/hippo-memory/hippo/internal/base/tokencount"
)

// budget is what is left of a limit of tokens.
type budget int

// take takes what a text costs. It reports whether that was left, and else takes nothing.
func (b *budget) take(text string) bool {
	cost := budget(tokencount.Of(text))
	if cost > *b {
		return false
	}
	*b -= cost
	return true
}

// shortened returns the longest of the texts text(0) to text(n) that fits, where text(i) has about i
// characters more than text(0), or text(0) if none does. Its last call is the one whose result it
// returns. Cost: log n calls.
func (b *budget) shortened(n int, text func(n int) string) string {
	const charactersPerToken = 10 // none has as many on average
	n = min(n, charactersPerToken*max(0, int(*b)))
	i := max(0, sort.Search(n, func(i int) bool { return tokencount.Of(text(i+1)) > int(*b) }))
	out := text(i)
	for ; i > 0 && tokencount.Of(out) > int(*b); out = text(i) { // parts of a text with room for more may be a little shorter
		i--
	}
	return out
}
