package symbols

import (
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// rustLanguage reads Rust. What an impl has belongs to its type; names in the arguments of macros are references.
func rustLanguage() *language {
	return &language{
		grammar: "rust",
		builtin: strings.Fields(`self Self super crate Some None Ok Err Vec String str Box Option Result bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize
			f32 f64 println print format vec panic assert assert_eq write writeln _`),
		handlers: map[string]handler{
			"line_comment":            remark,
			"block_comment":           remark,
			"attribute_item":          rustAttribute,
			"use_declaration":         rustUse,
			"mod_item":                declares(syntax.Module),
			"struct_item":             declares(syntax.Struct),
			"union_item":              declares(syntax.Struct),
			"enum_item":               declares(syntax.Enum),
			"trait_item":              declares(syntax.Interface),
			"type_item":               declares(syntax.Type),
			"associated_type":         declares(syntax.Type),
			"enum_variant":            declares(syntax.Constant),
			"field_declaration":       declares(syntax.Field),
			"const_item":              declaresValue(syntax.Constant),
			"static_item":             declaresValue(syntax.Variable),
			"function_item":           callable,
			"function_signature_item": callable,
			"macro_definition":        rustMacro,
			"impl_item":               rustImpl,
			"let_declaration":         rustPattern,
			"parameter":               rustPattern,
			"let_condition":           rustPattern,
			"closure_expression":      rustClosure,
			"for_expression":          blockWith(rustPattern),
			"match_arm":               blockWith(rustPattern),
			"type_parameter":          bindName,
			"block":                   block,
			"call_expression":         calls("function"),
			"generic_function":        passes("function"),
			"macro_invocation":        calls("macro"),
			"token_tree":              rustTokens,
			"field_expression":        member("value", "field"),
			"scoped_identifier":       member("path", "name"),
			"scoped_type_identifier":  rustPath,
			"identifier":              name,
			"type_identifier":         typeName,
		},
	}
}

func rustAttribute(x *extractor, n int) {
	attribute(x, n)
	take(x, n)
}

// rustUse adds the imports of a tree of paths.
func rustUse(x *extractor, n int) {
	rustPaths(x, x.child(n, "argument"), "")
	take(x, n)
}

func rustPaths(x *extractor, n int, prefix string) {
	add := func(path, alias string) {
		if prefix != "" {
			path = prefix + "::" + path
		}
		importPath(x, n, path, "::", alias)
	}
	switch x.kind(n) {
	case "use_as_clause":
		add(x.text(x.child(n, "path")), x.text(x.child(n, "alias")))
	case "use_wildcard":
		add(strings.TrimSuffix(x.text(n), "::*")+"::*", "")
	case "scoped_use_list":
		if path := x.text(x.child(n, "path")); prefix == "" {
			prefix = path
		} else {
			prefix += "::" + path
		}
		rustPaths(x, x.child(n, "list"), prefix)
	case "use_list":
		x.children(n, func(c int) bool {
			rustPaths(x, c, prefix)
			return true
		})
	case "self":
		importPath(x, n, prefix, "::", "")
	case "identifier", "scoped_identifier":
		add(x.text(n), "")
	}
}

func rustImpl(x *extractor, n int) {
	extends("type")(x, n)
	if t := x.child(n, "trait"); t >= 0 {
		if x.kind(t) == "generic_type" {
			t = x.child(t, "type")
		}
		x.mark(t, implement)
	}
}

func rustMacro(x *extractor, n int) {
	declares(syntax.Function)(x, n)
	take(x, n)
}

// rustPattern gives names to what a pattern matches.
func rustPattern(x *extractor, n int) {
	from := n
	if x.kind(n) == "let_declaration" {
		from = int(x.nodes[n].Next)
	}
	rustBind(x, x.child(n, "pattern"), from, typeOf(x, n))
}

func rustBind(x *extractor, n, from int, l syntax.Local) {
	if n < 0 {
		return
	}
	switch x.kind(n) {
	case "identifier", "shorthand_field_identifier":
		if c := x.src[x.nodes[n].Start]; c < 'A' || c > 'Z' { // else it is a constant or a variant
			bindAs(x, n, from, l)
		}
		return
	case "scoped_identifier", "scoped_type_identifier", "type_identifier":
		return
	}
	named := x.child(n, "type")
	x.children(n, func(c int) bool {
		if c != named {
			rustBind(x, c, from, syntax.Local{})
		}
		return true
	})
}

func rustClosure(x *extractor, n int) {
	function(x, n)
	rustBind(x, x.child(n, "parameters"), n, syntax.Local{})
}

// rustTokens reads the arguments of a macro: a name before parentheses is called, one behind a point is a member.
func rustTokens(x *extractor, n int) {
	if x.roles[n] == taken {
		return
	}
	before := -1
	x.children(n, func(c int) bool {
		switch k := x.kind(c); {
		case k == "token_tree" && x.kind(before) == "identifier" && x.src[x.nodes[c].Start] == '(' && x.nodes[before].End == x.nodes[c].Start:
			rustToken(x, before, called)
		case before >= 0:
			rustToken(x, before, plain)
		}
		before = -1
		if hasKind(x, c, "identifier", "self") {
			before = c
		}
		return true
	})
	if before >= 0 {
		rustToken(x, before, plain)
	}
}

func rustToken(x *extractor, n int, r role) {
	if x.kind(n) != "identifier" {
		return
	}
	at := x.nodes[n].Start
	if at == 0 || x.src[at-1] != '.' {
		x.mark(n, r)
		return
	}
	from := at - 1
	for from > 0 && isNamePart(x.src[from-1]) {
		from--
	}
	referAs(x, n, string(x.src[from:at-1]), r.use())
}

func rustPath(x *extractor, n int) {
	if x.roles[n] == plain {
		x.roles[n] = asType
	}
	member("path", "name")(x, n)
}
