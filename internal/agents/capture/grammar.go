package capture

import (
	_ "embed"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode"
)

//go:embed refusals.txt
var refusalText string

//go:embed private.txt
var privateText string

// grammar has the expressions of refusals.txt and private.txt.
type grammar struct {
	// spaced and inner are the expressions of each kind, of languages with spaces between words and without.
	spaced, inner map[string][]expression
	// words are those to which typos are mended, known all that an expression has.
	words []string
	known map[string]bool
}

// expression is compiled when a text has one of the literals without which it cannot match; with none, for any text.
type expression struct {
	literals []string
	compiled func() *regexp.Regexp
}

func (x *expression) matches(text string) bool {
	return (x.literals == nil || slices.ContainsFunc(x.literals, func(s string) bool { return strings.Contains(text, s) })) && x.compiled().MatchString(text)
}

// refusals returns the grammar, which must not be changed.
var refusals = sync.OnceValue(func() *grammar { //nolint:gochecknoglobals // it is built once and never changes
	g := &grammar{spaced: map[string][]expression{}, inner: map[string][]expression{}, known: map[string]bool{}}
	var parts []string
	for line := range strings.Lines(refusalText + privateText) {
		line = strings.TrimSpace(line)
		language, rest, _ := strings.Cut(line, " ")
		name, text, _ := strings.Cut(rest, " ")
		if text == "" || line[0] == '#' {
			continue
		}
		for i := len(parts) - 2; i >= 0; i -= 2 { // the last one of a name is that of the language
			text = strings.ReplaceAll(text, parts[i], parts[i+1])
		}
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
			g.known[word] = true
		}
		to := g.spaced
		if language == "zh" || language == "ja" {
			to = g.inner
		}
		switch value, part := strings.CutPrefix(text, "= "); {
		case part:
			parts = append(parts, "<"+name+">", value)
		case name == "words":
			g.words = append(g.words, strings.Split(text, "|")...)
		default:
			to[name] = append(to[name], expression{literalsOf(text), pattern(text)})
		}
	}
	return g
})

// literalsOf returns texts one of which is in all that an expression matches; nil if there are none.
func literalsOf(text string) []string {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil // it panics when it is compiled
	}
	return required(tree)
}

// required returns the literals of a tree: of a sequence those of the part whose shortest one is the longest.
func required(tree *syntax.Regexp) []string {
	switch tree.Op {
	case syntax.OpLiteral:
		return []string{string(tree.Rune)}
	case syntax.OpCapture, syntax.OpPlus:
		return required(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min > 0 {
			return required(tree.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range tree.Sub {
			if found := required(sub); shortest(found) > shortest(best) {
				best = found
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range tree.Sub {
			found := required(sub)
			if found == nil {
				return nil
			}
			all = append(all, found...)
		}
		return all
	default:
	}
	return nil
}

// shortest returns the length of the shortest text, 0 without texts.
func shortest(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}

// request is a sentence of a user as the grammar reads it.
type request struct{ spaced, inner string }

// has reports whether a sentence matches a kind of refusals.
func (r request) has(kind string) bool {
	g := refusals()
	return slices.ContainsFunc(g.spaced[kind], func(x expression) bool { return x.matches(r.spaced) }) ||
		r.inner != "" && slices.ContainsFunc(g.inner[kind], func(x expression) bool { return x.matches(r.inner) })
}
