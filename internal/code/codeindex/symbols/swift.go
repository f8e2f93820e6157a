package symbols

import (
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// swiftLanguage reads Swift. What an extension has belongs to the type that it extends.
func swiftLanguage() *language {
	return &language{
		grammar: "swift",
		tokens:  []string{"struct", "enum", "extension", "actor", "class", "init", "let"},
		builtin: strings.Fields(`String Int Int64 UInt8 Double Float Bool Character Array Dictionary Set Optional Any AnyObject Void Error Self self super print
			nil true false fatalError precondition assert error newValue oldValue _`),
		handlers: map[string]handler{
			"comment":                       remark,
			"multiline_comment":             remark,
			"import_declaration":            swiftImport,
			"class_declaration":             swiftType,
			"protocol_declaration":          declares(syntax.Interface),
			"inheritance_specifier":         swiftBase,
			"function_declaration":          callable,
			"protocol_function_declaration": callable,
			"init_declaration":              callable,
			"deinit_declaration":            function,
			"subscript_declaration":         function,
			"property_declaration":          swiftProperty,
			"protocol_property_declaration": swiftProperty,
			"enum_entry":                    swiftCases,
			"typealias_declaration":         declares(syntax.Type),
			"associatedtype_declaration":    declares(syntax.Type),
			"computed_property":             function,
			"lambda_literal":                function,
			"parameter":                     swiftParameter,
			"lambda_parameter":              swiftParameter,
			"type_parameter":                bindsFirst("type_identifier"),
			"pattern":                       swiftPattern,
			"if_statement":                  blockWith(swiftBound),
			"while_statement":               blockWith(swiftBound),
			"guard_statement":               swiftBound,
			"for_statement":                 block,
			"catch_block":                   block,
			"switch_entry":                  block,
			"statements":                    block,
			"call_expression":               callsFirst,
			"constructor_expression":        creates("constructed_type", "user_type"),
			"navigation_expression":         swiftMember,
			"prefix_expression":             swiftImplicit,
			"user_type":                     lastNamed(syntax.TypeOf),
			"value_argument_label":          takeAll,
			"simple_identifier":             name,
			"type_identifier":               typeName,
		},
	}
}

func swiftImport(x *extractor, n int) {
	x.file.Imports = append(x.file.Imports, syntax.Import{Path: x.text(childOf(x, n, "identifier")), Name: "*", At: x.at(n)})
	take(x, n)
}

// swiftType is a class, structure, enumeration or actor, or an extension of one.
func swiftType(x *extractor, n int) {
	kind := syntax.Class
	switch x.kind(x.child(n, "declaration_kind")) {
	case "extension":
		extends("name")(x, n)
		return
	case "struct":
		kind = syntax.Struct
	case "enum":
		kind = syntax.Enum
	}
	declares(kind)(x, n)
}

func swiftBase(x *extractor, n int) {
	t := x.child(n, "inherits_from")
	x.mark(t, extended)
	if h := x.holder(); t >= 0 && h >= 0 && isType(x.holderKind()) {
		x.file.Symbols[h].Bases = append(x.file.Symbols[h].Bases, bareType(x.text(t)))
	}
}

// swiftTyped returns the type that is written in an annotation or for a parameter.
func swiftTyped(x *extractor, n int) syntax.Local {
	t := below(x, n, "user_type", "optional_type", "array_type", "dictionary_type")
	return syntax.Local{Type: qualifierText(x, t)}
}

func swiftParameter(x *extractor, n int) {
	x.mark(x.child(n, "external_name"), taken)
	last := -1
	x.children(n, func(c int) bool {
		if x.kind(c) == "simple_identifier" {
			x.mark(c, taken)
			last = c
		}
		return true
	})
	bindAs(x, last, n, swiftTyped(x, n))
}

// swiftProperty defines properties, or binds the variables of a function.
func swiftProperty(x *extractor, n int) {
	var names []int
	for _, pattern := range namesOf(x, n) {
		if c := x.child(pattern, "bound_identifier"); c >= 0 {
			names = append(names, c)
		}
	}
	if x.inFunction() {
		l := swiftTyped(x, childOf(x, n, "type_annotation"))
		if l.Type == "" {
			l.Type = made(x, x.child(n, "value"))
		}
		for _, c := range names {
			bindAs(x, c, int(x.nodes[n].Next), l)
		}
		return
	}
	of := x.scopes[len(x.scopes)-1].of
	kind := syntax.Variable
	switch let := below(x, n, "let"); {
	case of != "" || isType(x.holderKind()):
		kind = syntax.Field
	case len(names) > 0 && let >= 0 && let < names[0]:
		kind = syntax.Constant
	}
	first := -1
	for _, c := range names {
		if s := x.define(definition{kind: kind, name: c, whole: n, body: x.child(n, "computed_value"), of: of}); first < 0 {
			first = s
		}
	}
	if first >= 0 {
		x.open(n, first)
	}
}

func swiftCases(x *extractor, n int) {
	var names []int
	x.children(n, func(c int) bool {
		if x.kind(c) == "simple_identifier" {
			names = append(names, c)
		}
		return true
	})
	defineAll(x, n, syntax.Constant, names)
}

func swiftPattern(x *extractor, n int) {
	if c := x.child(n, "bound_identifier"); c >= 0 && x.roles[c] != taken {
		x.bind(c, n)
	}
}

// swiftBound binds what a condition gives a name.
func swiftBound(x *extractor, n int) {
	for c := x.child(n, "bound_identifier"); c >= 0; c = nextChild(x, n, int(x.nodes[c].Next), "bound_identifier") {
		x.bind(c, c)
	}
}

func swiftMember(x *extractor, n int) {
	if c := x.child(x.child(n, "suffix"), "suffix"); c >= 0 && x.roles[c] != taken {
		x.refer(c, x.child(n, "target"), x.roles[n].use())
	}
}

// swiftImplicit takes a member whose type the context says.
func swiftImplicit(x *extractor, n int) {
	if c := x.child(n, "target"); x.kind(c) == "simple_identifier" && x.src[x.nodes[n].Start] == '.' {
		referAs(x, c, "?", x.roles[n].use())
	}
}
