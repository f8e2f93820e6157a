package symbols

import (
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// These handlers are those of constructs that most languages have.

// declares returns the handler of a definition with the fields name and body.
func declares(kind syntax.Kind) handler {
	return func(x *extractor, n int) {
		name := x.child(n, "name")
		if name < 0 || x.kind(name) == "string" {
			return // module "x" of TypeScript only says where its definitions belong
		}
		x.open(n, x.define(definition{kind: kind, name: name, whole: wholeOf(x, n), body: x.child(n, "body")}))
		x.scopes[len(x.scopes)-1].inside = kind == syntax.Function || kind == syntax.Method
	}
}

// record returns the handler of a class whose parameters, in a child of a type, are fields.
func record(parameters string) handler {
	return func(x *extractor, n int) {
		declares(syntax.Class)(x, n)
		x.children(childOf(x, n, parameters), func(c int) bool {
			if name := x.child(c, "name"); name >= 0 {
				x.define(definition{kind: syntax.Field, name: name, whole: c, body: -1})
			}
			return true
		})
	}
}

// callable is the handler of a function with the fields name and body: a method if a type holds it.
func callable(x *extractor, n int) {
	if name := x.child(n, "name"); name >= 0 {
		defineCallable(x, n, name, x.child(n, "body"), "")
		return
	}
	function(x, n)
}

// defineCallable opens the function at node n, which belongs to a type by its name, or else to what it lies in.
func defineCallable(x *extractor, n, name, body int, of string) {
	d := definition{kind: syntax.Function, name: name, whole: wholeOf(x, n), body: body, of: of}
	if d.of == "" {
		d.of = x.scopes[len(x.scopes)-1].of
	}
	if d.of != "" || isType(x.holderKind()) {
		d.kind = syntax.Method
	}
	x.open(n, x.define(d))
}

// extends returns the handler of a block whose definitions belong to the type in its field.
func extends(field string) handler {
	return func(x *extractor, n int) {
		block(x, n)
		x.scopes[len(x.scopes)-1].of = bareType(x.text(x.child(n, field)))
	}
}

// bareType is the name of a type without its arguments and what it points to.
func bareType(s string) string {
	s = strings.TrimLeft(s, "&* ")
	if i := strings.IndexAny(s, "<[( "); i > 0 {
		s = s[:i]
	}
	return strings.NewReplacer("::", ".", `\`, ".").Replace(s)
}

// declaresValue returns the handler of one named value: a definition, or in a function a local name.
func declaresValue(kind syntax.Kind) handler {
	return func(x *extractor, n int) {
		name := x.child(n, "name")
		switch {
		case name < 0:
		case x.inFunction():
			bindAs(x, name, int(x.nodes[n].Next), typeOf(x, n))
		default:
			x.open(n, x.define(definition{kind: kind, name: name, whole: wholeOf(x, n), body: -1}))
		}
	}
}

// defineAll defines the names at some nodes of a declaration, which the first of them holds.
func defineAll(x *extractor, n int, kind syntax.Kind, names []int) {
	first := -1
	for _, c := range names {
		if s := x.define(definition{kind: kind, name: c, whole: wholeOf(x, n), body: -1}); first < 0 {
			first = s
		}
	}
	if first >= 0 {
		x.open(n, first)
	}
}

// typeOf returns the type in the field type of a node, for what it declares.
func typeOf(x *extractor, n int) syntax.Local {
	return syntax.Local{Type: qualifierText(x, x.child(n, "type"))}
}

// bindsName is the handler of a parameter with the fields name and type.
func bindsName(x *extractor, n int) { bindAs(x, x.child(n, "name"), n, typeOf(x, n)) }

// binds returns the handler of what gives names to the nodes of some types below its field.
func binds(field string, types ...string) handler {
	return func(x *extractor, n int) { bindBelow(x, x.child(n, field), n, types...) }
}

// blockWith returns the handler of a block of its own whose names another handler binds.
func blockWith(bind handler) handler {
	return func(x *extractor, n int) {
		block(x, n)
		bind(x, n)
	}
}

// bases returns the handler of a list of what a type extends or implements: the first name of each of its children.
func bases(r role, names ...string) handler {
	return func(x *extractor, n int) {
		x.children(n, func(c int) bool {
			if k := x.kind(c); strings.HasSuffix(k, "_list") {
				bases(r, names...)(x, c)
				return true
			}
			base := c
			if !hasKind(x, c, names...) {
				base = below(x, c, names...)
			}
			if base >= 0 {
				x.mark(base, r)
				if h := x.holder(); h >= 0 && isType(x.holderKind()) {
					x.file.Symbols[h].Bases = append(x.file.Symbols[h].Bases, bareType(x.text(c)))
				}
			}
			return true
		})
	}
}

func hasKind(x *extractor, n int, types ...string) bool {
	for _, t := range types {
		if x.kind(n) == t {
			return true
		}
	}
	return false
}

// passes returns the handler of a node around the name in its field: what is said of it is said of that.
func passes(field string) handler {
	return func(x *extractor, n int) { x.mark(x.child(n, field), x.roles[n]) }
}

// invokes returns the handler of a call with the field name and that of its receiver.
func invokes(receiver string) handler {
	return func(x *extractor, n int) {
		if c := x.child(n, "name"); c >= 0 && x.roles[c] != taken {
			x.refer(c, x.child(n, receiver), syntax.Call)
		}
	}
}

// creates returns the handler of an expression that makes a value of the type below its field.
func creates(field string, names ...string) handler {
	return func(x *extractor, n int) {
		t := x.child(n, field)
		if t >= 0 && !hasKind(x, t, names...) {
			t = below(x, t, names...)
		}
		x.mark(t, called)
	}
}

// inPackage returns the handler of what says the package or namespace of a file, in its field or its first child.
func inPackage(field string) handler {
	return func(x *extractor, n int) {
		name := x.child(n, field)
		if field == "" && n+1 < int(x.nodes[n].Next) {
			name = n + 1
		}
		if x.file.Package == "" {
			x.file.Package = x.text(name)
		}
		take(x, name)
	}
}

// attribute is the handler of what stands between a comment and the definition that it is of.
func attribute(x *extractor, n int) {
	if x.until > 0 && adjacent(x, x.nodes[n].Start) {
		x.reach = x.nodes[n].End
	}
}

// importPath adds an import of a path: its last part of the rest, or all of it.
func importPath(x *extractor, n int, path, separator, alias string) {
	i := syntax.Import{Path: path, Alias: alias, At: x.at(n)}
	if k := strings.LastIndex(path, separator); k > 0 {
		i.Path, i.Name = path[:k], path[k+len(separator):]
	}
	x.file.Imports = append(x.file.Imports, i)
}

// bindSelf is the handler of a node that is a local name itself.
func bindSelf(x *extractor, n int) { x.bind(n, n) }

// bindsFirst returns the handler of a node whose first node of some types below it is a local name.
func bindsFirst(types ...string) handler {
	return func(x *extractor, n int) { x.bind(below(x, n, types...), n) }
}

// asTypeOf returns the handler of a node whose field is a type.
func asTypeOf(field string) handler {
	return func(x *extractor, n int) { x.mark(x.child(n, field), asType) }
}

// skipFirst is the handler of a node whose first child names nothing that is defined elsewhere.
func skipFirst(x *extractor, n int) {
	if n+1 < int(x.nodes[n].Next) {
		x.mark(n+1, taken)
	}
}
