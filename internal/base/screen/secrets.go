package screen

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Finding is a secret in a text. It does not hold the secret.
type Finding struct {
	// Rule names what was found: "github-pat", "password", ...
	Rule string
	// Start and End are byte offsets in the text.
	Start, End int
	// Line and Column of Start count from 1, the column in characters.
	Line, Column int
	// Excerpt is what may be shown: the first characters of a long secret, and the length.
	Excerpt string
}

// Secrets returns the secrets in a text, in order and without overlap. Beside the keys of providers it finds
// passwords in URLs, values of names such as password or API key in code, files and sentences, and all of them in
// base64, encoded once. Cost: microseconds for a kilobyte of prose, up to some milliseconds for one that names providers.
func Secrets(text string) []Finding {
	p := plain(text)
	var found []Finding
	add := func(rule string, start, end int) {
		from, to := p.span(start, end)
		found = append(found, Finding{Rule: rule, Start: from, End: to, Excerpt: excerpt(p.text[start:end])})
	}
	scan(p.text, add)
	for _, e := range encodedIn(p.text) {
		if end := discordToken(p.text, e); end > 0 {
			add("discord-token", e.start, end)
		}
		scan(e.decoded, func(rule string, _, _ int) { add(rule+" in base64", e.start, e.end) })
	}
	return ordered(text, found)
}

// Redact returns a text with "[redacted]" in place of the secrets in it, for messages that repeat what a caller wrote.
func Redact(text string) string {
	var b strings.Builder
	done := 0
	for _, f := range Secrets(text) {
		b.WriteString(text[done:f.Start] + "[redacted]")
		done = f.End
	}
	return b.String() + text[done:]
}

// scan calls found for every secret in a plain text that is not encoded.
func scan(text string, found func(rule string, start, end int)) {
	rules().find(text, found)
	findAssigned(text, found)
}

//nolint:gochecknoglobals // compiled when it is first used
var discordRest = compiled(`^\.[\w-]{6}\.[\w-]{27,40}`)

// discordToken returns the end of a token of Discord that begins with an encoded part: the digits of its user. It is 0 for
// none.
func discordToken(text string, e encodedText) int {
	if len(e.decoded) < 15 || strings.ContainsFunc(e.decoded, func(r rune) bool { return !unicode.IsDigit(r) }) {
		return 0
	}
	if m := discordRest().FindStringIndex(text[e.end:]); m != nil {
		return e.end + m[1]
	}
	return 0
}

// ordered sorts findings, leaves out those within others, and sets their lines.
func ordered(text string, found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	kept := found[:0]
	end, line, column, done := 0, 1, 1, 0
	for _, f := range found {
		if f.Start < end {
			continue
		}
		end = f.End
		between := text[done:f.Start]
		line += strings.Count(between, "\n")
		if i := strings.LastIndexByte(between, '\n'); i >= 0 {
			column, between = 1, between[i+1:]
		}
		column += utf8.RuneCountInString(between)
		done = f.Start
		f.Line, f.Column = line, column
		kept = append(kept, f)
	}
	return kept
}

// excerpt returns what may be shown of a secret: its first 4 characters if it has at least 20.
func excerpt(secret string) string {
	n := utf8.RuneCountInString(secret)
	shown := ""
	if n >= 20 && isASCII(secret[:4]) {
		shown = secret[:4]
	}
	return fmt.Sprintf("%s… (%d characters)", shown, n)
}

// entropy returns the Shannon entropy of a text, in bits a byte.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
