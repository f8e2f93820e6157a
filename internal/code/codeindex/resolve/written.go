package resolve

import (
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// These read the types that Python and TypeScript write, and the declarations that signatures hold.

// typed returns an object of a type that is written at a site.
func (e *inference) typed(s site, text string, depth int) value {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	if depth > maxDepth || text == "" || text == unwritten {
		return value{}
	}
	if parts := alternatives(text); len(parts) != 1 {
		return anyOf(e, s, parts, depth)
	} else if text = parts[0]; text == "" {
		return value{}
	}
	if rest, ok := strings.CutPrefix(text, "readonly "); ok {
		text = rest
	}
	if item, ok := strings.CutSuffix(text, "[]"); ok {
		return value{known: true, of: element{s, item}}
	}
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") && closing(text) == len(text) {
		return e.typed(s, text[1:len(text)-1], depth+1)
	}
	if text == "this" || text == "Self" {
		return e.name(s, "this", depth)
	}
	return generic(e, s, text, depth)
}

// generic returns an object of a type with a name, which may have arguments.
func generic(e *inference, s site, text string, depth int) value {
	n := 0
	for n < len(text) && (text[n] == '.' || scriptName(text[n:n+1]) == 1) {
		n++
	}
	name, arguments := text[:n], ""
	if n < len(text) {
		if c := text[n]; c != '<' && c != '[' || !strings.HasSuffix(text, ">") && !strings.HasSuffix(text, "]") {
			return value{}
		}
		arguments = text[n+1 : len(text)-1]
	}
	args := list(arguments)
	switch name {
	case "":
		return value{}
	case "Partial", "Readonly", "Required", "NonNullable", "Optional", "Type", "ClassVar", "Final", "Annotated", "typing.Optional":
		if len(args) > 0 {
			return e.typed(s, args[0], depth+1)
		}
	case "any", "unknown", "object", "Any", "ReturnType", "Pick", "Omit", "Extract", "Exclude", "InstanceType", "typeof", "keyof":
		return value{}
	}
	v := dotted(e, s, name, depth)
	if v.known && len(v.symbols) == 0 && len(args) > 0 {
		v.of = element{s, args[len(args)-1]}
	} else if v.known && len(v.symbols) == 0 {
		v.of = element{}
	}
	return e.made(v)
}

// dotted returns what a name with points means.
func dotted(e *inference, s site, name string, depth int) value {
	parts := strings.Split(name, ".")
	at := s.at
	if i := e.evaluator.locals.at(parts[0], at); i < 0 || s.file != e.file || e.evaluator.locals.list[i].Type != "" || e.evaluator.locals.list[i].Value != "" {
		s.at = -1 // a variable may have the name of its type
	}
	v := e.name(s, parts[0], depth)
	for _, p := range parts[1:] {
		v = e.selected(v, p, depth)
	}
	if n := parts[0]; len(v.symbols) == 0 && (len(n) == 1 || len(n) > 1 && n[0] == 'T' && n[1] >= 'A' && n[1] <= 'Z') {
		return value{} // a parameter of types
	}
	if len(v.symbols) == 0 && len(v.modules) == 0 {
		v.known = true
	}
	return v
}

// anyOf returns an object of one of several types.
func anyOf(e *inference, s site, parts []string, depth int) value {
	out := value{known: len(parts) > 0}
	for _, p := range parts {
		v := e.typed(s, p, depth+1)
		out.known = out.known && v.known
		out.objects = append(out.objects, v.objects...)
		if v.of.text != "" {
			out.of = v.of
		}
	}
	return out
}

// alternatives splits a type at | and &, without what is nothing.
func alternatives(text string) (parts []string) {
	depth, from := 0, 0
	for i := 0; i <= len(text); i++ {
		c := byte('|')
		if i < len(text) {
			c = text[i]
		}
		switch {
		case c == '(' || c == '[' || c == '{' || c == '<':
			depth++
		case c == ')' || c == ']' || c == '}' || c == '>' && (i == 0 || text[i-1] != '='):
			depth--
		case (c == '|' || c == '&') && (depth == 0 || i == len(text)):
			p := strings.TrimSpace(text[from:i])
			if p != "" && !slices.Contains([]string{"null", "undefined", "None", "void", "never"}, p) && p[0] != '\'' && p[0] != '"' {
				parts = append(parts, p)
			}
			from = i + 1
		}
	}
	return parts
}

// made returns an object of what is a class or type.
func (e *inference) made(v value) value {
	if len(v.symbols) == 0 {
		if len(v.modules) > 0 {
			return value{}
		}
		return v
	}
	out := value{known: true}
	for _, i := range v.symbols {
		switch k := e.world.symbols[i].Kind; {
		case isClass(k), k == syntax.Type:
			out.objects = append(out.objects, i)
		case k != syntax.Module && len(v.symbols) == 1:
			return value{}
		}
	}
	out.known = len(out.objects) > 0
	return out
}

// called returns what calling a value gives.
func (e *inference) called(v value, depth int) value {
	if len(v.symbols) == 0 {
		return calledOutside(e, v, depth)
	}
	s := &e.world.symbols[v.symbols[0]]
	at := site{s.File, s.Qualified, -1}
	switch {
	case isClass(s.Kind) && e.world.files[s.File].Language == "python":
		return e.made(v)
	case s.Kind == syntax.Function, s.Kind == syntax.Method:
		return e.typed(at, resultOf(s.Signature, s.Name), depth+1)
	}
	return value{}
}

// calledOutside returns what a function gives that is not of the tree: an element of what it belongs to, if its name says so.
func calledOutside(e *inference, v value, depth int) value {
	if len(v.objects)+len(v.modules) > 0 {
		return value{}
	}
	switch v.via {
	case "get", "pop", "shift", "find", "at", "findLast", "next", "popleft", "setdefault", "then":
		return e.typed(v.of.site, v.of.text, depth+1)
	case "filter", "slice", "concat", "sort", "reverse", "values", "copy", "splice", "toSorted":
		return value{known: v.known, of: v.of}
	}
	return value{known: v.known && (v.of.text == "" || v.of.text == unwritten)}
}

// elementOf returns an element of a value.
func elementOf(e *inference, v value, depth int) value {
	v = stored(e, v, depth)
	if v.known && len(v.objects) == 0 && v.of.text != "" {
		return e.typed(v.of.site, v.of.text, depth+1)
	}
	return value{}
}

// awaited returns what a promise gives; of another value, itself.
func awaited(e *inference, v value, depth int) value {
	v = stored(e, v, depth)
	if v.known && len(v.objects) == 0 && v.of.text != "" {
		return e.typed(v.of.site, v.of.text, depth+1)
	}
	return v
}

// stored returns the value that a variable or field has.
func stored(e *inference, v value, depth int) value {
	if len(v.symbols) == 1 && !isClass(e.world.symbols[v.symbols[0]].Kind) {
		return e.object(v.symbols[0], depth+1)
	}
	return v
}

// object returns the value of a variable, a field, or of a method that is read like one.
func (e *inference) object(i, depth int) value {
	if _, ok := e.values[i]; !ok {
		e.values[i] = value{} // while it is looked for
		e.values[i] = declaredValue(e, i, depth)
	}
	return e.values[i]
}

func declaredValue(e *inference, i, depth int) value {
	s := &e.world.symbols[i]
	at := site{s.File, parentOf(s.Qualified), -1}
	switch s.Kind {
	case syntax.Function, syntax.Method:
		return e.typed(at, resultOf(s.Signature, s.Name), depth+1)
	case syntax.Constant, syntax.Variable, syntax.Field:
		t, v := declaration(s.Signature, s.Name)
		if t != "" {
			return e.typed(at, t, depth+1)
		}
		if s.File == e.file && s.Number < len(e.symbols) {
			at.at = e.symbols[s.Number].NameAt.From
		}
		return e.value(at, strings.TrimRight(v, "; "), depth+1)
	default:
		return value{}
	}
}

// resultOf returns the type that the signature of a function writes for its result.
func resultOf(signature, name string) string {
	_, rest, _ := strings.Cut(signature, name)
	i := strings.IndexByte(rest, '(')
	if i < 0 {
		return ""
	}
	rest = strings.TrimSpace(rest[i+closing(rest[i:]):])
	if t, ok := strings.CutPrefix(rest, "->"); ok {
		return strings.TrimSpace(t)
	}
	if t, ok := strings.CutPrefix(rest, ":"); ok {
		return strings.TrimSpace(strings.TrimSuffix(strings.TrimRight(t, "; "), "=>"))
	}
	return ""
}

// declaration reads the signature of a variable or field: "private x?: T = v", "self.x: T = v".
func declaration(signature, name string) (text, given string) {
	i := 0
	for {
		k := strings.Index(signature[i:], name)
		if k < 0 {
			return "", ""
		}
		i += k + len(name)
		if (i == len(name) || scriptName(signature[i-len(name)-1:i-len(name)]) == 0) && scriptName(signature[i:]) == 0 {
			break
		}
	}
	rest := strings.TrimLeft(signature[i:], "?! ")
	if v, ok := strings.CutPrefix(rest, "="); ok && !strings.HasSuffix(v, "…") { // a signature that was cut
		return "", strings.TrimSpace(v)
	}
	t, ok := strings.CutPrefix(rest, ":")
	if !ok {
		return "", ""
	}
	t, _, _ = strings.Cut(t, " = ")
	return strings.TrimSpace(strings.TrimRight(t, ";,")), ""
}
