package secret

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// minLength is the length in bytes from which a query parameter is searched for in
// other texts: a shorter one, such as the 1 of "v=1", is no secret and would make
// them unreadable.
const minLength = 6

// urls matches what looks like a URL within a text.
var urls = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?i)[a-z][a-z0-9+.-]*://[^\\s\"'`<>]+") }) //nolint:gochecknoglobals // compiled when it is first used

// host matches the rest of a URL that begins with a host and a port, without a user.
var host = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([\w.-]+|\[[0-9a-fA-F:.]+\])(:[0-9]+)?([/?#]|$)`) }) //nolint:gochecknoglobals // compiled when it is first used

// Redact returns text with "[redacted]" in place of the given secrets, and of the
// user information and the query of every URL in it (see [RedactURL]). Every text
// that may repeat the URL of an endpoint goes through it before it is shown.
func Redact(text string, secrets ...Value) string {
	for _, s := range secrets {
		if hidden := s.Reveal(); hidden != "" {
			text = strings.ReplaceAll(text, hidden, redacted)
		}
	}
	return urls().ReplaceAllStringFunc(text, RedactURL)
}

// RedactURL returns a setting that may be a URL, "http://HOST/PATH#NAME", without its
// user information and query; what has no "://" is returned as it is. It does not
// rely on a parser, because a password that is not escaped may contain any of the
// delimiters. Where it is unclear what is secret, it hides too much.
func RedactURL(s string) string {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		return s
	}
	name := ""
	if host().MatchString(rest) {
		// An @ at the beginning of a name is usual, one within it may end a password.
		if i := strings.LastIndexByte(rest, '#'); i >= 0 && strings.LastIndexByte(rest, '@') <= i+1 {
			rest, name = rest[:i], rest[i:]
		}
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		after := rest[at:]
		if strings.Contains(rest[:at], "?") { // a query with an @, or a password with a ?
			after = ""
		}
		rest = redacted + after
	}
	return scheme + "://" + hideQuery(rest) + hideQuery(name)
}

// hideQuery hides what follows a question mark.
func hideQuery(s string) string {
	if path, _, ok := strings.Cut(s, "?"); ok {
		return path + "?" + redacted
	}
	return s
}

// InURL returns what is secret in a URL, in each form in which a server may repeat
// it: the user information, and the query as a whole and by parameter, escaped and
// not. The longest come first, so that [Redact] leaves no rest of them.
func InURL(u *url.URL) []Value {
	var found []string
	if u.User != nil {
		password, _ := u.User.Password()
		found = append(found, u.User.String(), password, url.QueryEscape(password))
	}
	found = append(found, u.RawQuery)
	for parameter := range strings.SplitSeq(u.RawQuery, "&") {
		name, raw, ok := strings.Cut(parameter, "=")
		if !ok {
			raw = name
		}
		found = append(found, raw)
		if text, err := url.QueryUnescape(raw); err == nil {
			found = append(found, text, url.QueryEscape(text), url.PathEscape(text))
		}
	}
	return longest(found)
}

// longest returns the texts of at least minLength bytes as Values, each once, the
// longest first.
func longest(texts []string) []Value {
	slices.SortFunc(texts, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	var values []Value
	for _, s := range slices.Compact(texts) {
		if len(s) >= minLength {
			values = append(values, New(s))
		}
	}
	return values
}
