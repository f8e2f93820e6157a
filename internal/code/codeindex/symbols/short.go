package symbols

import "strings"

// short writes an expression without the arguments of its calls: "new Pool().get()[].name", "(await open()).rows". A value that the language has
// is `""`. Empty: it is another expression, or longer than [maxQualifier].
func short(x *extractor, n int) string {
	s := shorten(x, n, 0)
	if len(s) > maxQualifier || strings.Contains(s, "?") || strings.ContainsAny(s, "\n\r") {
		return ""
	}
	return s
}

// unknown stands for an expression of which nothing is said. No name begins so.
const unknown = "?"

func shorten(x *extractor, n, depth int) string {
	const deepest = 32
	if n < 0 || depth > deepest {
		return unknown
	}
	inner := func(field string) string { return shorten(x, x.child(n, field), depth+1) }
	switch x.kind(n) {
	case "identifier", "this", "super":
		return x.text(n)
	case "call", "call_expression":
		return inner("function") + "()"
	case "new_expression":
		return "new " + inner("constructor") + "()"
	case "attribute":
		return inner("object") + "." + x.text(x.child(n, "attribute"))
	case "member_expression":
		return inner("object") + "." + x.text(x.child(n, "property"))
	case "subscript":
		return inner("value") + "[]"
	case "subscript_expression":
		return inner("object") + "[]"
	case "as_expression", "satisfies_expression":
		if t := x.text(int(x.nodes[n+1].Next)); n+1 < int(x.nodes[n].Next) && int(x.nodes[n+1].Next) < int(x.nodes[n].Next) {
			return "as " + t
		}
	case "await", "await_expression":
		return "await " + shorten(x, n+1, depth+1)
	case "non_null_expression":
		return shorten(x, n+1, depth+1)
	case "parenthesized_expression":
		return "(" + shorten(x, n+1, depth+1) + ")"
	case "binary_expression":
		return shortChoice(x, n, depth)
	case "list", "dictionary", "set", "string", "concatenated_string", "integer", "float", "list_comprehension", "dictionary_comprehension", "set_comprehension",
		"lambda", "array", "object", "template_string", "number", "regex", "true", "false", "arrow_function", "function_expression":
		return `""`
	}
	return unknown
}

// shortChoice returns the first of two values of which one is taken: a || b, a ?? b.
func shortChoice(x *extractor, n, depth int) string {
	left, right := x.child(n, "left"), x.child(n, "right")
	if left < 0 || right < 0 {
		return unknown
	}
	switch strings.TrimSpace(string(x.src[x.nodes[left].End:x.nodes[right].Start])) {
	case "||", "??":
		return shorten(x, left, depth+1)
	}
	return unknown
}

// memberOf returns the handler of a.b as [member] does. What stands before the name is shortened if it is long, and says so if nothing is known of it.
func memberOf(operand, field string) handler {
	return func(x *extractor, n int) {
		f := x.child(n, field)
		if f < 0 || x.roles[f] == taken {
			return
		}
		object := x.child(n, operand)
		q := qualifierText(x, object)
		if q == "" {
			q = short(x, object)
		}
		if q == "" {
			q = unknown
		}
		referAs(x, f, q, x.roles[n].use())
	}
}
