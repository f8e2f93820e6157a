package symbols

import (
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// javaLanguage reads Java. The components of a record are fields.
func javaLanguage() *language {
	types := []string{"type_identifier", "scoped_type_identifier"}
	return &language{
		grammar: "java",
		builtin: strings.Fields(`this super String Object Integer Long Double Float Boolean Character Byte Short Void Override Deprecated SuppressWarnings System
			Math Exception RuntimeException Iterable Class Enum`),
		handlers: map[string]handler{
			"line_comment":                        remark,
			"block_comment":                       remark,
			"package_declaration":                 inPackage(""),
			"import_declaration":                  javaImport,
			"class_declaration":                   declares(syntax.Class),
			"interface_declaration":               declares(syntax.Interface),
			"annotation_type_declaration":         declares(syntax.Interface),
			"enum_declaration":                    declares(syntax.Enum),
			"record_declaration":                  record("formal_parameters"),
			"superclass":                          bases(extended, types...),
			"extends_interfaces":                  bases(extended, types...),
			"super_interfaces":                    bases(implement, types...),
			"method_declaration":                  callable,
			"constructor_declaration":             callable,
			"compact_constructor_declaration":     callable,
			"annotation_type_element_declaration": callable,
			"field_declaration":                   javaFields(syntax.Field),
			"constant_declaration":                javaFields(syntax.Constant),
			"enum_constant":                       declares(syntax.Constant),
			"local_variable_declaration":          javaVariables,
			"formal_parameter":                    bindsName,
			"catch_formal_parameter":              bindsName,
			"spread_parameter":                    javaVariables,
			"resource":                            bindsName,
			"instanceof_expression":               bindsName,
			"type_pattern":                        bindsFirst("identifier"),
			"enhanced_for_statement":              blockWith(bindsName),
			"for_statement":                       block,
			"try_with_resources_statement":        block,
			"catch_clause":                        block,
			"block":                               block,
			"lambda_expression":                   javaLambda,
			"type_parameter":                      bindsFirst("type_identifier"),
			"method_invocation":                   invokes("object"),
			"object_creation_expression":          creates("type", types...),
			"method_reference":                    lastNamed(syntax.Read),
			"field_access":                        member("object", "field"),
			"scoped_type_identifier":              lastNamed(syntax.TypeOf),
			"marker_annotation":                   javaAnnotation,
			"annotation":                          javaAnnotation,
			"identifier":                          name,
			"type_identifier":                     typeName,
		},
	}
}

func javaImport(x *extractor, n int) {
	path := x.text(childOf(x, n, "scoped_identifier", "identifier"))
	if childOf(x, n, "asterisk") >= 0 {
		path += ".*"
	}
	importPath(x, n, path, ".", "")
	take(x, n)
}

// declarators returns the names that a declaration gives.
func declarators(x *extractor, n int) (names []int) {
	x.children(n, func(c int) bool {
		if x.kind(c) == "variable_declarator" {
			if name := x.child(c, "name"); name >= 0 {
				names = append(names, name)
			}
		}
		return true
	})
	return names
}

func javaFields(kind syntax.Kind) handler {
	return func(x *extractor, n int) { defineAll(x, n, kind, declarators(x, n)) }
}

func javaVariables(x *extractor, n int) {
	for _, c := range declarators(x, n) {
		bindAs(x, c, n, typeOf(x, n))
	}
}

func javaLambda(x *extractor, n int) {
	function(x, n)
	p := x.child(n, "parameters")
	if k := x.kind(p); k == "identifier" || k == "inferred_parameters" {
		bindBelow(x, p, n, "identifier")
	}
}

func javaAnnotation(x *extractor, n int) { x.mark(x.child(n, "name"), asType) }

// lastNamed returns the handler of a path whose last child is the name and whose first is what stands before it.
func lastNamed(use syntax.Use) handler {
	return func(x *extractor, n int) {
		last := -1
		x.children(n, func(c int) bool {
			if hasKind(x, c, "identifier", "type_identifier", "name") {
				last = c
			}
			return true
		})
		if last < 0 || x.roles[last] == taken {
			return
		}
		as := use
		if r := x.roles[n]; r != plain && r != taken {
			as = r.use()
		}
		qualifier := -1
		if last != n+1 {
			qualifier = n + 1
		} else if isLocal(x, last) || x.table.builtin[x.text(last)] {
			return
		}
		x.refer(last, qualifier, as)
	}
}
