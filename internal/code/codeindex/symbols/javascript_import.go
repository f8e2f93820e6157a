package symbols

import (
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// scriptImport reads the forms of import; a default one has the name "default".
func scriptImport(x *extractor, n int) {
	path := scriptString(x.text(x.child(n, "source")))
	clause := childOf(x, n, "import_clause")
	if clause < 0 {
		if path != "" {
			x.file.Imports = append(x.file.Imports, syntax.Import{Path: path, At: x.at(n)})
		}
		return
	}
	for c := clause + 1; c < int(x.nodes[clause].Next); c = int(x.nodes[c].Next) {
		switch x.kind(c) {
		case "identifier":
			x.file.Imports = append(x.file.Imports, syntax.Import{Path: path, Name: "default", Alias: x.text(c), At: x.at(c)})
		case "namespace_import":
			x.file.Imports = append(x.file.Imports, syntax.Import{Path: path, Alias: x.text(below(x, c, "identifier")), At: x.at(c)})
		case "named_imports":
			x.children(c, func(s int) bool {
				importOne(x, path, s)
				return true
			})
		}
	}
	take(x, clause)
}

func importOne(x *extractor, path string, s int) {
	if k := x.kind(s); k != "import_specifier" && k != "export_specifier" {
		return
	}
	i := syntax.Import{Path: path, Name: x.text(x.child(s, "name")), At: x.at(s)}
	if alias := x.child(s, "alias"); alias >= 0 {
		i.Alias = x.text(alias)
	}
	x.file.Imports = append(x.file.Imports, i)
}

func scriptString(s string) string { return strings.Trim(s, "'\"`") }

// scriptExport is a definition's own export, or one of what another file defines: an import.
func scriptExport(x *extractor, n int) {
	wraps("declaration")(x, n)
	source := x.child(n, "source")
	if source < 0 {
		return
	}
	path := scriptString(x.text(source))
	clause := childOf(x, n, "export_clause")
	if clause < 0 {
		x.file.Imports = append(x.file.Imports, syntax.Import{Path: path, Name: "*", At: x.at(n)})
	}
	x.children(clause, func(s int) bool {
		importOne(x, path, s)
		return true
	})
	take(x, clause)
}

func scriptRequireClause(x *extractor, n int) {
	id := below(x, n, "identifier")
	x.file.Imports = append(x.file.Imports, syntax.Import{Path: scriptString(x.text(x.child(n, "source"))), Alias: x.text(id), At: x.at(n)})
	x.mark(id, taken)
}

func scriptRequire(x *extractor, n, name, value int) bool {
	if x.kind(value) != "call_expression" || x.text(x.child(value, "function")) != "require" {
		return false
	}
	argument := below(x, x.child(value, "arguments"), "string")
	if argument < 0 {
		return false
	}
	path := scriptString(x.text(argument))
	if x.kind(name) == "identifier" {
		x.file.Imports = append(x.file.Imports, syntax.Import{Path: path, Alias: x.text(name), At: x.at(n)})
	} else {
		for _, c := range patternNames(x, name) {
			x.file.Imports = append(x.file.Imports, syntax.Import{Path: path, Name: x.text(c), At: x.at(c)})
		}
	}
	take(x, n)
	return true
}
