package screen

import (
	"regexp"
	"strings"
)

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

// valueAfter returns the value of the name of a secret.
func valueAfter(text string, n *secretName, name place) (place, bool) {
	v := &valueReader{text: text, at: name.end, class: n.class, short: n.short, name: text[name.start:name.end]}
	v.limit = min(len(text), name.end+maxDistance)
	if name.start >= 2 && text[name.start-1] == '-' {
		v.flag = true
	} else if strings.HasPrefix(v.name, "-") {
		v.flag = true
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
}

// read looks at the words behind the name: the first that is the value after a link, or is random enough without one.
func (v *valueReader) read() (place, bool) {
	link := linkNone
	if v.flag {
		link = linkAssign
	}
	adjacent := true
	for words := 0; words < 12; words++ {
		quoted := v.skip(&link, adjacent)
		if v.at >= v.limit && v.at >= len(v.text) || v.at > v.limit {
			return place{}, false
		}
		p := v.word(quoted)
		if p.start == p.end {
			return place{}, false
		}
		word := v.text[p.start:p.end]
		lower := strings.ToLower(word)
		switch {
		case isLink(lower):
			link = max(link, linkProse)
		case lower == "-p" && v.class == passwordName:
			link = linkAssign
		case notAbout(lower) && link < linkAssign:
			return place{}, false
		case v.is(word, link, quoted, adjacent):
			return p, true
		case link >= linkProse && !adjacentFiller(lower):
			link = linkAfter
		}
		adjacent = false
		v.at = max(p.end, v.at)
		if clauseEnd.MatchString(v.text[v.at:min(len(v.text), v.at+4)]) {
			return place{}, false
		}
	}
	return place{}, false
}

// clauseEnd matches what ends a clause: the value of a name is not behind it.
var clauseEnd = regexp.MustCompile("^[\"'`”»)]?([.,][\\s]|[,;?]|\\.$|[?!]\\s)|^[\"'`]?[}\\]]")

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
		case b == '-' && len(rest) > 1 && rest[1] == '>', strings.HasPrefix(rest, "→"), strings.HasPrefix(rest, "："), strings.HasPrefix(rest, "は"), strings.HasPrefix(rest, "是"), strings.HasPrefix(rest, "为"), strings.HasPrefix(rest, "為"), strings.HasPrefix(rest, "은"), strings.HasPrefix(rest, "는"):
			quote = ""
			*link = linkAssign
			v.at += max(2, leading(rest))
		default:
			q := quotationMark(rest)
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

// quotationMark returns the quotation mark at the beginning of s, or "".
func quotationMark(s string) string {
	for _, q := range []string{`\"`, `"`, `'`, "`", "“", "„", "«", "‘", "「", "‹", "”", "’"} {
		if strings.HasPrefix(s, q) {
			return q
		}
	}
	return ""
}

// word returns the place of the word at the current one: up to the closing quotation mark, or to a space.
func (v *valueReader) word(quote string) place {
	start := v.at
	end := start
	if quote == `"` || quote == `'` || quote == "`" || quote == `\"` {
		if i := strings.Index(v.text[start:min(len(v.text), start+4096)], quote); i > 0 && !strings.Contains(v.text[start:start+i], "\n") {
			return place{start, start + i}
		}
	}
	for end < len(v.text) && end < start+4096 {
		b := v.text[end]
		if b <= ' ' || b == '"' || b == '`' || b == '<' && end > start || b == ',' && (end+1 == len(v.text) || v.text[end+1] <= ' ') || b == ';' || closing(v.text[end:]) {
			break
		}
		if b == '\'' && (quote == "'" || end+1 == len(v.text) || v.text[end+1] <= ' ' || v.text[end+1] == ',' || v.text[end+1] == ')') || b == '&' && v.class != passwordName || b == '\\' && end+1 < len(v.text) && (v.text[end+1] == 'n' || v.text[end+1] == '"') {
			break
		}
		end++
	}
	trimmed := strings.TrimRight(v.text[start:end], ".,:)]}>")
	if trimmed == "" {
		return place{start, end}
	}
	return place{start, start + len(trimmed)}
}

// closing reports whether s begins with a mark that ends a quotation or a sentence in some script.
func closing(s string) bool {
	for _, q := range []string{"”", "“", "»", "’", "」", "›", "。", "，", "、", "です", "입니다", "이고"} {
		if strings.HasPrefix(s, q) {
			return true
		}
	}
	return false
}

// isLink reports whether a word links a name with its value, in a sentence.
func isLink(w string) bool {
	switch w {
	case "is", "was", "are", "equals", "to", "ist", "lautet", "war", "heißt", "auf", "est", "es", "è", "é", "jest", "to:", "это", "är", "er", "on", "olan", "là", "=>", "still", "now", "set", "remains", "became", "being", "sera", "sei", "será", "era", "sont", "von", "zu", "à", "als":
		return true
	}
	return false
}

// adjacentFiller reports whether a word may stand between a link and a value.
func adjacentFiller(w string) bool {
	switch w {
	case "now", "still", "currently", "just", "simply", "again", "jetzt", "noch", "new", "value", "following", "the", "ahora", "maintenant", "this", "one", "just:", "basic", "bearer", "token", "apikey", "string", "literally":
		return true
	}
	return false
}

// notAbout reports whether a word says that a name of a secret is not followed by one.
func notAbout(w string) bool {
	switch w {
	case "length", "policy", "manager", "hash", "hashes", "reset", "field", "file", "files", "expires", "expired", "expiry", "minimum", "maximum", "limit", "limits", "budget", "count", "counts", "rotation", "fingerprint", "endpoint", "usage", "window", "bucket", "ring", "exchange", "commit", "sha", "digest", "checksum", "version", "versions", "uuid", "revision":
		return true
	}
	return false
}
