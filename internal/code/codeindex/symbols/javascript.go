package symbols

import (
	"maps"
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// javascriptLanguage reads JavaScript with JSX, and CommonJS as it is written: require is an import,
// what is assigned to exports or to a prototype a definition.
func javascriptLanguage() *language {
	return &language{grammar: "javascript", tokens: []string{"const", "readonly"}, builtin: javascriptBuiltin(), handlers: javascriptHandlers()}
}

// typescriptLanguage reads TypeScript by one of its two grammars.
func typescriptLanguage(grammar string) *language {
	l := &language{grammar: grammar, tokens: []string{"const", "readonly"}, builtin: javascriptBuiltin(), handlers: javascriptHandlers()}
	maps.Copy(l.handlers, map[string]handler{
		"abstract_class_declaration": scriptClass,
		"interface_declaration":      declares(syntax.Interface),
		"type_alias_declaration":     declares(syntax.Type),
		"enum_declaration":           declares(syntax.Enum),
		"internal_module":            declares(syntax.Module),
		"module":                     declares(syntax.Module),
		"enum_body":                  scriptEnum,
		"enum_assignment":            scriptMember(syntax.Constant),
		"public_field_definition":    scriptField,
		"property_signature":         scriptMember(syntax.Field),
		"method_signature":           scriptMember(syntax.Method),
		"abstract_method_signature":  scriptMember(syntax.Method),
		"function_signature":         declares(syntax.Function),
		"function_type":              function,
		"ambient_declaration":        scriptAmbient,
		"required_parameter":         scriptParameter,
		"optional_parameter":         scriptParameter,
		"type_parameter":             bindName,
		"mapped_type_clause":         bindName,
		"extends_clause":             scriptHeritage(extended),
		"extends_type_clause":        scriptHeritage(extended),
		"implements_clause":          scriptHeritage(implement),
		"type_identifier":            typeName,
		"nested_type_identifier":     member("module", "name"),
		"import_require_clause":      scriptRequireClause,
	})
	return l
}

func javascriptBuiltin() []string {
	return strings.Fields(`undefined NaN Infinity this super arguments Object Array String Number Boolean Symbol Map Set WeakMap WeakSet Promise Date
		RegExp Error TypeError RangeError JSON Math console require module exports globalThis window document process parseInt parseFloat isNaN
		string number boolean any unknown never void object Record Partial Readonly Pick Omit _`)
}

func javascriptHandlers() map[string]handler {
	return map[string]handler{
		"comment":                        remark,
		"import_statement":               scriptImport,
		"export_statement":               scriptExport,
		"function_declaration":           scriptFunction,
		"generator_function_declaration": scriptFunction,
		"class_declaration":              scriptClass,
		"class_heritage":                 scriptHeritage(extended),
		"method_definition":              scriptMethod,
		"field_definition":               scriptField,
		"variable_declarator":            scriptVariable,
		"assignment_expression":          scriptAssignment,
		"pair":                           scriptPair,
		"function_expression":            scriptAnonymous,
		"generator_function":             scriptAnonymous,
		"arrow_function":                 scriptAnonymous,
		"class":                          block,
		"statement_block":                block,
		"for_statement":                  block,
		"for_in_statement":               scriptForIn,
		"catch_clause":                   scriptCatch,
		"call_expression":                scriptCall,
		"new_expression":                 calls("constructor"),
		"member_expression":              memberOf("object", "property"),
		"jsx_opening_element":            scriptElement,
		"jsx_self_closing_element":       scriptElement,
		"jsx_closing_element":            takeAll,
		"lexical_declaration":            scriptDeclaration,
		"variable_declaration":           scriptDeclaration,
		"identifier":                     name,
		"shorthand_property_identifier":  name,
	}
}

func scriptAmbient(x *extractor, n int) {
	x.children(n, func(c int) bool {
		outer := n
		if x.around.wrapped == n {
			outer = x.around.wrapper
		}
		x.around.wrapped, x.around.wrapper = c, outer
		return false
	})
}

func scriptFunction(x *extractor, n int) {
	declares(syntax.Function)(x, n)
	scriptParameters(x, n)
}

func scriptClass(x *extractor, n int) {
	declares(syntax.Class)(x, n)
	x.scopes[len(x.scopes)-1].inside = false
}

// scriptMember returns the handler of a part of an interface or an enumeration.
func scriptMember(kind syntax.Kind) handler {
	return func(x *extractor, n int) {
		name := x.child(n, "name")
		if name < 0 || x.kind(name) == "computed_property_name" || x.holder() < 0 || x.inFunction() {
			block(x, n)
			return
		}
		s := x.define(definition{kind: kind, name: name, whole: n, body: -1})
		x.open(n, s)
	}
}

func scriptEnum(x *extractor, n int) {
	x.children(n, func(c int) bool {
		if x.kind(c) == "property_identifier" {
			x.define(definition{kind: syntax.Constant, name: c, whole: c, body: -1})
		}
		return true
	})
}

func scriptMethod(x *extractor, n int) {
	name := x.child(n, "name")
	if name < 0 || x.kind(name) == "computed_property_name" || x.inFunction() && x.holderKind() != syntax.Class {
		function(x, n)
	} else {
		x.open(n, x.define(definition{kind: syntax.Method, name: name, whole: n, body: x.child(n, "body")}))
	}
	scriptParameters(x, n)
}

func scriptField(x *extractor, n int) {
	name := x.child(n, "name")
	if name < 0 {
		name = x.child(n, "property")
	}
	if name < 0 || x.kind(name) == "computed_property_name" || x.holderKind() != syntax.Class {
		block(x, n)
		return
	}
	kind, body := scriptValue(x, syntax.Field, x.child(n, "value"))
	if kind == syntax.Function {
		kind = syntax.Method
	}
	x.open(n, x.define(definition{kind: kind, name: name, whole: n, body: body}))
}

// scriptValue returns the kind of what a value defines and where its signature ends.
func scriptValue(x *extractor, kind syntax.Kind, value int) (syntax.Kind, int) {
	switch x.kind(value) {
	case "arrow_function", "function_expression", "generator_function":
		return syntax.Function, x.child(value, "body")
	case "class":
		return syntax.Class, x.child(value, "body")
	}
	if value >= 0 && x.nodes[value].End-x.nodes[value].Start > 200 {
		return kind, value
	}
	return kind, -1
}

// scriptDeclaration remembers the declaration that the variables behind it belong to.
func scriptDeclaration(x *extractor, n int) { x.around.declaration = n }

// scriptVariable is a declared variable: a definition outside of functions, else a local name,
// and an import if its value is a call of require.
func scriptVariable(x *extractor, n int) {
	name, value := x.child(n, "name"), x.child(n, "value")
	if scriptRequire(x, n, name, value) {
		return
	}
	if x.inFunction() {
		if l := scriptType(x, n); l.Type == "" && x.kind(name) == "identifier" {
			bindAs(x, name, n, syntax.Local{Value: short(x, value)})
		} else {
			bindTyped(x, name, n, l)
		}
		return
	}
	kind, whole := syntax.Variable, n
	if p := x.around.declaration; p < n && int(x.nodes[p].Next) >= int(x.nodes[n].Next) {
		if childOf(x, p, "const") >= 0 {
			kind = syntax.Constant
		}
		if childOf(x, p, "variable_declarator") == n && int(x.nodes[p].Next) == int(x.nodes[n].Next) {
			whole = wholeOf(x, p)
		}
	}
	kind, body := scriptValue(x, kind, value)
	if x.kind(name) == "identifier" {
		x.open(n, x.define(definition{kind: kind, name: name, whole: whole, body: body}))
		return
	}
	definePattern(x, name, kind, whole)
}

// definePattern defines the names that a pattern outside of functions gives.
func definePattern(x *extractor, n int, kind syntax.Kind, whole int) {
	for _, c := range patternNames(x, n) {
		x.define(definition{kind: kind, name: c, whole: whole, body: -1})
	}
}

// patternNames returns the nodes of the names that a pattern gives.
func patternNames(x *extractor, n int) []int {
	if n < 0 {
		return nil
	}
	switch x.kind(n) {
	case "identifier", "shorthand_property_identifier_pattern":
		return []int{n}
	case "assignment_pattern", "object_assignment_pattern":
		return patternNames(x, x.child(n, "left"))
	case "pair_pattern":
		return patternNames(x, x.child(n, "value"))
	case "object_pattern", "array_pattern", "rest_pattern":
		var out []int
		x.children(n, func(c int) bool {
			out = append(out, patternNames(x, c)...)
			return true
		})
		return out
	}
	return nil
}

func bindPattern(x *extractor, n, from int) { bindTyped(x, n, from, syntax.Local{}) }

// bindTyped binds the names that a pattern gives. What is said of the type is that of a name alone.
func bindTyped(x *extractor, n, from int, l syntax.Local) {
	if x.kind(n) == "identifier" {
		bindAs(x, n, from, l)
		return
	}
	for _, c := range patternNames(x, n) {
		x.bind(c, from)
	}
}

// scriptType returns the type that is written for a variable or parameter.
func scriptType(x *extractor, n int) syntax.Local {
	return syntax.Local{Type: strings.TrimSpace(strings.TrimPrefix(qualifierText(x, x.child(n, "type")), ":"))}
}

// scriptParameters binds the parameters of the function at n.
func scriptParameters(x *extractor, n int) {
	bindPattern(x, x.child(n, "parameter"), n)
	x.children(x.child(n, "parameters"), func(c int) bool {
		bindPattern(x, c, n)
		return true
	})
}

// scriptParameter is a parameter of TypeScript; of a constructor, it is a field too, if it says who may use it.
func scriptParameter(x *extractor, n int) {
	pattern, l := x.child(n, "pattern"), scriptType(x, n)
	if l.Type == "" {
		l.Value = short(x, x.child(n, "value"))
	}
	bindTyped(x, pattern, n, l)
	h := x.holder()
	if h < 0 || x.kind(pattern) != "identifier" || x.file.Symbols[h].Name != "constructor" || x.file.Symbols[h].Parent < 0 || childOf(x, n, "accessibility_modifier", "override_modifier") < 0 && childOf(x, n, "readonly") < 0 {
		return
	}
	class := x.file.Symbols[h].Parent
	s := x.define(definition{kind: syntax.Field, name: pattern, whole: n, body: -1, of: x.file.Symbols[class].Qualified})
	x.file.Symbols[s].Parent = class
	x.receivers = x.receivers[:len(x.receivers)-1]
}

func scriptAnonymous(x *extractor, n int) {
	function(x, n)
	if name := x.child(n, "name"); name >= 0 {
		x.bind(name, n)
	}
	scriptParameters(x, n)
}

func scriptForIn(x *extractor, n int) {
	block(x, n)
	l := syntax.Local{}
	if right := short(x, x.child(n, "right")); right != "" {
		l.Value = "range " + right
	}
	bindTyped(x, x.child(n, "left"), n, l)
}

func scriptCatch(x *extractor, n int) {
	block(x, n)
	bindPattern(x, x.child(n, "parameter"), n)
}

// scriptAssignment defines what a file assigns to exports, to a prototype or to a member of what
// it has, if that is a function or a class.
func scriptAssignment(x *extractor, n int) {
	left, value := x.child(n, "left"), x.child(n, "right")
	kind, body := scriptValue(x, syntax.Variable, value)
	property := x.child(left, "property")
	if x.inFunction() || x.kind(left) != "member_expression" || kind == syntax.Variable || property < 0 {
		return
	}
	d := definition{kind: kind, name: property, whole: n, body: body}
	of := x.text(x.child(left, "object"))
	if before, ok := strings.CutSuffix(of, ".prototype"); ok && kind == syntax.Function {
		d.kind, of = syntax.Method, before
	}
	if of != "exports" && of != "module.exports" && len(of) < maxQualifier {
		d.of = of
	}
	if x.text(left) == "module.exports" {
		return
	}
	x.open(n, x.define(d))
}

// scriptPair defines the functions of an object that a file, not a function, makes.
func scriptPair(x *extractor, n int) {
	key := x.child(n, "key")
	kind, body := scriptValue(x, syntax.Variable, x.child(n, "value"))
	if kind != syntax.Function || x.inFunction() || x.holder() < 0 || x.kind(key) != "property_identifier" {
		return
	}
	x.open(n, x.define(definition{kind: syntax.Method, name: key, whole: n, body: body}))
}

func scriptCall(x *extractor, n int) {
	f := x.child(n, "function")
	if x.roles[n] == taken {
		return
	}
	x.mark(f, called)
	if x.kind(f) != "import" && x.text(f) != "require" {
		return
	}
	if path := below(x, x.child(n, "arguments"), "string"); path >= 0 {
		x.file.Imports = append(x.file.Imports, syntax.Import{Path: scriptString(x.text(path)), At: x.at(n)})
	}
}

// scriptHeritage returns the handler of what a class extends or implements.
func scriptHeritage(r role) handler {
	return func(x *extractor, n int) {
		for c := n + 1; c < int(x.nodes[n].Next); c = int(x.nodes[c].Next) {
			switch x.kind(c) {
			case "identifier", "type_identifier", "member_expression", "nested_type_identifier":
				x.mark(c, r)
			case "generic_type":
				x.mark(x.child(c, "name"), r)
			default:
				continue
			}
			if h := x.holder(); h >= 0 && isType(x.holderKind()) {
				x.file.Symbols[h].Bases = append(x.file.Symbols[h].Bases, qualifierText(x, c))
			}
		}
	}
}

// scriptElement is a component in JSX; an element of HTML begins with a small letter.
func scriptElement(x *extractor, n int) {
	name := x.child(n, "name")
	if text := x.text(name); text == "" || text[0] >= 'a' && text[0] <= 'z' && x.kind(name) == "identifier" {
		x.mark(name, taken)
		return
	}
	x.mark(name, called)
}

// bindName is the handler of a node whose field name is that of a parameter of types.
func bindName(x *extractor, n int) { x.bind(x.child(n, "name"), n) }
