// Package prose separates what people write from what they paste, and splits it into sentences.
package prose

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// pasted matches lines that people paste: logs, stack traces, tables, quotes, headings, diffs, and bold type.
//
//nolint:gochecknoglobals // compiled when it is first used
var pasted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|\[\d|at \S+\(|at (async |new )?\S+( \[as \S+\])? \((\S+|index \d+)\)\s*$|at \S+:\d+:\d+\)?\s*$|File "|Traceback|[>|#$%+]|---|\{|\}|<|(DEBUG|INFO|WARN|ERROR|FATAL)\b)|\b(WARN|ERROR|INFO|DEBUG)\b|\*\*|[─━═]{3}|\b(warning|error) [A-Z]+\d+\b|(\b\w+[:=] ?-?\d+(\.\d+)?\b.*){4}|^\[[^\]]+\]\(`)
})

// Pasted reports whether a line, not trimmed, is one that people paste: indented by four spaces or a tab, or with the marks of a log, a
// stack trace, a table, a quote, a heading or a diff. Cost: about 1 us.
func Pasted(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") || pasted().MatchString(line)
}

// Sentences splits a line at full stops, question and exclamation marks that end a sentence.
func Sentences(line string) []string {
	var out []string
	from := 0
	for i, r := range line {
		size := utf8.RuneLen(r)
		end := false
		switch r {
		case '。', '！', '？':
			end = true
		case '.', '!', '?', ';':
			rest := line[i+size:]
			next, _ := utf8.DecodeRuneInString(rest)
			end = rest == "" || unicode.IsSpace(next) && !abbreviated(line[from:i])
		}
		if !end {
			continue
		}
		if s := strings.TrimSpace(line[from : i+size]); len(s) > 1 {
			out = append(out, s)
		}
		from = i + size
	}
	if s := strings.TrimSpace(line[min(from, len(line)):]); s != "" {
		out = append(out, s)
	}
	return out
}

// abbreviated reports whether a point after s belongs to an abbreviation or a number of a list.
func abbreviated(s string) bool {
	s = s[strings.LastIndexAny(s, " (")+1:]
	switch strings.ToLower(s) {
	case "e.g", "i.e", "z.b", "etc", "vs", "approx", "bzw", "ca", "no", "nr", "d.h", "p.ex":
		return strings.ToLower(s) != "no"
	}
	return len(s) == 1 && s >= "0" && s <= "9"
}
