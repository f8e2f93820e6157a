package symbols

import (
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// phpLanguage reads PHP, with the text around it. Variables are no symbols; a property has its name without the sign.
func phpLanguage() *language {
	names := []string{"name", "qualified_name"}
	return &language{
		grammar: "php",
		builtin: strings.Fields("self static parent true false null TRUE FALSE NULL define isset array count strlen Exception Closure iterable"),
		handlers: map[string]handler{
			"comment":                           remark,
			"namespace_definition":              inPackage("name"),
			"namespace_use_declaration":         phpUse,
			"class_declaration":                 declares(syntax.Class),
			"interface_declaration":             declares(syntax.Interface),
			"trait_declaration":                 declares(syntax.Class),
			"enum_declaration":                  declares(syntax.Enum),
			"enum_case":                         declares(syntax.Constant),
			"base_clause":                       bases(extended, names...),
			"class_interface_clause":            bases(implement, names...),
			"use_declaration":                   bases(extended, names...),
			"method_declaration":                callable,
			"function_definition":               callable,
			"property_declaration":              phpProperties,
			"const_declaration":                 phpConstants,
			"property_promotion_parameter":      phpPromoted,
			"anonymous_function":                function,
			"arrow_function":                    function,
			"variable_name":                     takeAll,
			"named_argument":                    skipName("name"),
			"named_type":                        phpType,
			"attribute":                         phpType,
			"function_call_expression":          calls("function"),
			"member_call_expression":            invokes("object"),
			"nullsafe_member_call_expression":   invokes("object"),
			"scoped_call_expression":            invokes("scope"),
			"object_creation_expression":        phpNew,
			"member_access_expression":          member("object", "name"),
			"nullsafe_member_access_expression": member("object", "name"),
			"scoped_property_access_expression": phpStatic,
			"class_constant_access_expression":  lastNamed(syntax.Read),
			"qualified_name":                    lastNamed(syntax.Read),
			"require_expression":                phpRequire,
			"require_once_expression":           phpRequire,
			"include_expression":                phpRequire,
			"include_once_expression":           phpRequire,
			"name":                              name,
		},
	}
}

// phpUse adds the imports of a declaration, of a group of them too.
func phpUse(x *extractor, n int) {
	prefix := x.text(childOf(x, n, "namespace_name"))
	for c := n + 1; c < int(x.nodes[n].Next); c++ {
		if x.kind(c) != "namespace_use_clause" {
			continue
		}
		alias := x.child(c, "alias")
		path := strings.TrimSpace(string(x.src[x.nodes[c].Start:x.nodes[c].End]))
		path = strings.TrimPrefix(strings.TrimPrefix(path, "function "), "const ")
		path, _, _ = strings.Cut(path, " ")
		if prefix != "" {
			path = prefix + `\` + path
		}
		importPath(x, c, strings.TrimPrefix(path, `\`), `\`, x.text(alias))
	}
	take(x, n)
}

// phpProperties defines properties by their names without the sign.
func phpProperties(x *extractor, n int) {
	var names []int
	x.children(n, func(c int) bool {
		if v := childOf(x, x.child(c, "name"), "name"); x.kind(c) == "property_element" && v >= 0 {
			names = append(names, v)
		}
		return true
	})
	defineAll(x, n, syntax.Field, names)
}

func phpPromoted(x *extractor, n int) {
	h := x.scopes
	class := x.holder()
	if class >= 0 {
		class = x.file.Symbols[class].Parent
	}
	name := childOf(x, x.child(n, "name"), "name")
	if name < 0 || class < 0 {
		return
	}
	x.scopes = append(slices.Clip(h), scope{symbol: class}) // the property belongs to the class of the constructor
	x.define(definition{kind: syntax.Field, name: name, whole: n, body: -1})
	x.scopes = h
}

func phpConstants(x *extractor, n int) {
	var names []int
	x.children(n, func(c int) bool {
		if name := childOf(x, c, "name"); x.kind(c) == "const_element" && name >= 0 {
			names = append(names, name)
		}
		return true
	})
	defineAll(x, n, syntax.Constant, names)
}

func phpType(x *extractor, n int) {
	if n+1 < int(x.nodes[n].Next) {
		x.mark(n+1, asType)
	}
}

func phpNew(x *extractor, n int) { x.mark(childOf(x, n, "name", "qualified_name"), called) }

// phpStatic takes a static property by its name without the sign.
func phpStatic(x *extractor, n int) {
	if v := x.child(n, "name"); childOf(x, v, "name") >= 0 {
		x.refer(childOf(x, v, "name"), x.child(n, "scope"), syntax.Read)
		x.mark(v, taken)
	}
}

func phpRequire(x *extractor, n int) {
	if s := below(x, n, "string", "encapsed_string"); s >= 0 {
		x.file.Imports = append(x.file.Imports, syntax.Import{Path: scriptString(x.text(s)), Name: "*", At: x.at(n)})
	}
}
