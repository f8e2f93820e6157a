package symbols

import (
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// pythonLanguage reads Python. What a class body or a method assigns to self is a field, what a module
// assigns a variable, or a constant if it is in capitals.
func pythonLanguage() *language {
	return &language{
		grammar: "python",
		builtin: strings.Fields(`self cls super print len range int str float bool bytes list dict set tuple object type isinstance issubclass
			hasattr getattr setattr enumerate zip map filter sorted reversed min max sum any all abs repr iter next open id hash vars dir callable
			property staticmethod classmethod Exception ValueError TypeError KeyError IndexError AttributeError RuntimeError NotImplementedError
			NotImplemented StopIteration OSError ImportError __name__ __file__ __doc__ _`),
		handlers: map[string]handler{
			"comment":                  remark,
			"import_statement":         pythonImport,
			"import_from_statement":    pythonFrom,
			"future_import_statement":  pythonFrom,
			"decorated_definition":     wraps("definition"),
			"function_definition":      pythonFunction,
			"class_definition":         pythonClass,
			"type_alias_statement":     pythonAlias,
			"assignment":               pythonAssignment,
			"named_expression":         pythonNamed,
			"lambda":                   pythonLambda,
			"list_comprehension":       pythonComprehension,
			"set_comprehension":        pythonComprehension,
			"dictionary_comprehension": pythonComprehension,
			"generator_expression":     pythonComprehension,
			"for_statement":            pythonTarget("left"),
			"as_pattern":               pythonTarget("alias"),
			"case_pattern":             pythonCapture,
			"global_statement":         pythonGlobal,
			"nonlocal_statement":       takeAll,
			"keyword_argument":         skipName("name"),
			"call":                     calls("function"),
			"attribute":                memberOf("object", "attribute"),
			"type":                     pythonType,
			"identifier":               name,
		},
	}
}

func pythonImport(x *extractor, n int) {
	for _, c := range namesOf(x, n) {
		i := syntax.Import{Path: x.text(c), At: x.at(c)}
		if x.kind(c) == "aliased_import" {
			i.Path, i.Alias = x.text(x.child(c, "name")), x.text(x.child(c, "alias"))
		}
		take(x, c)
		x.file.Imports = append(x.file.Imports, i)
	}
}

func pythonFrom(x *extractor, n int) {
	module := x.child(n, "module_name")
	path := x.text(module)
	if module < 0 {
		path = "__future__"
	} else {
		take(x, module)
	}
	for _, c := range namesOf(x, n) {
		i := syntax.Import{Path: path, Name: x.text(c), At: x.at(c)}
		if x.kind(c) == "aliased_import" {
			i.Name, i.Alias = x.text(x.child(c, "name")), x.text(x.child(c, "alias"))
		}
		take(x, c)
		x.file.Imports = append(x.file.Imports, i)
	}
	if c := childOf(x, n, "wildcard_import"); c >= 0 {
		x.file.Imports = append(x.file.Imports, syntax.Import{Path: path, Name: "*", At: x.at(c)})
	}
}

// take marks n and all below it as dealt with.
func take(x *extractor, n int) {
	if n < 0 {
		return
	}
	for c := n; c < int(x.nodes[n].Next); c++ {
		x.roles[c] = taken
	}
}

// pythonDoc returns the docstring that a body begins with.
func pythonDoc(x *extractor, body int) (syntax.Range, bool) {
	first := -1
	x.children(body, func(c int) bool {
		if x.kind(c) != "comment" {
			first = c
			return false
		}
		return true
	})
	if first < 0 || x.kind(first) != "expression_statement" || x.kind(first+1) != "string" {
		return syntax.Range{}, false
	}
	return x.at(first + 1), true
}

func pythonDefine(x *extractor, kind syntax.Kind, n int) {
	body := x.child(n, "body")
	s := pythonSymbol(x, definition{kind: kind, name: x.child(n, "name"), whole: wholeOf(x, n), head: n, body: body})
	if doc, ok := pythonDoc(x, body); ok {
		x.file.Symbols[s].Doc = doc
	}
	x.open(n, s)
}

func pythonFunction(x *extractor, n int) {
	kind := syntax.Function
	if x.holderKind() == syntax.Class {
		kind = syntax.Method
	}
	pythonDefine(x, kind, n)
	pythonParameters(x, x.child(n, "parameters"))
}

// pythonSymbol adds a symbol and remembers its name, so that a variable of it is not defined again.
func pythonSymbol(x *extractor, d definition) int {
	s := x.define(d)
	if x.defined == nil {
		x.defined = make(map[string]bool)
	}
	x.defined[x.file.Symbols[s].Qualified] = true
	return s
}

func pythonParameters(x *extractor, list int) {
	x.children(list, func(c int) bool {
		l := syntax.Local{Type: qualifierText(x, x.child(c, "type"))}
		switch x.kind(c) {
		case "identifier":
			x.bind(c, list)
		case "default_parameter", "typed_default_parameter":
			bindAs(x, x.child(c, "name"), list, l)
		case "typed_parameter":
			if k := below(x, c, "identifier"); x.kind(c+1) == "identifier" {
				bindAs(x, k, list, l)
			} else {
				x.bind(k, list) // of *args and **kwargs, the type is that of each
			}
		case "list_splat_pattern", "dictionary_splat_pattern", "tuple_pattern":
			bindBelow(x, c, list, "identifier")
		}
		return true
	})
}

func pythonLambda(x *extractor, n int) {
	function(x, n)
	pythonParameters(x, x.child(n, "parameters"))
}

func pythonClass(x *extractor, n int) {
	var bases []string
	x.children(x.child(n, "superclasses"), func(c int) bool {
		base := c
		if x.kind(c) == "subscript" {
			base = x.child(c, "value")
		}
		if k := x.kind(base); k == "identifier" || k == "attribute" {
			x.mark(base, extended)
		}
		if k := x.kind(c); k != "keyword_argument" && k != "comment" {
			bases = append(bases, qualifierText(x, base))
		}
		return true
	})
	pythonDefine(x, syntax.Class, n)
	x.file.Symbols[x.holder()].Bases = bases
	x.scopes[len(x.scopes)-1].inside = false
}

func pythonAlias(x *extractor, n int) {
	left := below(x, x.child(n, "left"), "identifier")
	if left >= 0 && !x.inFunction() {
		x.define(definition{kind: syntax.Type, name: left, whole: n, body: -1})
	}
}

// pythonAssignment defines what a module or a class assigns, and binds what a function does.
func pythonAssignment(x *extractor, n int) {
	left := x.child(n, "left")
	if left < 0 {
		return
	}
	if x.inFunction() {
		for c := left; c < int(x.nodes[left].Next); c = pythonNextTarget(x, c) {
			pythonSelf(x, c, n)
		}
		pythonBind(x, left, int(x.nodes[n].Next), pythonValue(x, n))
		return
	}
	body := pythonLong(x, n)
	for c := left; c < int(x.nodes[left].Next); c = pythonNextTarget(x, c) {
		if x.kind(c) == "identifier" {
			pythonVariable(x, c, n, body)
		}
	}
}

// pythonLong returns the node of the value of an assignment, if it is too long for a signature; -1: it is not.
func pythonLong(x *extractor, n int) int {
	body := x.child(n, "right")
	if body >= 0 && x.nodes[body].End-x.nodes[body].Start < 200 {
		return -1
	}
	return body
}

// pythonValue returns what an assignment says of the type of its variable.
func pythonValue(x *extractor, n int) syntax.Local {
	if t := qualifierText(x, x.child(n, "type")); t != "" {
		return syntax.Local{Type: t}
	}
	return syntax.Local{Value: short(x, x.child(n, "right"))}
}

// pythonNextTarget returns the node behind c in a list of targets, below what is not a target.
func pythonNextTarget(x *extractor, c int) int {
	switch x.kind(c) {
	case "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern":
		return c + 1
	}
	return int(x.nodes[c].Next)
}

func pythonVariable(x *extractor, c, n, body int) {
	kind := syntax.Variable
	text := x.text(c)
	switch {
	case x.holderKind() == syntax.Class:
		kind = syntax.Field
	case strings.ToUpper(text) == text && strings.ToLower(text) != text:
		kind = syntax.Constant
	}
	qualified := text
	if h := x.holder(); h >= 0 {
		qualified = x.file.Symbols[h].Qualified + "." + text
	}
	if text != "_" && !x.defined[qualified] {
		pythonSymbol(x, definition{kind: kind, name: c, whole: n, body: body})
	}
}

// pythonSelf defines the field of a class that one of its methods assigns, the first time.
func pythonSelf(x *extractor, left, n int) {
	class := -1
	for h := x.holder(); h >= 0; h = x.file.Symbols[h].Parent {
		if x.file.Symbols[h].Kind == syntax.Class {
			class = h
			break
		}
	}
	attribute := x.child(left, "attribute")
	if class < 0 || x.kind(left) != "attribute" || x.text(x.child(left, "object")) != "self" {
		return
	}
	of := x.file.Symbols[class].Qualified
	if x.defined[of+"."+x.text(attribute)] {
		return
	}
	s := pythonSymbol(x, definition{kind: syntax.Field, name: attribute, whole: n, body: pythonLong(x, n), of: of})
	x.file.Symbols[s].Parent = class
	x.receivers = x.receivers[:len(x.receivers)-1]
}

// pythonBind binds the names among targets. What is said of the value is that of a single one.
func pythonBind(x *extractor, left, from int, l syntax.Local) {
	if left < 0 {
		return
	}
	for c := left; c < int(x.nodes[left].Next); c = pythonNextTarget(x, c) {
		switch {
		case x.kind(c) != "identifier" || isGlobal(x, x.text(c)):
		case c == left:
			bindAs(x, c, from, l)
		default:
			x.bind(c, from)
		}
	}
}

// pythonGlobal remembers the names that a function says are those of the module.
func pythonGlobal(x *extractor, n int) {
	x.children(n, func(c int) bool {
		x.locals = append(x.locals, local{name: x.text(c), from: c, global: true})
		return true
	})
	take(x, n)
}

func pythonNamed(x *extractor, n int) {
	if x.inFunction() && !isGlobal(x, x.text(x.child(n, "name"))) {
		x.bind(x.child(n, "name"), n)
	}
}

// pythonComprehension binds first what stands behind its use.
func pythonComprehension(x *extractor, n int) {
	block(x, n)
	x.children(n, func(c int) bool {
		if x.kind(c) == "for_in_clause" {
			pythonBind(x, x.child(c, "left"), n, syntax.Local{})
		}
		return true
	})
}

func pythonTarget(field string) handler {
	return func(x *extractor, n int) {
		l := syntax.Local{}
		if right := short(x, x.child(n, "right")); right != "" {
			l.Value = "range " + right
		}
		target := x.child(n, field)
		if target >= 0 && x.kind(target) == "as_pattern_target" {
			target++
		}
		if target > 0 && target < int(x.nodes[n].Next) {
			pythonBind(x, target, target, l)
		}
	}
}

// pythonCapture binds the names that a pattern of a case gives.
func pythonCapture(x *extractor, n int) {
	if c := childOf(x, n, "dotted_name"); c >= 0 && x.nodes[c+1].Next == x.nodes[c].Next {
		x.bind(c+1, n)
	}
}

// takeAll is the handler of what names nothing.
func takeAll(x *extractor, n int) { take(x, n) }

// pythonType is the place of a type: the name in it, or that of a generic one.
func pythonType(x *extractor, n int) {
	for c := n + 1; c < int(x.nodes[n].Next); c++ {
		switch x.kind(c) {
		case "identifier", "attribute":
			if x.roles[c] == plain {
				x.roles[c] = asType
			}
		}
	}
}
