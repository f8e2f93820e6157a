package screen

import (
	"strings"
)

// longestFunctionWord is the length of the longest word that links a name with its value, in bytes.
const longestFunctionWord = 16

// maxDistance is how many bytes may stand between a name and its value.
const maxDistance = 70

// linkage says how a value follows a name.
type linkage int

const (
	linkNone   linkage = iota
	linkAfter          // it stands somewhere behind the name
	linkProse          // "the password is x"
	linkAssign         // "password = x"
)

// valueAfter returns the value of the name of a secret. In runs it keeps what it knows of the text for the next name.
func valueAfter(text string, n *secretName, name place, runs *[2]place) (place, bool) {
	v := &valueReader{text: text, at: name.end, class: n.class, short: n.short, name: text[name.start:name.end], run: &runs[0]}
	if n.class == passwordName {
		v.run = &runs[1]
	}
	v.limit = min(len(text), name.end+maxDistance)
	if name.start >= 2 && text[name.start-1] == '-' {
		v.flag = true
	} else if strings.HasPrefix(v.name, "-") {
		v.flag = true
	}
	if rest := text[name.end:]; v.flag && len(rest) > 1 && rest[0] == '=' && rest[1] <= ' ' {
		return place{}, false
	}
	return v.read()
}

// valueReader reads what follows the name of a secret.
type valueReader struct {
	text, name string
	at, limit  int
	class      nameClass
	short      bool // the name has other meanings
	flag       bool // the name is a flag of a command
	// run is the last run of characters without a break. Names may stand within one that has no end in sight.
	run *place
}

// read looks at the words behind the name: the first that is the value after a link, or is random enough without one.
func (v *valueReader) read() (place, bool) {
	link := linkNone
	if v.flag {
		link = linkAssign
	}
	adjacent := true
	for range 12 { // words
		quoted := v.skip(&link, adjacent)
		if v.at >= v.limit && v.at >= len(v.text) || v.at > v.limit {
			return place{}, false
		}
		p := v.word(quoted)
		if p.start == p.end {
			return place{}, false
		}
		word := v.text[p.start:p.end]
		lower := ""
		if len(word) <= longestFunctionWord {
			lower = strings.ToLower(word)
		}
		switch {
		case words().links[lower]:
			link = max(link, linkProse)
		case lower == "-p" && v.class == passwordName:
			link = linkAssign
		case words().about[lower] && link < linkAssign:
			return place{}, false
		case v.is(word, link, quoted, adjacent):
			return p, true
		case link >= linkProse && !words().fillers[lower]:
			link = linkAfter
		}
		adjacent = false
		v.at = max(p.end, v.at)
		if endsClause(v.text[v.at:min(len(v.text), v.at+4)]) {
			return place{}, false
		}
	}
	return place{}, false
}

// clauseEnd matches what ends a clause: the value of a name is not behind it.
//
//nolint:gochecknoglobals // compiled when it is first used
var clauseEnd = compiled("^[\"'`”»)]?([.,][\\s]|[,;?]|\\.$|[?!]\\s)|^[\"'`]?[}\\]]")

// endsClause reports whether a clause ends before s.
func endsClause(s string) bool { return s != "" && s[0] != ' ' && clauseEnd().MatchString(s) }

// skip moves over spaces, operators and an opening quotation mark, and returns that mark, or 0.
func (v *valueReader) skip(link *linkage, adjacent bool) (quote string) {
	for v.at < len(v.text) {
		rest := v.text[v.at:]
		b := rest[0]
		switch {
		case b == ' ' || b == '\t' || b == '*' || b == '(' && *link != linkAssign || b == ')' || b == ']' || b == '[':
			v.at++
		case b == '\n' || b == '\r':
			if *link != linkAssign || !adjacent && *link == linkAssign && quote != "" {
				v.at = v.limit + 1
				return ""
			}
			v.at++
		case b == '=' || b == ':' || b == '>' && *link != linkNone:
			quote = ""
			*link = max(*link, linkAssign)
			v.at++
		case strings.HasPrefix(rest, "—"), strings.HasPrefix(rest, "–"):
			quote = ""
			*link = max(*link, linkProse)
			v.at += leading(rest)
		case strings.HasPrefix(rest, "->"), b >= 0x80 && startsWith(rest, "→", "：", "は", "是", "为", "為", "은", "는") != "":
			quote = ""
			*link = linkAssign
			v.at += max(2, leading(rest))
		default:
			q := startsWith(rest, `\"`, `"`, `'`, "`", "“", "„", "«", "‘", "「", "‹", "”", "’")
			if q == "" {
				return quote
			}
			quote = q
			v.at += len(q)
		}
	}
	return quote
}

// leading returns the length of the first character.
func leading(s string) int {
	for i := range s {
		if i > 0 {
			return i
		}
	}
	return len(s)
}

// startsWith returns the first of some marks that s begins with, or "".
func startsWith(s string, marks ...string) string {
	for _, m := range marks {
		if strings.HasPrefix(s, m) {
			return m
		}
	}
	return ""
}

// word returns the place of the word at the current one: up to the closing quotation mark, or to a space.
func (v *valueReader) word(quote string) place {
	start := v.at
	if quote == `"` || quote == `'` || quote == "`" || quote == `\"` {
		if i := strings.Index(v.text[start:min(len(v.text), start+4096)], quote); i > 0 && !strings.Contains(v.text[start:start+i], "\n") {
			return place{start, start + i}
		}
	}
	end := v.runEnd(start, quote)
	trimmed := strings.TrimRight(v.text[start:end], ".,:)]}>")
	if trimmed == "" {
		return place{start, end}
	}
	return place{start, start + len(trimmed)}
}

// runEnd returns the end of the run of characters without a break that a word is in.
func (v *valueReader) runEnd(start int, quote string) int {
	if start >= v.run.start && start < v.run.end && quote == "" {
		return v.run.end
	}
	end := start
	for end < len(v.text) && !v.breaks(start, end, quote) {
		end++
	}
	if quote == "" {
		*v.run = place{start, end}
	}
	return end
}

// breaks reports whether a word that begins at start ends at an offset.
func (v *valueReader) breaks(start, end int, quote string) bool {
	next := byte(' ')
	if end+1 < len(v.text) {
		next = v.text[end+1]
	}
	switch b := v.text[end]; b {
	case '"', '`', ';':
		return true
	case '<':
		return end > start
	case ',':
		return next <= ' '
	case '\'':
		return quote == "'" || next <= ' ' || next == ',' || next == ')'
	case '&':
		return v.class != passwordName
	case '\\':
		return next == 'n' || next == '"'
	default:
		return b <= ' ' || b >= 0x80 && closing(v.text[end:])
	}
}

// closing reports whether s begins with a mark that ends a quotation or a sentence in some script.
func closing(s string) bool {
	return startsWith(s, "”", "“", "»", "’", "」", "›", "。", "，", "、", "です", "입니다", "이고") != ""
}
