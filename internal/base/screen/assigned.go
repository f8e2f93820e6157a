package screen

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed names.txt
var nameList string

// nameClass says what the value of a name looks like.
type nameClass int

const (
	passwordName nameClass = iota // any word can be one
	tokenName                     // it is random
	keyName                       // it is random and long; the name has other meanings, too
	loginName                     // it is random, or behind a user and a slash
)

// secretName is a word that names a secret.
type secretName struct {
	word  string
	class nameClass
	short bool // it is often a part of other words
}

// nameTable is the names of secrets.
type nameTable struct {
	words *matcher
	names []secretName // by number of the word
}

// secretNames returns the table of names.
//
//nolint:gochecknoglobals // it is read once and never changes
var secretNames = sync.OnceValue(func() *nameTable {
	t := &nameTable{}
	var words []string
	for line := range strings.Lines(nameList) {
		kind, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || line[0] == '#' {
			continue
		}
		class := map[string]nameClass{"password": passwordName, "token": tokenName, "key": keyName, "login": loginName}[strings.TrimPrefix(kind, "short ")]
		for entry := range strings.SplitSeq(list, ", ") {
			for _, w := range cases(entry) {
				words = append(words, w)
				t.names = append(t.names, secretName{w, class, strings.HasPrefix(kind, "short ")})
			}
		}
	}
	t.words = newMatcher(words)
	return t
})

// findAssigned calls found for what is the value of a name of a secret: "password = x", "the token for y is z".
func findAssigned(text string, found func(rule string, start, end int)) {
	t := secretNames()
	var runs [2]place
	done := 0
	t.words.each(text, func(word, end int) {
		n := &t.names[word]
		start := end - len(n.word)
		if start < done || !n.stands(text, start, end) {
			return
		}
		name := identifier(text, start, end)
		if calls(text[name.end:]) || otherName(text[name.start:name.end]) || n.short && n.class == tokenName && name.end > end {
			return
		}
		if v, ok := valueAfter(text, n, name, &runs); ok {
			done = v.end
			rule := "token"
			if n.class == passwordName {
				rule = "password"
			}
			found(rule, v.start, v.end)
		}
	})
}

// place is a range of bytes in a text.
type place struct{ start, end int }

// stands reports whether a word is one, and not a part of another: "key" is none in "monkey".
func (n *secretName) stands(text string, start, end int) bool {
	if text[start] >= 0x80 {
		return true
	}
	after := byte(0)
	if end < len(text) {
		after = text[end]
	}
	if after == 's' && end+1 < len(text) && !isLetter(text[end+1]) {
		after = text[end+1]
	}
	if n.short && isLetter(after) || isLower(after) && isLower(text[end-1]) || isUpper(after) && isUpper(text[end-1]) {
		return false
	}
	if start == 0 || !isLetter(text[start-1]) || !n.short {
		return true
	}
	return isLower(text[start-1]) && isUpper(text[start])
}

// identifier returns the place of the identifier around a word: DB_PASSWORD_PROD of PASSWORD.
func identifier(text string, start, end int) place {
	for most := 40; most > 0 && start > 0 && identifierByte(text[start-1]); most-- {
		start--
	}
	for most := 30; most > 0 && end < len(text) && identifierByte(text[end]); most-- {
		end++
	}
	for end > start && (text[end-1] == '.' || text[end-1] == '-') {
		end--
	}
	return place{start, end}
}

// calls reports whether what follows a name makes it the name of a function, whose argument is no text.
func calls(rest string) bool {
	rest = strings.TrimPrefix(rest, ".")
	return len(rest) > 1 && rest[0] == '(' && startsWith(rest[1:], `"`, "'", "`", `\"`) == ""
}

func identifierByte(b byte) bool {
	return isLetter(b) || b >= '0' && b <= '9' || b == '_' || b == '-' || b == '.'
}
func isLower(b byte) bool { return b >= 'a' && b <= 'z' }
func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }
func isDigit(b byte) bool { return b >= '0' && b <= '9' }
