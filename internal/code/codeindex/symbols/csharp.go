package symbols

import (
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// csharpLanguage reads C#. Namespaces are the package of a file, and no symbols.
func csharpLanguage() *language {
	return &language{
		grammar: "csharp",
		builtin: strings.Fields("this base string object String Object Console Math Exception Task List Dictionary IEnumerable Func Action var value nameof _"),
		handlers: map[string]handler{
			"comment":                           remark,
			"namespace_declaration":             inPackage("name"),
			"file_scoped_namespace_declaration": inPackage("name"),
			"using_directive":                   csharpUsing,
			"class_declaration":                 declares(syntax.Class),
			"record_declaration":                record("parameter_list"),
			"struct_declaration":                declares(syntax.Struct),
			"interface_declaration":             declares(syntax.Interface),
			"enum_declaration":                  declares(syntax.Enum),
			"delegate_declaration":              declares(syntax.Type),
			"enum_member_declaration":           declares(syntax.Constant),
			"base_list":                         bases(extended, "identifier", "qualified_name"),
			"method_declaration":                callable,
			"constructor_declaration":           callable,
			"local_function_statement":          callable,
			"property_declaration":              declares(syntax.Field),
			"field_declaration":                 csharpFields,
			"event_field_declaration":           csharpFields,
			"variable_declaration":              csharpVariables,
			"parameter":                         bindsName,
			"catch_declaration":                 bindsName,
			"declaration_pattern":               bindsName,
			"implicit_parameter":                bindSelf,
			"foreach_statement":                 blockWith(csharpEach),
			"for_statement":                     block,
			"catch_clause":                      block,
			"block":                             block,
			"lambda_expression":                 function,
			"type_parameter":                    bindName,
			"type_parameter_constraint":         asTypeOf("type"),
			"type_parameter_constraints_clause": skipFirst,
			"invocation_expression":             calls("function"),
			"object_creation_expression":        creates("type", "identifier", "qualified_name"),
			"generic_name":                      csharpGeneric,
			"type_argument_list":                csharpArguments,
			"member_access_expression":          csharpMember,
			"member_binding_expression":         csharpMember,
			"qualified_name":                    member("qualifier", "name"),
			"attribute":                         asTypeOf("name"),
			"identifier":                        csharpName,
		},
	}
}

func csharpUsing(x *extractor, n int) {
	alias := x.child(n, "name")
	path := childOf(x, n, "qualified_name")
	if path < 0 {
		path = n + 1
	}
	i := syntax.Import{Path: x.text(path), Name: "*", At: x.at(n)}
	if alias >= 0 {
		importPath(x, n, i.Path, ".", x.text(alias))
	} else {
		x.file.Imports = append(x.file.Imports, i)
	}
	take(x, n)
}

func csharpFields(x *extractor, n int) {
	d := childOf(x, n, "variable_declaration")
	x.mark(d, taken)
	x.mark(x.child(d, "type"), asType)
	defineAll(x, n, syntax.Field, declarators(x, d))
}

func csharpVariables(x *extractor, n int) {
	if x.roles[n] != taken {
		x.mark(x.child(n, "type"), asType)
		javaVariables(x, n)
	}
}

func csharpEach(x *extractor, n int) { bindAs(x, x.child(n, "left"), n, typeOf(x, n)) }

// csharpGeneric passes what is said of a type with arguments to its name.
func csharpGeneric(x *extractor, n int) {
	r := x.roles[n]
	if r == plain && inType(x, n) {
		r = asType
	}
	if x.roles[n+1] == plain {
		x.mark(n+1, r)
	}
}

func csharpArguments(x *extractor, n int) {
	x.children(n, func(c int) bool {
		if x.roles[c] == plain {
			x.mark(c, asType)
		}
		return true
	})
}

// csharpMember takes a member of what is written before the point; this is no node of the grammar.
func csharpMember(x *extractor, n int) {
	c := x.child(n, "name")
	if c < 0 || x.roles[c] == taken {
		return
	}
	if x.kind(c) == "generic_name" {
		x.mark(c, taken)
		c++
	}
	before := strings.TrimRight(string(x.src[x.nodes[n].Start:x.nodes[c].Start]), ".? \n\t\r")
	if len(before) > maxQualifier || strings.Contains(before, "\n") || before == "" {
		before = "?"
	}
	referAs(x, c, before, x.roles[n].use())
}

// csharpName takes a name in the field type of its parent for a type.
func csharpName(x *extractor, n int) {
	if x.roles[n] == plain && inType(x, n) {
		x.roles[n] = asType
	}
	name(x, n)
}
