package symbols

import (
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// goVariable binds the name at c that the declaration at n gives to a variable of a function.
func goVariable(x *extractor, n, c int) {
	l := syntax.Local{Type: goWritten(x, x.child(n, "type"))}
	if l.Type == "" {
		l = goShare(x, c, namesOf(x, n), x.child(n, "value"))
	}
	bindAs(x, c, int(x.nodes[n].Next), l)
}

// goShare returns which of the values of a list, or of the one call in it, a name gets.
func goShare(x *extractor, c int, names []int, values int) (l syntax.Local) {
	at := 0
	for i, name := range names {
		if name == c {
			at = i
		}
	}
	var all []int
	x.children(values, func(v int) bool {
		all = append(all, v)
		return true
	})
	switch {
	case len(all) == len(names):
		l.Value = goValue(x, all[at], 0)
	case len(all) == 1:
		l.Value, l.Part = goValue(x, all[0], 0), at
	}
	return l
}

func goTypeSwitch(x *extractor, n int) {
	block(x, n)
	if alias := x.child(n, "alias"); alias >= 0 {
		id := alias
		if x.kind(id) != "identifier" {
			id = below(x, alias, "identifier")
		}
		x.scopes[len(x.scopes)-1].alias = id
		bindAs(x, id, int(x.nodes[alias].Next), syntax.Local{Value: goValue(x, x.child(n, "value"), 0)})
	}
}

// goTypeCase gives the variable of a switch the type of a case that has one.
func goTypeCase(x *extractor, n int) {
	alias := x.scopes[len(x.scopes)-1].alias
	block(x, n)
	t := x.child(n, "type")
	if alias <= 0 || t < 0 || nextChild(x, n, int(x.nodes[t].Next), "type") >= 0 {
		return
	}
	x.file.Locals = append(x.file.Locals, syntax.Local{
		Name: x.text(alias), Type: qualifierText(x, t), From: int(x.nodes[t].End), Until: int(x.nodes[n].End),
	})
}

func goDefine(x *extractor, n int) {
	var names []int
	x.children(x.child(n, "left"), func(c int) bool {
		names = append(names, c)
		return true
	})
	right := x.child(n, "right")
	for i, c := range names {
		if x.kind(c) != "identifier" {
			continue
		}
		var l syntax.Local
		switch x.kind(n) {
		case "range_clause":
			l = syntax.Local{Value: "range " + goValue(x, right, 0), Part: i}
		case "receive_statement":
			l = syntax.Local{Value: goValue(x, right, 0), Part: i}
		default:
			l = goShare(x, c, names, right)
		}
		bindAs(x, c, int(x.nodes[n].Next), l)
	}
}

func goRange(x *extractor, n int) {
	if childOf(x, n, ":=") >= 0 {
		goDefine(x, n)
	}
}

func goParameters(x *extractor, n int) {
	t := qualifierText(x, x.child(n, "type"))
	if x.kind(n) == "variadic_parameter_declaration" {
		t = "[]" + t
	}
	for _, c := range namesOf(x, n) {
		bindAs(x, c, n, syntax.Local{Type: t})
	}
}

// goWritten returns a type as it is written; of a struct or an interface, whose members are no symbols, only that it is one.
func goWritten(x *extractor, n int) string {
	switch x.kind(n) {
	case "struct_type":
		return "struct{}"
	case "interface_type":
		return "interface{}"
	}
	return qualifierText(x, n)
}

// maxNesting bounds how deep expressions are read.
const maxNesting = 16

// goValue returns an expression as [syntax.Local] has it; "" for one whose type nothing says.
func goValue(x *extractor, n, depth int) string {
	if n < 0 || depth > maxNesting {
		return ""
	}
	of := func(field, suffix string) string {
		if s := goValue(x, x.child(n, field), depth+1); s != "" {
			return s + suffix
		}
		return ""
	}
	switch x.kind(n) {
	case "identifier", "type_identifier", "field_identifier", "package_identifier", "generic_type", "qualified_type", "type_instantiation_expression":
		return qualifierText(x, n)
	case "composite_literal":
		return goWritten(x, x.child(n, "type")) + "{}"
	case "selector_expression":
		return of("operand", "."+x.text(x.child(n, "field")))
	case "index_expression":
		return of("operand", "[]")
	case "slice_expression":
		return of("operand", "[:]")
	case "type_assertion_expression":
		return of("operand", ".("+qualifierText(x, x.child(n, "type"))+")")
	case "type_conversion_expression":
		return "(" + qualifierText(x, x.child(n, "type")) + ")()"
	case "call_expression":
		return goCall(x, n, depth)
	case "func_literal":
		return strings.TrimSpace(string(x.src[x.nodes[n].Start:x.nodes[max(n, x.child(n, "body"))].Start]))
	case "unary_expression":
		return goUnary(x, n, of("operand", ""))
	case "binary_expression":
		return of("left", "")
	case "parenthesized_expression":
		if n+1 < int(x.nodes[n].Next) {
			return "(" + goValue(x, n+1, depth+1) + ")"
		}
	case "int_literal", "rune_literal", "float_literal":
		return "0"
	case "interpreted_string_literal", "raw_string_literal":
		return `""`
	}
	return ""
}

// goUnary puts the operator of a node before its operand.
func goUnary(x *extractor, n int, operand string) string {
	if operand == "" {
		return ""
	}
	text := x.src[x.nodes[n].Start:x.nodes[n].End]
	for _, operator := range []string{"<-", "&", "*"} {
		if strings.HasPrefix(string(text[:min(2, len(text))]), operator) {
			return operator + operand
		}
	}
	return operand
}

// goCall returns a call without its arguments, but for those that say its type.
func goCall(x *extractor, n, depth int) string {
	function := goValue(x, x.child(n, "function"), depth+1)
	argument := x.child(n, "arguments") + 1
	switch function {
	case "":
		return ""
	case "new", "make":
		return function + "(" + qualifierText(x, argument) + ")"
	case "append", "min", "max":
		return function + "(" + goValue(x, argument, depth+1) + ")"
	}
	return function + "()"
}
