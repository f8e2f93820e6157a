package screen

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

const (
	// maxMatch is the length of what an expression is matched against at a keyword, in bytes.
	maxMatch = 8 << 10
	// before is how far before a keyword an expression is searched that does not begin with it, in bytes.
	before = 120
)

// pattern is the compiled expression of a rule.
type pattern struct {
	expression *regexp.Regexp
	// atKeyword: every match begins with a keyword, so that the expression is tried only there.
	atKeyword bool
	// behind is how far behind a keyword it is searched otherwise, in bytes.
	behind int
	// wordStart: what is before a match is not a part of its first word.
	wordStart bool
}

const (
	// terminator is how most expressions of gitleaks end. It misses a token before a comma or a full stop.
	terminator = "(?:[\\x60'\"\\s;]|\\\\[nr]|$)"
	// identifierStart begins those that look for the name of a service in an identifier. It may be empty, so that every
	// match has a shorter one without it, which begins with a keyword.
	identifierStart = `[\w.-]{0,50}?`
)

// newPattern compiles an expression, and panics if it is not valid.
func newPattern(text string, keywords []string) *pattern {
	text = strings.Replace(text, terminator, `(?:[^\w/+=-]|$)`, 1)
	text = strings.Replace(text, identifierStart, "", 1)
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		panic("screen: rules in the program: " + err.Error())
	}
	p := &pattern{behind: 500, wordStart: strings.HasPrefix(strings.TrimPrefix(text, "(?i)"), `\b`)}
	begins, _ := prefixes(tree)
	if wild(tree) {
		p.behind = 4000
	}
	p.atKeyword = !wild(tree) && !slices.ContainsFunc(begins, func(b string) bool {
		return !slices.ContainsFunc(keywords, func(k string) bool { return strings.HasPrefix(b, strings.ToLower(k)) })
	})
	if p.atKeyword {
		text = "^(?:" + text + ")"
	}
	p.expression = regexp.MustCompile(text)
	return p
}

// begins reports whether a match may begin at an offset of a text.
func (p *pattern) begins(text string, at int) bool {
	return !p.wordStart || at == 0 || !wordByte(text[at-1])
}

// wild reports whether an expression matches any text somewhere, so that trying it takes long.
func wild(x *syntax.Regexp) bool {
	repeated := x.Op == syntax.OpStar || x.Op == syntax.OpPlus || x.Op == syntax.OpRepeat
	if sub := x.Sub; repeated && (sub[0].Op == syntax.OpAnyChar || sub[0].Op == syntax.OpAnyCharNotNL) {
		return true
	}
	return slices.ContainsFunc(x.Sub, wild)
}

// maxPrefixes is how many texts an expression may begin with to be tried only at keywords.
const maxPrefixes = 200

// prefixes returns texts in lower case of which every match begins with one; exact: they are all matches.
func prefixes(x *syntax.Regexp) (list []string, exact bool) {
	switch x.Op {
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(x.Rune))}, true
	case syntax.OpCharClass:
		return classPrefixes(x.Rune)
	case syntax.OpWordBoundary, syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpCapture:
		return prefixes(x.Sub[0])
	case syntax.OpPlus:
		list, _ = prefixes(x.Sub[0])
		return list, false
	case syntax.OpConcat:
		return concatPrefixes(x.Sub)
	case syntax.OpAlternate:
		exact = true
		for _, sub := range x.Sub {
			more, all := prefixes(sub)
			list, exact = append(list, more...), exact && all
		}
		return list, exact
	default:
		return []string{""}, false
	}
}

func classPrefixes(ranges []rune) (list []string, exact bool) {
	const most = 8
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i+1]-ranges[i] >= most {
			return []string{""}, false
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			list = append(list, string(unicode.ToLower(r)))
		}
	}
	slices.Sort(list)
	return slices.Compact(list), true
}

func concatPrefixes(parts []*syntax.Regexp) (list []string, exact bool) {
	list, exact = []string{""}, true
	for _, part := range parts {
		var more []string
		if more, exact = prefixes(part); len(list)*len(more) > maxPrefixes {
			return list, false
		}
		combined := make([]string, 0, len(list)*len(more))
		for _, a := range list {
			for _, b := range more {
				combined = append(combined, a+b)
			}
		}
		if list = combined; !exact {
			break
		}
	}
	return list, exact
}

// wordByte reports whether a byte is one of those that \b of an expression takes for a part of a word.
func wordByte(b byte) bool { return isLetter(b) || isDigit(b) || b == '_' }
