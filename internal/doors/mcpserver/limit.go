package mcpserver

import (
	"sort"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/verb"
)

// The limits of max_tokens of the tools that read.
const (
	defaultTokens = 1200
	minTokens     = 200 // room for a heading with notes and the beginning of a hit
	maxTokens     = 100_000
	// maxJSONTokens is for programs, which read JSON: the largest content fits.
	maxJSONTokens = 1_000_000
)

// tokensArg is the argument that limits a result.
func tokensArg(to **int, otherwise int) verb.Arg {
	return verb.Arg{Name: "max_tokens", Field: "MaxTokens", Rules: verb.Schema{"default": otherwise}, Is: verb.Listed | verb.Count, To: to}
}

// tokenLimit is an argument max_tokens. It limits a result, as [briefing.Tokens] estimates it.
type tokenLimit struct{ given *int }

// value returns the limit of a result, as JSON or as text.
func (l tokenLimit) value(json bool) (int, error) {
	most := maxTokens
	if json {
		most = maxJSONTokens
	}
	switch {
	case l.given == nil:
		return defaultTokens, nil
	case *l.given < minTokens || *l.given > most:
		return 0, hippo.Fieldf("max_tokens", "must be between %d and %d, got %d", minTokens, most, *l.given)
	default:
		return *l.given, nil
	}
}

// budget is what is left of a limit of tokens.
type budget int

// take takes what a text costs. It reports whether that was left, and else takes nothing.
func (b *budget) take(text string) bool {
	cost := budget(briefing.Tokens(text))
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
	i := max(0, sort.Search(n, func(i int) bool { return briefing.Tokens(text(i+1)) > int(*b) }))
	out := text(i)
	for ; i > 0 && briefing.Tokens(out) > int(*b); out = text(i) { // parts of a text with room for more may be a little shorter
		i--
	}
	return out
}
