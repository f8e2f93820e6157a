package symbols

import (
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// kotlinLanguage reads Kotlin. What a companion object has belongs to its class, an extension to the type that it extends; parameters of a
// primary constructor that are properties are fields.
func kotlinLanguage() *language {
	return &language{
		grammar: "kotlin",
		tokens:  []string{"interface", "val", "var", "constructor"},
		builtin: strings.Fields(`Any Unit Nothing String Int Long Short Byte Double Float Boolean Char Array List MutableList Map MutableMap Set MutableSet Pair
			Exception it println print listOf mutableListOf mapOf mutableMapOf setOf require check error null true false _`),
		handlers: map[string]handler{
			"line_comment":          remark,
			"block_comment":         remark,
			"package_header":        inPackage(""),
			"import":                kotlinImport,
			"class_declaration":     kotlinClass,
			"object_declaration":    kotlinClass,
			"companion_object":      kotlinCompanion,
			"class_parameter":       kotlinProperty,
			"delegation_specifiers": bases(extended, "user_type"),
			"function_declaration":  kotlinFunction,
			"secondary_constructor": kotlinConstructor,
			"property_declaration":  kotlinProperties,
			"enum_entry":            kotlinEntry,
			"type_alias":            kotlinAlias,
			"anonymous_function":    function,
			"anonymous_initializer": function,
			"lambda_literal":        function,
			"getter":                function,
			"setter":                blockWith(bindsFirst("identifier")),
			"parameter":             kotlinParameter,
			"variable_declaration":  kotlinParameter,
			"type_parameter":        bindsFirst("identifier"),
			"catch_block":           blockWith(bindsFirst("identifier")),
			"for_statement":         block,
			"when_expression":       block,
			"block":                 block,
			"value_argument":        kotlinArgument,
			"call_expression":       callsFirst,
			"navigation_expression": lastNamed(syntax.Read),
			"callable_reference":    lastNamed(syntax.Read),
			"user_type":             lastNamed(syntax.TypeOf),
			"return_expression":     skipName("label"),
			"identifier":            name,
		},
	}
}

func kotlinImport(x *extractor, n int) {
	path := childOf(x, n, "qualified_identifier", "identifier")
	text, alias := x.text(path), ""
	x.children(n, func(c int) bool {
		if c != path && x.kind(c) == "identifier" {
			alias = x.text(c)
		}
		return true
	})
	if strings.HasSuffix(strings.TrimSpace(x.text(n)), ".*") {
		text += ".*"
	}
	importPath(x, n, text, ".", alias)
	take(x, n)
}

func kotlinClass(x *extractor, n int) {
	name, body := x.child(n, "name"), childOf(x, n, "class_body", "enum_class_body")
	if name < 0 {
		block(x, n)
		return
	}
	kind := syntax.Class
	switch {
	case childOf(x, n, "interface") >= 0:
		kind = syntax.Interface
	case x.kind(body) == "enum_class_body":
		kind = syntax.Enum
	}
	x.open(n, x.define(definition{kind: kind, name: name, whole: n, body: body}))
	x.scopes[len(x.scopes)-1].inside = false
}

func kotlinCompanion(x *extractor, n int) {
	block(x, n)
	x.mark(x.child(n, "name"), taken)
}

// kotlinTyped returns the type that is written for what n declares.
func kotlinTyped(x *extractor, n int) syntax.Local {
	return syntax.Local{Type: qualifierText(x, childOf(x, n, "user_type", "nullable_type"))}
}

func kotlinParameter(x *extractor, n int) {
	if c := childOf(x, n, "identifier"); c >= 0 && x.roles[c] != taken {
		bindAs(x, c, n, kotlinTyped(x, n))
	}
}

// kotlinProperty is a parameter of a primary constructor: a field, or a name for what initialises the class.
func kotlinProperty(x *extractor, n int) {
	if c := childOf(x, n, "identifier"); childOf(x, n, "val", "var") < 0 {
		bindAs(x, c, n, kotlinTyped(x, n))
	} else if c >= 0 {
		x.define(definition{kind: syntax.Field, name: c, whole: n, body: -1})
	}
}

// kotlinReceiver returns the type that a declaration extends; "": none.
func kotlinReceiver(x *extractor, n, name int) string {
	t := childOf(x, n, "user_type", "nullable_type", "parenthesized_type")
	if t < 0 || t > name {
		return ""
	}
	return bareType(strings.TrimSuffix(x.text(t), "?"))
}

func kotlinFunction(x *extractor, n int) {
	name := x.child(n, "name")
	if name < 0 {
		function(x, n)
		return
	}
	defineCallable(x, n, name, childOf(x, n, "function_body"), kotlinReceiver(x, n, name))
}

func kotlinConstructor(x *extractor, n int) {
	if name := childOf(x, n, "constructor"); name >= 0 {
		defineCallable(x, n, name, childOf(x, n, "block"), "")
		return
	}
	function(x, n)
}

// kotlinProperties defines properties, or binds the variables of a function.
func kotlinProperties(x *extractor, n int) {
	list := childOf(x, n, "variable_declaration", "multi_variable_declaration")
	if list < 0 || x.inFunction() {
		kotlinMade(x, n, list)
		return
	}
	kind, names := syntax.Variable, kotlinNames(x, list)
	switch {
	case strings.Contains(x.text(childOf(x, n, "modifiers")), "const"):
		kind = syntax.Constant
	case isType(x.holderKind()):
		kind = syntax.Field
	}
	if len(names) == 0 {
		return
	}
	if of := kotlinReceiver(x, n, names[0]); of != "" {
		x.open(n, x.define(definition{kind: syntax.Field, name: names[0], whole: n, body: childOf(x, n, "getter", "setter"), of: of}))
		return
	}
	defineAll(x, n, kind, names)
}

// kotlinMade binds a variable whose value says its type.
func kotlinMade(x *extractor, n, list int) {
	c := childOf(x, list, "identifier")
	if x.kind(list) != "variable_declaration" || c < 0 || kotlinTyped(x, list).Type != "" {
		return
	}
	bindAs(x, c, int(x.nodes[n].Next), syntax.Local{Type: made(x, childOf(x, n, "call_expression"))})
}

func kotlinNames(x *extractor, list int) (names []int) {
	if x.kind(list) == "variable_declaration" {
		return []int{childOf(x, list, "identifier")}
	}
	x.children(list, func(c int) bool {
		if name := childOf(x, c, "identifier"); name >= 0 {
			names = append(names, name)
		}
		return true
	})
	return names
}

func kotlinEntry(x *extractor, n int) {
	if name := childOf(x, n, "identifier"); name >= 0 {
		x.open(n, x.define(definition{kind: syntax.Constant, name: name, whole: n, body: childOf(x, n, "class_body")}))
	}
}

func kotlinAlias(x *extractor, n int) {
	if name := x.child(n, "type"); name >= 0 {
		x.open(n, x.define(definition{kind: syntax.Type, name: name, whole: n, body: -1}))
	}
}

// kotlinArgument leaves out the name of an argument.
func kotlinArgument(x *extractor, n int) {
	if c := n + 1; x.kind(c) == "identifier" && int(x.nodes[c].Next) < int(x.nodes[n].Next) {
		x.mark(c, taken)
	}
}
