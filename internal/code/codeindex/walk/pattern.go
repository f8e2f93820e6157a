package walk

import (
	"bytes"
	"strings"
)

// pattern is one line of an ignore file.
type pattern struct {
	// parts are the patterns of the components of a path; one part without anchored: of the
	// last component of any path.
	parts    []string
	anchored bool
	negated  bool // what matches is taken back
	dirOnly  bool // matches directories only
}

// patterns are the lines of one ignore file.
type patterns struct {
	// base is the directory of the file, in which anchored patterns begin; "" for the root.
	base string
	list []pattern
}

// maxPatterns bounds the lines of an ignore file that count.
const maxPatterns = 10_000

// parse reads an ignore file as git does: see gitignore(5).
func parse(base string, text []byte) patterns {
	p := patterns{base: base}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for line := range bytes.Lines(text) {
		l := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
		if one, ok := parseLine(l); ok && len(p.list) < maxPatterns {
			p.list = append(p.list, one)
		}
	}
	return p
}

func parseLine(line string) (p pattern, ok bool) {
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	line = trimSpaces(line)
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.dirOnly = strings.CutSuffix(line, "/")
	if line == "" {
		return p, false
	}
	p.anchored = strings.Contains(line, "/")
	if !p.anchored {
		p.parts = []string{line}
		return p, true
	}
	p.parts = splitParts(strings.TrimPrefix(line, "/"))
	return p, true
}

// trimSpaces removes spaces at the end of a line, but for one that a backslash protects.
func trimSpaces(line string) string {
	end := len(line)
	for end > 0 && line[end-1] == ' ' {
		slashes := 0
		for i := end - 2; i >= 0 && line[i] == '\\'; i-- {
			slashes++
		}
		if slashes%2 == 1 {
			break
		}
		end--
	}
	return line[:end]
}

// splitParts splits a pattern at its slashes, those within brackets apart.
func splitParts(line string) (parts []string) {
	from := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '[':
			if n := class(line[i:]); n > 0 {
				i += n - 1
			}
		case '/':
			parts = append(parts, line[from:i])
			from = i + 1
		}
	}
	return append(parts, line[from:])
}

// verdict is what ignore files say of a path.
type verdict int

const (
	silent verdict = iota
	ignored
	kept // a negated pattern takes it back
)

// of returns what the last pattern says that matches a path.
func (p *patterns) of(path string, dir bool) verdict {
	below := path
	if p.base != "" {
		rest, ok := strings.CutPrefix(path, p.base+"/")
		if !ok {
			return silent
		}
		below = rest
	}
	parts := strings.Split(below, "/")
	for i := len(p.list) - 1; i >= 0; i-- {
		one := &p.list[i]
		if one.dirOnly && !dir || !one.matches(parts) {
			continue
		}
		if one.negated {
			return kept
		}
		return ignored
	}
	return silent
}

func (p *pattern) matches(path []string) bool {
	if !p.anchored {
		return glob(p.parts[0], path[len(path)-1])
	}
	return globPath(p.parts, path)
}

// globPath matches components; ** stands for any number of them, at the end for one or more.
// It goes back to the last ** only: what an earlier one took cannot help.
func globPath(parts, path []string) bool {
	i, k, star, from := 0, 0, -1, 0
	for k < len(path) {
		switch {
		case i < len(parts) && parts[i] == "**":
			if i == len(parts)-1 {
				return true
			}
			star, from = i, k
			i++
		case i < len(parts) && glob(parts[i], path[k]):
			i++
			k++
		case star >= 0:
			from++
			i, k = star+1, from
		default:
			return false
		}
	}
	return i == len(parts)
}

// glob matches one component: * is any run of bytes, ? any byte, [...] one of a class, and a
// backslash makes the next byte stand for itself. Cost: at most the product of the lengths.
func glob(pattern, name string) bool {
	i, k, star, from := 0, 0, -1, 0
	for k < len(name) {
		if i < len(pattern) && pattern[i] == '*' {
			star, from = i, k
			i++
			continue
		}
		if n, ok := globByte(pattern[i:], name[k]); ok {
			i += n
			k++
			continue
		}
		if star < 0 {
			return false
		}
		from++
		i, k = star+1, from
	}
	for i < len(pattern) && pattern[i] == '*' {
		i++
	}
	return i == len(pattern)
}

// globByte matches the first unit of a pattern with a byte and returns its length.
func globByte(pattern string, c byte) (length int, ok bool) {
	if pattern == "" {
		return 0, false
	}
	switch pattern[0] {
	case '?':
		return 1, true
	case '[':
		n := class(pattern)
		return n, n > 0 && inClass(pattern[1:n-1], c)
	case '\\':
		if len(pattern) == 1 {
			return 0, false
		}
		return 2, pattern[1] == c
	default:
		return 1, pattern[0] == c
	}
}

// class returns the length of the class that a pattern begins with; 0: it does not end.
func class(pattern string) int {
	i := 1
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		i++
	}
	for first := true; i < len(pattern); first = false {
		switch {
		case pattern[i] == ']' && !first:
			return i + 1
		case pattern[i] == '\\':
			i += 2
		case strings.HasPrefix(pattern[i:], "[:"):
			if end := strings.Index(pattern[i+2:], ":]"); end >= 0 {
				i += end + 4
			} else {
				i++
			}
		default:
			i++
		}
	}
	return 0
}

// inClass reports whether a byte is in a class, given without its brackets.
func inClass(class string, c byte) bool {
	not := class != "" && (class[0] == '!' || class[0] == '^')
	if not {
		class = class[1:]
	}
	found := false
	for i := 0; i < len(class); {
		if end := strings.Index(class[i:], ":]"); strings.HasPrefix(class[i:], "[:") && end > 0 {
			found = found || named(class[i+2:i+end], c)
			i += end + 2
			continue
		}
		low, next := classByte(class, i)
		high := low
		if next+1 < len(class) && class[next] == '-' {
			high, next = classByte(class, next+1)
		}
		found = found || low <= c && c <= high
		i = next
	}
	return found != not
}

// classByte returns a byte of a class and where the next one begins.
func classByte(class string, i int) (c byte, next int) {
	if class[i] == '\\' && i+1 < len(class) {
		i++
	}
	return class[i], i + 1
}

// named reports whether a byte is in a class of POSIX.
func named(class string, c byte) bool {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	graph := c > ' ' && c < 0x7f
	switch class {
	case "alpha":
		return lower || upper
	case "alnum":
		return lower || upper || digit
	case "digit":
		return digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r'
	case "blank":
		return c == ' ' || c == '\t'
	case "punct":
		return graph && !lower && !upper && !digit
	case "graph":
		return graph
	case "print":
		return graph || c == ' '
	case "cntrl":
		return c < ' ' || c == 0x7f
	case "xdigit":
		return digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	default:
		return false
	}
}
