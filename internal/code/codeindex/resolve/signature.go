package resolve

import "strings"

// These read the declarations of Go that signatures hold.

// identifier returns the length of the name that a text begins with.
func identifier(s string) int {
	for i, c := range s {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c < 0x80 {
			return i
		}
	}
	return len(s)
}

// closing returns where the bracket that a text begins with is closed, behind it.
func closing(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// typeLength returns the length of the type that a text begins with; 0: there is none.
func typeLength(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "* "))
	if m := literalType(s[n:]); m > 0 {
		return n + m
	}
	m := identifier(s[n:])
	if m == 0 {
		return 0
	}
	n += m
	if strings.HasPrefix(s[n:], ".") {
		n += 1 + identifier(s[n+1:])
	}
	if strings.HasPrefix(s[n:], "[") {
		n += closing(s[n:])
	}
	return n
}

// literalType returns the length of the type that a text begins with, if it is no name: "[]T", "map[K]V", "func(a) b"; 0: there is none.
func literalType(s string) int {
	prefix := func(p string) int {
		if strings.HasPrefix(s, p) {
			return len(p)
		}
		return 0
	}
	switch {
	case prefix("[") > 0:
		n := closing(s)
		return n + typeLength(s[n:])
	case prefix("map[") > 0:
		n := 3 + closing(s[3:])
		return n + typeLength(s[n:])
	case prefix("<-chan ")+prefix("chan<- ")+prefix("chan ") > 0:
		n := prefix("<-chan ") + prefix("chan<- ") + prefix("chan ")
		return n + typeLength(s[n:])
	case prefix("func(") > 0:
		n := 4 + closing(s[4:])
		if rest := strings.TrimLeft(s[n:], " "); strings.HasPrefix(rest, "(") {
			return len(s) - len(rest) + closing(rest)
		} else if m := typeLength(rest); m > 0 {
			return len(s) - len(rest) + m
		}
		return n
	case prefix("struct{")+prefix("struct {")+prefix("interface{")+prefix("interface {") > 0:
		n := strings.IndexByte(s, '{')
		return n + closing(s[n:])
	}
	return 0
}

// list splits a text at the commas that are in no bracket.
func list(s string) (out []string) {
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	if last := strings.TrimSpace(s[from:]); last != "" {
		out = append(out, last)
	}
	return out
}

// parametersOf returns the signature of a function from its parameters on, without its receiver, name and parameters of types.
func parametersOf(signature string) string {
	s := strings.TrimPrefix(signature, "func ")
	if strings.HasPrefix(s, "(") {
		s = strings.TrimSpace(s[closing(s):])
	}
	s = s[identifier(s):]
	if strings.HasPrefix(s, "[") {
		s = s[closing(s):]
	}
	if !strings.HasPrefix(s, "(") {
		return ""
	}
	return s
}

// results returns the types of the results of a function.
func results(s string) []string {
	if s == "" || s[0] == '{' {
		return nil
	}
	if s[0] != '(' {
		return []string{s}
	}
	parts := list(s[1:max(closing(s)-1, 1)])
	named := false
	for _, p := range parts {
		if n := identifier(p); n < len(p) && p[n] == ' ' && literalType(p) == 0 {
			named = true
		}
	}
	if !named {
		return parts
	}
	last := ""
	for i := len(parts) - 1; i >= 0; i-- {
		if _, t, ok := strings.Cut(parts[i], " "); ok {
			last = t
		}
		parts[i] = last
	}
	return parts
}

// variable reads the signature of variables or fields: "var a, b T = 1, 2", "a, b *T", "a = f()".
func variable(signature string) (names []string, text, value string) {
	s := strings.TrimPrefix(strings.TrimPrefix(signature, "var "), "const ")
	for {
		n := identifier(s)
		if n == 0 {
			return names, "", ""
		}
		names = append(names, s[:n])
		rest := strings.TrimLeft(s[n:], " ")
		if !strings.HasPrefix(rest, ",") {
			s = rest
			break
		}
		s = strings.TrimLeft(rest[1:], " ")
	}
	if v, ok := strings.CutPrefix(s, "="); ok {
		return names, "", strings.TrimSpace(v)
	}
	n := typeLength(s)
	return names, s[:n], ""
}

// right is what a type is declared to be: "[]int" of "type T []int".
func right(signature string) string {
	s := strings.TrimPrefix(signature, "type ")
	s = s[identifier(s):]
	if strings.HasPrefix(s, "[") { // what is an array has a space before it
		s = s[closing(s):]
	}
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s), "="))
}
