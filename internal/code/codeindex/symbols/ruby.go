package symbols

import (
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// rubyLanguage reads Ruby. A plain name that is no local one may be a call; what attr_reader and its like name are fields.
func rubyLanguage() *language {
	return &language{
		grammar: "ruby",
		builtin: strings.Fields(`self super nil true false puts print p raise private public protected lambda proc require require_relative include extend
			attr_reader attr_writer attr_accessor module_function loop format new String Integer Float Array Hash Symbol Object StandardError`),
		handlers: map[string]handler{
			"comment":            remark,
			"module":             rubyType(syntax.Module),
			"class":              rubyType(syntax.Class),
			"superclass":         bases(extended, "constant", "scope_resolution"),
			"method":             rubyMethod,
			"singleton_method":   rubyMethod,
			"singleton_class":    rubySingleton,
			"assignment":         rubyAssignment,
			"method_parameters":  rubyParameters,
			"lambda_parameters":  rubyParameters,
			"block_parameters":   rubyParameters,
			"block":              block,
			"do_block":           block,
			"lambda":             block,
			"exception_variable": bindsFirst("identifier"),
			"for":                binds("pattern", "identifier"),
			"alias":              rubyAlias,
			"call":               rubyCall,
			"scope_resolution":   member("scope", "name"),
			"keyword_parameter":  skipName("name"),
			"hash_key_symbol":    takeAll,
			"identifier":         rubyName,
			"constant":           typeName,
			"global_variable":    takeAll,
			"instance_variable":  takeAll,
		},
	}
}

// rubyType returns the handler of a class or module, whose comments may stand before its body.
func rubyType(kind syntax.Kind) handler {
	return func(x *extractor, n int) {
		if name := x.child(n, "name"); name >= 0 {
			x.open(n, x.define(definition{kind: kind, name: name, whole: n, body: childOf(x, n, "comment", "body_statement")}))
			x.scopes[len(x.scopes)-1].inside = false
		}
	}
}

func rubyMethod(x *extractor, n int) {
	name := x.child(n, "name")
	if name < 0 {
		return
	}
	kind := syntax.Function
	if k := x.holderKind(); k == syntax.Class || k == syntax.Module || x.kind(n) == "singleton_method" {
		kind = syntax.Method
	}
	x.mark(x.child(n, "object"), taken)
	x.open(n, x.define(definition{kind: kind, name: name, whole: n, body: x.child(n, "body")}))
}

// rubySingleton keeps what is in class << self with the class.
func rubySingleton(x *extractor, n int) {
	block(x, n)
	x.scopes[len(x.scopes)-1].inside = false
}

func rubyAssignment(x *extractor, n int) {
	left := x.child(n, "left")
	switch x.kind(left) {
	case "identifier":
		x.bind(left, n)
	case "left_assignment_list":
		bindBelow(x, left, n, "identifier")
	case "constant":
		if !x.inFunction() {
			x.open(n, x.define(definition{kind: syntax.Constant, name: left, whole: n, body: -1}))
		}
	}
}

func rubyParameters(x *extractor, n int) {
	x.children(n, func(c int) bool {
		if x.kind(c) == "identifier" {
			x.bind(c, n)
		} else if name := x.child(c, "name"); name >= 0 {
			x.bind(name, n)
		} else {
			bindBelow(x, c, n, "identifier")
		}
		return true
	})
}

func rubyAlias(x *extractor, n int) {
	if name := x.child(n, "name"); name >= 0 && x.kind(name) == "identifier" {
		x.define(definition{kind: syntax.Method, name: name, whole: n, body: -1})
	}
	x.mark(x.child(n, "alias"), called)
}

// rubyCall is a call, or one of the calls that import or define.
func rubyCall(x *extractor, n int) {
	method, arguments := x.child(n, "method"), x.child(n, "arguments")
	receiver := x.child(n, "receiver")
	if receiver >= 0 || method < 0 {
		if method >= 0 && x.roles[method] != taken {
			x.refer(method, receiver, syntax.Call)
		}
		return
	}
	switch x.text(method) {
	case "require", "require_relative", "load":
		if s := below(x, arguments, "string_content"); s >= 0 {
			path := x.text(s)
			if x.text(method) == "require_relative" && !strings.HasPrefix(path, ".") {
				path = "./" + path
			}
			x.file.Imports = append(x.file.Imports, syntax.Import{Path: path, Name: "*", At: x.at(n)})
		}
	case "include", "extend", "prepend":
		bases(extended, "constant", "scope_resolution")(x, arguments)
	case "attr_reader", "attr_writer", "attr_accessor":
		x.children(arguments, func(c int) bool {
			if x.kind(c) == "simple_symbol" && x.nodes[c].End-x.nodes[c].Start > 1 {
				defineSymbol(x, c, n)
			}
			return true
		})
	}
	x.mark(method, called)
}

// defineSymbol defines a field by a symbol of Ruby: the name behind the colon.
func defineSymbol(x *extractor, c, n int) {
	s := x.define(definition{kind: syntax.Field, name: c, whole: n, body: -1})
	f := &x.file.Symbols[s]
	f.Qualified = strings.TrimSuffix(f.Qualified, f.Name) + strings.TrimPrefix(f.Name, ":")
	f.Name = strings.TrimPrefix(f.Name, ":")
	f.NameAt = x.rangeOf(x.nodes[c].Start+1, x.nodes[c].End)
}

// rubyName takes a plain name for a call: what is assigned before is a local one.
func rubyName(x *extractor, n int) {
	if x.roles[n] == plain {
		x.roles[n] = called
	}
	name(x, n)
}
