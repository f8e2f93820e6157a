package symbols

import (
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// sqlLanguage reads SQL: tables and views are structures, columns their fields, procedures and triggers functions. The schema of a name
// is not part of it.
func sqlLanguage() *language {
	return &language{
		grammar: "sql",
		builtin: strings.Fields(`count sum min max avg coalesce now lower upper length cast nullif COUNT SUM MIN MAX AVG COALESCE NOW LOWER UPPER LENGTH NULLIF`),
		handlers: map[string]handler{
			"comment":                  remark,
			"marginalia":               remark,
			"create_table":             sqlDefines(syntax.Struct),
			"create_view":              sqlDefines(syntax.Struct),
			"create_materialized_view": sqlDefines(syntax.Struct),
			"create_type":              sqlDefines(syntax.Type),
			"create_function":          sqlDefines(syntax.Function),
			"create_trigger":           sqlDefines(syntax.Function),
			"create_sequence":          sqlDefines(syntax.Variable),
			"create_index":             sqlIndex,
			"column_definition":        sqlColumn,
			"alter_table":              sqlAlter,
			"statement":                sqlStatement,
			"subquery":                 sqlStatement,
			"function_argument":        bindsFirst("identifier"),
			"function_declaration":     bindsFirst("identifier"),
			"invocation":               sqlCall,
			"function_language":        takeAll,
			"field":                    sqlField,
			"object_reference":         sqlObject,
			"identifier":               name,
		},
	}
}

// sqlDefines returns the handler of a statement that makes what its first object names.
func sqlDefines(kind syntax.Kind) handler {
	return func(x *extractor, n int) {
		object := childOf(x, n, "object_reference")
		name := x.child(object, "name")
		if name < 0 || x.inFunction() {
			block(x, n)
			return
		}
		x.mark(object, taken)
		take(x, object)
		body := childOf(x, n, "column_definitions", "create_query", "function_body")
		x.open(n, x.define(definition{kind: kind, name: name, whole: n, body: body}))
	}
}

// sqlIndex names an index; its columns are those of the table.
func sqlIndex(x *extractor, n int) {
	if name := x.child(n, "column"); x.kind(name) == "identifier" {
		x.open(n, x.define(definition{kind: syntax.Variable, name: name, whole: n, body: -1}))
	}
}

func sqlColumn(x *extractor, n int) {
	name := x.child(n, "name")
	of := x.scopes[len(x.scopes)-1].of
	if name < 0 || x.kind(name) != "identifier" || of == "" && !isType(x.holderKind()) {
		x.mark(name, taken)
		return
	}
	x.define(definition{kind: syntax.Field, name: name, whole: n, body: -1, of: of})
	x.mark(x.child(n, "custom_type"), asType)
}

// sqlAlter takes the columns that are added for those of the table.
func sqlAlter(x *extractor, n int) {
	block(x, n)
	x.scopes[len(x.scopes)-1].of = x.text(x.child(childOf(x, n, "object_reference"), "name"))
}

// sqlStatement binds the names that a statement gives to what it reads, which it may use before them.
func sqlStatement(x *extractor, n int) {
	block(x, n)
	for c := n + 1; c < int(x.nodes[n].Next); c++ {
		switch x.kind(c) {
		case "relation", "term":
			x.bind(x.child(c, "alias"), n)
		case "cte":
			x.bind(childOf(x, c, "identifier"), n)
		}
	}
}

func sqlCall(x *extractor, n int) { x.mark(childOf(x, n, "object_reference"), called) }

func sqlField(x *extractor, n int) {
	object := childOf(x, n, "object_reference")
	if object < 0 {
		return
	}
	if c := x.child(n, "name"); c >= 0 {
		x.refer(c, object, syntax.Read)
	}
}

func sqlObject(x *extractor, n int) {
	if c := x.child(n, "name"); c >= 0 && x.roles[n] != taken && x.roles[c] != taken && !isLocal(x, c) && !x.table.builtin[x.text(c)] {
		x.refer(c, -1, x.roles[n].use())
	}
	take(x, n)
}
