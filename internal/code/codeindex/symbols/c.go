package symbols

import (
	"maps"
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// cLanguage reads C. A macro is a constant, one with parameters a function.
func cLanguage() *language {
	return &language{
		grammar: "c",
		builtin: strings.Fields("NULL true false size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t bool FILE"),
		handlers: map[string]handler{
			"comment":                        remark,
			"preproc_include":                cInclude,
			"preproc_def":                    declares(syntax.Constant),
			"preproc_function_def":           cMacro,
			"function_definition":            cFunction,
			"declaration":                    cDeclaration(syntax.Variable),
			"field_declaration":              cDeclaration(syntax.Field),
			"type_definition":                cTypedef,
			"struct_specifier":               cType(syntax.Struct),
			"union_specifier":                cType(syntax.Struct),
			"enum_specifier":                 cType(syntax.Enum),
			"enumerator":                     declares(syntax.Constant),
			"parameter_declaration":          cParameter,
			"optional_parameter_declaration": cParameter,
			"compound_statement":             block,
			"for_statement":                  block,
			"call_expression":                calls("function"),
			"field_expression":               member("argument", "field"),
			"identifier":                     name,
			"type_identifier":                typeName,
		},
	}
}

// cppLanguage reads C++. Namespaces are the package of a file, and no symbols.
func cppLanguage() *language {
	l := cLanguage()
	l.grammar = "cpp"
	l.builtin = append(l.builtin, strings.Fields("std string vector map unique_ptr shared_ptr this nullptr override final auto")...)
	types := []string{"type_identifier", "qualified_identifier"}
	maps.Copy(l.handlers, map[string]handler{
		"namespace_definition":       inPackage("name"),
		"class_specifier":            cType(syntax.Class),
		"base_class_clause":          bases(extended, types...),
		"template_declaration":       cppTemplate,
		"type_parameter_declaration": bindsFirst("type_identifier"),
		"alias_declaration":          declares(syntax.Type),
		"concept_definition":         declares(syntax.Type),
		"using_declaration":          cppUsing,
		"lambda_expression":          function,
		"for_range_loop":             blockWith(cParameter),
		"catch_clause":               block,
		"new_expression":             creates("type", types...),
		"qualified_identifier":       cppPath,
		"template_function":          passes("name"),
		"template_method":            passes("name"),
		"destructor_name":            takeAll,
	})
	return l
}

func cInclude(x *extractor, n int) {
	path := strings.Trim(x.text(x.child(n, "path")), `<>"`)
	x.file.Imports = append(x.file.Imports, syntax.Import{Path: path, Name: "*", At: x.at(n)})
}

func cMacro(x *extractor, n int) {
	d := definition{kind: syntax.Function, name: x.child(n, "name"), whole: n, body: x.child(n, "value")}
	if d.name >= 0 {
		x.open(n, x.define(d))
		take(x, x.child(n, "parameters"))
	}
}

// declared finds the name in a declarator, and whether it is that of a function.
func declared(x *extractor, n int) (name int, function bool) {
	for depth := 0; n >= 0 && depth < maxNesting; depth++ {
		switch x.kind(n) {
		case "identifier", "field_identifier", "type_identifier", "qualified_identifier", "operator_name", "destructor_name", "operator_cast":
			return n, function
		case "function_declarator":
			function = x.kind(x.child(n, "declarator")) != "parenthesized_declarator"
		}
		next := x.child(n, "declarator")
		if next < 0 {
			next = childOf(x, n, "identifier", "field_identifier", "pointer_declarator", "function_declarator", "array_declarator", "reference_declarator", "qualified_identifier")
		}
		n = next
	}
	return -1, false
}

func cFunction(x *extractor, n int) {
	name, _ := declared(x, x.child(n, "declarator"))
	if name < 0 {
		function(x, n)
		return
	}
	of := ""
	for x.kind(name) == "qualified_identifier" {
		of = bareType(x.text(x.child(name, "scope")))
		take(x, x.child(name, "scope"))
		x.mark(name, taken)
		name = x.child(name, "name")
	}
	if name < 0 || x.nodes[name].Start == x.nodes[name].End {
		function(x, n)
		return
	}
	defineCallable(x, n, name, x.child(n, "body"), of)
}

// cDeclaration returns the handler of a declaration of values and functions.
func cDeclaration(kind syntax.Kind) handler {
	return func(x *extractor, n int) {
		var values, functions []int
		for c := x.child(n, "declarator"); c >= 0; c = nextChild(x, n, int(x.nodes[c].Next), "declarator") {
			name, function := declared(x, c)
			switch {
			case name < 0 || x.kind(name) == "qualified_identifier":
			case x.inFunction():
				bindAs(x, name, n, typeOf(x, n))
			case function:
				functions = append(functions, name)
			default:
				values = append(values, name)
			}
		}
		for _, f := range functions {
			defineCallable(x, n, f, -1, "")
		}
		defineAll(x, n, kind, values)
	}
}

func cTypedef(x *extractor, n int) {
	for c := x.child(n, "declarator"); c >= 0; c = nextChild(x, n, int(x.nodes[c].Next), "declarator") {
		if name, _ := declared(x, c); name >= 0 && !x.inFunction() {
			x.define(definition{kind: syntax.Type, name: name, whole: n, body: -1})
		}
	}
}

// cType returns the handler of a type: a definition if it has a body and a name, else a reference.
func cType(kind syntax.Kind) handler {
	return func(x *extractor, n int) {
		if name := x.child(n, "name"); x.child(n, "body") >= 0 && hasKind(x, name, "type_identifier") {
			declares(kind)(x, n)
		}
	}
}

func cParameter(x *extractor, n int) {
	if name, _ := declared(x, x.child(n, "declarator")); name >= 0 && x.kind(name) != "qualified_identifier" {
		bindAs(x, name, n, typeOf(x, n))
	}
}

// cppTemplate makes a template a part of what it declares.
func cppTemplate(x *extractor, n int) {
	block(x, n)
	last := -1
	x.children(n, func(c int) bool {
		last = c
		return true
	})
	x.around.wrapped, x.around.wrapper = last, n
}

// cppUsing takes using a::b for an import.
func cppUsing(x *extractor, n int) {
	if c := childOf(x, n, "qualified_identifier"); c >= 0 {
		importPath(x, n, x.text(c), "::", "")
	}
	take(x, n)
}

// cppPath takes the name at the end of a path, without its arguments.
func cppPath(x *extractor, n int) {
	c := x.child(n, "name")
	for hasKind(x, c, "template_type", "template_function", "dependent_name") {
		x.mark(c, taken)
		if c = x.child(c, "name"); c < 0 {
			return
		}
	}
	if c < 0 || x.roles[c] == taken || x.kind(c) == "qualified_identifier" {
		return
	}
	use := x.roles[n].use()
	if use == syntax.Read && x.kind(c) == "type_identifier" {
		use = syntax.TypeOf
	}
	x.refer(c, x.child(n, "scope"), use)
}
