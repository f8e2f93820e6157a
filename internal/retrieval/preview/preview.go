// Package preview shows a part of a long text: its beginning, or the sentences that answer a question.
package preview

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
)

// Preview is the part of a text that is shown.
type Preview struct {
	// Text is the part. It starts with "…" unless it starts where the whole text does. " … " marks each gap.
	Text string
	// More is how many characters of the text it leaves out.
	More int
	// Ends reports whether Text reaches the end of the text.
	Ends bool
}

const (
	// slack is how many characters above the limit a text may have and still be shown whole: fewer than a note that there are more.
	slack = 40
	gap   = " … "
	// minPart is how many characters of a further sentence are worth a gap.
	minPart = 24
	// maxAfter is how many characters are shown of what follows a sentence that answers.
	maxAfter = 400
)

// Of returns at most n characters of a text (n > 0), or all of it if it is hardly longer: as many of the parts that answer best as
// fit, in their order, and what follows them; without parts the beginning. Cost: O(len(text)).
func Of(text string, parts []hippo.Span, n int) Preview {
	total := utf8.RuneCountInString(text)
	if total <= n+min(slack, n/4) {
		return Preview{Text: text, Ends: true}
	}
	if len(parts) == 0 {
		parts = []hippo.Span{{}}
	}
	return show(text, total, chosen(text, parts, n))
}

// chosen returns the parts that are shown, in the order of the text, apart from each other.
func chosen(text string, parts []hippo.Span, n int) []hippo.Span {
	left := n
	var out []hippo.Span
	for i, p := range parts {
		size, cost := utf8.RuneCountInString(text[p.From:p.To]), len([]rune(gap))
		if i == 0 && p.From > 0 {
			cost = 1
		} else if i == 0 {
			cost = 0
		}
		if i > 0 && size+cost > left {
			continue
		}
		p.To = p.From + len(Beginning(text[p.From:p.To], left-cost))
		left -= cost + utf8.RuneCountInString(text[p.From:p.To])
		out = append(out, p)
	}
	for i := range out {
		if left < minPart && len(parts) > 1 {
			break
		}
		room := left
		if parts[0].To > 0 { // else the text begins there, and all of it belongs to it
			room = min(left, maxAfter)
		}
		end := extended(text, out, i, room)
		left -= utf8.RuneCountInString(text[out[i].To:end])
		out[i].To = end
	}
	return merged(text, out)
}

// extended returns where a part ends if what follows it is shown as well, up to the next part.
func extended(text string, parts []hippo.Span, i, left int) int {
	end, next := parts[i].To, len(text)
	for k, p := range parts {
		if k != i && p.From >= end {
			next = min(next, p.From)
		}
	}
	more := Beginning(text[end:], left)
	if end+len(more) >= next { // what is between the two is shown whole
		return next
	}
	return end + len(more)
}

// merged returns parts in the order of the text; those with only spaces between are one.
func merged(text string, parts []hippo.Span) []hippo.Span {
	slices.SortFunc(parts, func(a, b hippo.Span) int { return cmp.Compare(a.From, b.From) })
	out := parts[:1]
	for _, p := range parts[1:] {
		last := &out[len(out)-1]
		if p.From <= last.To || strings.TrimSpace(text[last.To:p.From]) == "" {
			last.To = max(last.To, p.To)
		} else {
			out = append(out, p)
		}
	}
	return out
}

func show(text string, total int, parts []hippo.Span) Preview {
	var b strings.Builder
	shown := 0
	for i, p := range parts {
		switch {
		case i > 0:
			b.WriteString(gap)
		case strings.TrimSpace(text[:p.From]) != "":
			b.WriteString("…")
		default:
			p.From = 0
		}
		part := strings.TrimRightFunc(text[p.From:p.To], unicode.IsSpace)
		b.WriteString(part)
		shown += utf8.RuneCountInString(part)
	}
	last := parts[len(parts)-1]
	return Preview{Text: b.String(), More: total - shown, Ends: strings.TrimSpace(text[last.To:]) == ""}
}

// Beginning returns at most n characters of the beginning of a text, without spaces at the end. It ends at the end of a word, if one ends in
// its last quarter.
func Beginning(text string, n int) string {
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
