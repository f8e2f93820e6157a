package symbols

import (
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// goLanguage reads Go. Names that a function declares are no symbols.
func goLanguage() *language {
	return &language{
		grammar: "go",
		tokens:  []string{":="},
		builtin: strings.Fields(`any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8
			uint16 uint32 uint64 uintptr append cap clear close complex copy delete imag len make max min new panic print println real recover _`),
		handlers: map[string]handler{
			"comment":                        remark,
			"package_identifier":             goPackage,
			"import_spec":                    goImport,
			"function_declaration":           goFunction,
			"method_declaration":             goMethod,
			"type_spec":                      goType,
			"type_alias":                     goType,
			"field_declaration":              goField,
			"method_elem":                    goMethodOfInterface,
			"type_elem":                      goTypeElement,
			"const_spec":                     goValues(syntax.Constant),
			"var_spec":                       goValues(syntax.Variable),
			"func_literal":                   function,
			"block":                          block,
			"if_statement":                   block,
			"for_statement":                  block,
			"expression_switch_statement":    block,
			"type_switch_statement":          goTypeSwitch,
			"expression_case":                block,
			"type_case":                      goTypeCase,
			"default_case":                   block,
			"communication_case":             block,
			"short_var_declaration":          goDefine,
			"range_clause":                   goRange,
			"receive_statement":              goRange,
			"parameter_declaration":          goParameters,
			"variadic_parameter_declaration": goParameters,
			"type_parameter_declaration":     goParameters,
			"call_expression":                calls("function"),
			"type_conversion_expression":     goConversion,
			"selector_expression":            goSelector,
			"qualified_type":                 goQualified,
			"keyed_element":                  goKey,
			"identifier":                     name,
			"type_identifier":                typeName,
		},
	}
}

func goPackage(x *extractor, n int) {
	if x.file.Package == "" && x.roles[n] == plain && len(x.file.Imports) == 0 {
		x.file.Package = x.text(n)
	}
}

func goImport(x *extractor, n int) {
	path := strings.Trim(x.text(x.child(n, "path")), "\"`")
	i := syntax.Import{Path: path, At: x.at(n)}
	if alias := x.child(n, "name"); alias >= 0 {
		i.Alias = x.text(alias)
		x.mark(alias, taken)
	}
	x.file.Imports = append(x.file.Imports, i)
}

// goBlank reports whether what n declares has the name _, which names nothing: what is in it belongs to what holds it.
func goBlank(x *extractor, n int) bool {
	name := x.child(n, "name")
	if x.text(name) != "_" {
		return false
	}
	x.mark(name, taken)
	function(x, n)
	return true
}

func goFunction(x *extractor, n int) {
	if goBlank(x, n) {
		return
	}
	s := x.define(definition{kind: syntax.Function, name: x.child(n, "name"), whole: n, body: x.child(n, "body")})
	x.open(n, s)
}

func goMethod(x *extractor, n int) {
	of := x.text(below(x, x.child(n, "receiver"), "type_identifier"))
	if !goBlank(x, n) {
		x.open(n, x.define(definition{kind: syntax.Method, name: x.child(n, "name"), whole: n, body: x.child(n, "body"), of: of}))
	}
	// Names in the brackets of a generic receiver are parameters.
	if arguments := below(x, x.child(n, "receiver"), "type_arguments"); arguments >= 0 {
		bindBelow(x, arguments, n, "type_identifier")
	}
}

// goOuter returns the node that a specification is documented at: its declaration, if that has
// no parentheses.
func goOuter(x *extractor, n int) int {
	line := x.src[:x.nodes[n].Start]
	for i := n - 1; i >= 0 && i >= n-2; i-- {
		switch x.kind(i) {
		case "type_declaration", "const_declaration", "var_declaration":
			if int(x.nodes[i].Next) >= int(x.nodes[n].Next) && !strings.Contains(string(line[x.nodes[i].Start:]), "(") {
				return i
			}
		}
	}
	return n
}

func goType(x *extractor, n int) {
	if x.inFunction() {
		bindAs(x, x.child(n, "name"), n, syntax.Local{Type: goWritten(x, x.child(n, "type"))})
		return
	}
	if goBlank(x, n) {
		return
	}
	kind, body := syntax.Type, -1
	if t := x.child(n, "type"); t >= 0 && x.kind(n) == "type_spec" {
		switch x.kind(t) {
		case "struct_type":
			kind, body = syntax.Struct, childOf(x, t, "field_declaration_list")
		case "interface_type":
			kind = syntax.Interface
			body = childOf(x, t, "method_elem", "type_elem", "comment")
		}
	}
	s := x.define(definition{kind: kind, name: x.child(n, "name"), whole: goOuter(x, n), body: body})
	x.open(n, s)
}

func goField(x *extractor, n int) {
	names := namesOf(x, n)
	if len(names) == 0 { // embedded
		goEmbed(x, below(x, n, "qualified_type", "type_identifier"), x.child(n, "type"))
		return
	}
	for _, f := range names {
		if !goHoldsMembers(x) || x.text(f) == "_" {
			x.mark(f, taken)
			continue
		}
		x.define(definition{kind: syntax.Field, name: f, whole: n, body: x.child(n, "tag")})
	}
}

// goEmbed notes that what is read embeds the type at node n, which the node whole writes with its arguments.
func goEmbed(x *extractor, n, whole int) {
	x.mark(n, extended)
	if h := x.holder(); h >= 0 && whole >= 0 && !x.inFunction() && isType(x.holderKind()) {
		x.file.Symbols[h].Bases = append(x.file.Symbols[h].Bases, qualifierText(x, whole))
	}
}

// goHoldsMembers reports whether fields and methods are those of a type that has a name. Those of
// a variable, such as a table of tests, are no symbols.
func goHoldsMembers(x *extractor) bool {
	kind := x.holderKind()
	return isType(kind) && !x.inFunction() || kind == syntax.Method && goInInterface(x)
}

// goInInterface reports whether what holds the members is a method that an interface declares.
func goInInterface(x *extractor) bool {
	s := x.file.Symbols[x.holder()]
	return s.Kind == syntax.Method && s.Parent >= 0 && x.file.Symbols[s.Parent].Kind == syntax.Interface
}

func goMethodOfInterface(x *extractor, n int) {
	if !goHoldsMembers(x) {
		x.mark(x.child(n, "name"), taken)
		block(x, n)
		return
	}
	s := x.define(definition{kind: syntax.Method, name: x.child(n, "name"), whole: n, body: -1})
	x.open(n, s)
}

// goTypeElement takes an interface that another one embeds; a union of types is a constraint.
func goTypeElement(x *extractor, n int) {
	if n+1 < len(x.nodes) && int(x.nodes[n+1].Next) == int(x.nodes[n].Next) {
		goEmbed(x, n+1, n+1)
	}
}

func goValues(kind syntax.Kind) handler {
	return func(x *extractor, n int) {
		first := -1
		for _, c := range namesOf(x, n) {
			switch {
			case x.kind(c) != "identifier":
			case x.inFunction():
				goVariable(x, n, c)
			case x.text(c) == "_":
				x.mark(c, taken)
			default:
				s := x.define(definition{kind: kind, name: c, whole: goOuter(x, n), body: -1})
				if first < 0 {
					first = s
				}
			}
		}
		if first >= 0 {
			x.open(n, first)
		}
	}
}

// goConversion takes f[T](x) for a call: conversions to generic types are rare.
func goConversion(x *extractor, n int) {
	if t := x.child(n, "type"); x.kind(t) == "generic_type" {
		x.mark(x.child(t, "type"), called)
	}
}

func goSelector(x *extractor, n int) {
	operand := x.child(n, "operand")
	if field := x.child(n, "field"); field >= 0 && x.nodes[field].Start < x.nodes[field].End {
		qualifier := goValue(x, operand, 0)
		if qualifier == "" {
			qualifier = qualifierText(x, operand)
		}
		referAs(x, field, qualifier, x.roles[n].use())
	}
	if operand >= 0 && x.kind(operand) == "identifier" && importsName(x, x.text(operand)) && !isLocal(x, operand) {
		x.mark(operand, taken)
	}
}

// imports reports whether the file imports something under a name.
func importsName(x *extractor, name string) bool {
	for _, i := range x.file.Imports {
		if i.Alias == name || i.Alias == "" && (i.Path == name || strings.HasSuffix(i.Path, "/"+name)) {
			return true
		}
	}
	return false
}

func goQualified(x *extractor, n int) {
	use := x.roles[n].use()
	if use == syntax.Read {
		use = syntax.TypeOf
	}
	p := x.child(n, "package")
	x.mark(p, taken)
	x.refer(x.child(n, "name"), p, use)
}

// goKey takes a plain name before a colon for a field of the type of the literal.
func goKey(x *extractor, n int) {
	key := x.child(n, "key")
	if key < 0 {
		key = n + 1
	}
	id := below(x, key, "identifier")
	if id < 0 || id != key+1 || isLocal(x, id) {
		return
	}
	referAs(x, id, literalType(x, n), syntax.Read)
}

// literalType returns the type of the literal that element n is part of; "": unknown. That of an element without a
// type is written as the element of what holds it.
func literalType(x *extractor, n int) string {
	deep := 0
	for i := n - 1; i >= 0 && n-i < 4096; i-- {
		if x.kind(i) != "literal_value" || int(x.nodes[i].Next) <= n {
			continue
		}
		if i > 0 && x.kind(i-1) == "composite_literal" { // without a node for its type
			return ""
		}
		if x.kind(i-1) == "literal_element" {
			deep++
			continue
		}
		for j := i - 1; j >= 0 && i-j < 64; j-- {
			if x.kind(j) == "composite_literal" && x.child(j, "body") == i {
				t := qualifierText(x, x.child(j, "type"))
				if t != "" && deep > 0 {
					t += "{}" + strings.Repeat("[]", deep)
				}
				return t
			}
		}
		return ""
	}
	return ""
}
