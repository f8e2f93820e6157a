package entity

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxToken is the maximum length in bytes of an entity of one token.
const maxToken = 200

// classify returns the kind and the normal form of a token; "" for a plain word or
// punctuation.
func classify(t string) (kind Kind, norm string) {
	if len(t) < 2 || len(t) > maxToken || isPlain(t) {
		return "", ""
	}
	if norm, ok := url(t); ok {
		return URL, norm
	}
	if isEmail(t) || isHandle(t) {
		return Address, t
	}
	if isIssue(t) {
		return Issue, t
	}
	if file := withoutLine(t); isPath(file) {
		return Path, file
	}
	if isVersion(t) {
		return Version, t
	}
	if norm, ok := identifier(t); ok {
		return Identifier, norm
	}
	return "", ""
}

// isPlain reports whether all letters of a token after the first are lower-case ASCII: a word.
func isPlain(t string) bool {
	return isLetter(t[0]) && all(t[1:], func(c byte) bool { return c >= 'a' && c <= 'z' })
}

// url returns a web address without scheme, www., fragment and last slash.
func url(t string) (string, bool) {
	scheme, rest, ok := strings.Cut(t, "://")
	if !ok {
		if rest, ok = strings.CutPrefix(t, "www."); !ok || !strings.Contains(rest, ".") {
			return "", false
		}
	} else if scheme == "" || strings.IndexFunc(scheme, func(r rune) bool { return r >= utf8.RuneSelf || !isAlnum(byte(r)) }) >= 0 {
		return "", false
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest = strings.TrimSuffix(strings.TrimPrefix(rest, "www."), "/")
	return rest, rest != ""
}

func isEmail(t string) bool {
	name, host, ok := strings.Cut(t, "@")
	return ok && name != "" && !strings.ContainsAny(name, "/:()") && !strings.Contains(host, "@") &&
		strings.Contains(host, ".") && isAlnumAt(host, 0) && isAlnumAt(host, len(host)-1)
}

// isHandle reports whether a token is @name or @scope/name.
func isHandle(t string) bool {
	name, ok := strings.CutPrefix(t, "@")
	return ok && len(name) > 1 && isAlnumAt(name, 0) && all(name, func(c byte) bool { return isAlnum(c) || strings.IndexByte("_-./", c) >= 0 })
}

// isIssue reports whether a token is #12, GH-12 or ABC-123.
func isIssue(t string) bool {
	if digits, ok := strings.CutPrefix(t, "#"); ok {
		return len(digits) > 1 && len(digits) < 10 && all(digits, isDigit)
	}
	project, number, ok := strings.Cut(t, "-")
	return ok && len(project) > 1 && len(project) < 11 && isUpper(project[0]) && number != "" && len(number) < 8 &&
		all(project, func(c byte) bool { return isUpper(c) || isDigit(c) }) && all(number, isDigit)
}

// withoutLine strips the line and column numbers after the name of a file.
func withoutLine(t string) string {
	for range 2 {
		name, number, ok := cutLast(t, ":")
		if !ok || number == "" || !all(number, isDigit) {
			break
		}
		t = name
	}
	return t
}

// isPath reports whether a token is a path: it begins like one, or has several parts and
// ends like a file name or is deep.
func isPath(t string) bool {
	parts := strings.FieldsFunc(t, func(r rune) bool { return r == '/' || r == '\\' })
	if len(parts) == 0 || !hasLetter(t) || strings.Contains(t, "//") {
		return false
	}
	switch {
	case strings.HasPrefix(t, "~/"), strings.HasPrefix(t, "./"), strings.HasPrefix(t, "../"), len(t) > 3 && isLetter(t[0]) && strings.HasPrefix(t[1:], `:\`):
		return true
	case t[0] == '/':
		return len(parts) > 1 || len(parts[0]) > 2
	case !strings.ContainsAny(t, `/\`):
		return isFile(t)
	case strings.Contains(t, "_") || len(parts) > 3:
		return true
	}
	name, ending, ok := cutLast(parts[len(parts)-1], ".")
	return ok && name != "" && ending != "" && len(ending) < 6 && isAlnumAt(ending, 0)
}

// isFile reports whether a name has a common file extension.
func isFile(t string) bool {
	name, ending, ok := cutLast(t, ".")
	return ok && name != "" && words().extensions[strings.ToLower(ending)] > 0
}

// isVersion reports whether a token is a version: v1, v1.2, 1.2.3, with an optional suffix
// after a dash or a plus.
func isVersion(t string) bool {
	number, marked := strings.CutPrefix(strings.ToLower(t), "v")
	number, _, _ = strings.Cut(number, "-")
	number, _, _ = strings.Cut(number, "+")
	dots := strings.Count(number, ".")
	return len(number) > 0 && isDigit(number[0]) && isDigit(number[len(number)-1]) && (marked || dots > 1) &&
		all(number, func(c byte) bool { return isDigit(c) || c == '.' }) && !strings.Contains(number, "..")
}

// identifier returns the normal form of an identifier in source code.
func identifier(t string) (string, bool) {
	if flag := strings.TrimLeft(t, "-"); len(t)-len(flag) == 2 {
		return t, len(flag) > 1 && isAlnumAt(flag, 0)
	}
	name := strings.TrimPrefix(t, "$")
	if marked := len(name) < len(t); marked && len(name) > 1 && (isLetter(name[0]) || name[0] == '_') && all(name, isNameByte) {
		return name, true
	}
	name = strings.Trim(t, "_-.:#$@~+")
	if len(name) < 2 || !hasLetter(name) {
		return "", false
	}
	return name, isHash(name) || isJoined(name) || isCamel(name) || isNumbered(name)
}

// isJoined reports whether a token is words joined by _, :: or dots.
func isJoined(t string) bool {
	if strings.Contains(t, "_") {
		return strings.IndexFunc(t, func(r rune) bool { return divides(r) || r == '/' || r == '\'' || r == '’' }) < 0
	}
	if strings.Contains(t, "::") {
		return true
	}
	if !strings.Contains(t, ".") {
		return false
	}
	parts := strings.Split(t, ".")
	letters := 0
	for i, p := range parts {
		if p == "" || !all(p, isNameByte) || i > 0 && isUpper(p[0]) && !isCamel(p) && len(parts) == 2 && !isUpper(parts[0][0]) {
			return false // end.Begin: two sentences
		}
		if !isLetter(p[0]) {
			return false
		}
		if len(p) > 1 {
			letters++
		}
	}
	return letters > 0 // not e.g.
}

// isCamel reports whether a capital follows a small letter, or small letters follow
// several capitals.
func isCamel(t string) bool {
	if strings.ContainsFunc(t, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		return false
	}
	upper, humps, before := 0, 0, rune(0)
	for _, r := range t {
		switch {
		case unicode.IsUpper(r):
			if unicode.IsLower(before) {
				humps++
			}
			upper++
		case unicode.IsLower(r) && upper > 2 && humps == 0 && unicode.IsUpper(before):
			humps++ // HTTPServer, but not DVDs
			if r == 's' && strings.HasSuffix(t, "s") && upper == utf8.RuneCountInString(t)-1 {
				humps--
			}
		}
		before = r
	}
	return humps > 0
}

// isNumbered reports whether a token begins with a letter and has a digit later, with or
// without dashes: gpt-4, utf8, e5-large-v2. 2nd, 10am and 5-year-old are plain words.
func isNumbered(t string) bool {
	if !isLetter(t[0]) || !all(t, func(c byte) bool { return isAlnum(c) || c == '-' }) {
		return false
	}
	for i := range len(t) {
		if isDigit(t[i]) {
			return true
		}
	}
	return false
}

// isHash reports whether a token is seven or more lower-case hexadecimal digits, with both
// letters and decimals, with or without dashes.
func isHash(t string) bool {
	letters, digits := 0, 0
	for i := range len(t) {
		switch c := t[i]; {
		case isDigit(c):
			digits++
		case c >= 'a' && c <= 'f':
			letters++
		case c != '-':
			return false
		}
	}
	return letters > 0 && digits > 1 && letters+digits > 6
}

func cutLast(t, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(t, sep)
	if i < 0 {
		return t, "", false
	}
	return t[:i], t[i+len(sep):], true
}

func all(t string, f func(byte) bool) bool {
	for i := range len(t) {
		if !f(t[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool    { return c >= '0' && c <= '9' }
func isUpper(c byte) bool    { return c >= 'A' && c <= 'Z' }
func isLetter(c byte) bool   { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isAlnum(c byte) bool    { return isLetter(c) || isDigit(c) }
func isNameByte(c byte) bool { return isAlnum(c) || c == '_' || c == '-' }

func isAlnumAt(t string, i int) bool { return i >= 0 && i < len(t) && isAlnum(t[i]) }
