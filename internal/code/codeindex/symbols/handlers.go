package symbols

import "strings"

// name is a name that stands alone: a reference, unless it is local or was dealt with.
func name(x *extractor, n int) {
	if x.roles[n] == taken || isLocal(x, n) {
		return
	}
	if x.table.builtin[x.text(n)] {
		x.common = append(x.common, len(x.file.References))
	}
	x.refer(n, -1, x.roles[n].use())
}

// dropCommon leaves out the references to what every file knows, unless the file imports or defines something else of the name.
func dropCommon(x *extractor) {
	if len(x.common) == 0 {
		return
	}
	own := make(map[string]bool)
	for i := range x.file.Imports {
		own[x.file.Imports[i].Name], own[x.file.Imports[i].Alias] = true, true
	}
	for i := range x.file.Symbols {
		if s := &x.file.Symbols[i]; s.Qualified == s.Name {
			own[s.Name] = true
		}
	}
	kept, from := x.file.References[:0], 0
	for _, i := range x.common {
		if !own[x.file.References[i].Name] {
			kept = append(kept, x.file.References[from:i]...)
			from = i + 1
		}
	}
	x.file.References = append(kept, x.file.References[from:]...)
}

// typeName is a name that stands for a type.
func typeName(x *extractor, n int) {
	if x.roles[n] == plain {
		x.roles[n] = asType
	}
	name(x, n)
}

// member returns the handler of a.b, whose parts are the fields operand and field.
func member(operand, field string) handler {
	return func(x *extractor, n int) {
		f := x.child(n, field)
		if f < 0 || x.roles[f] == taken {
			return
		}
		x.refer(f, x.child(n, operand), x.roles[n].use())
	}
}

// calls returns the handler of a call, whose field is what is called.
func calls(field string) handler {
	return func(x *extractor, n int) { x.mark(x.child(n, field), called) }
}

// callsFirst is the handler of a call whose first child is what is called.
func callsFirst(x *extractor, n int) {
	if n+1 < int(x.nodes[n].Next) && x.roles[n+1] == plain {
		x.mark(n+1, called)
	}
}

// made returns the type that a call makes a value of, if its name says that it is one: it has a capital.
func made(x *extractor, n int) string {
	if n < 0 || n+1 >= int(x.nodes[n].Next) || !hasKind(x, n, "call_expression", "call") {
		return ""
	}
	text := qualifierText(x, n+1)
	if c := text[strings.LastIndexByte(text, '.')+1:]; c == "" || c[0] < 'A' || c[0] > 'Z' || strings.ContainsAny(text, "([{ ") {
		return ""
	}
	return text
}

// skipName returns the handler of a node whose fields name nothing that is defined elsewhere.
func skipName(fields ...string) handler {
	return func(x *extractor, n int) {
		for _, f := range fields {
			x.mark(x.child(n, f), taken)
		}
	}
}

// bindBelow binds the nodes of the types at and below n.
func bindBelow(x *extractor, n, from int, types ...string) {
	if n < 0 {
		return
	}
	for c := n; c < int(x.nodes[n].Next); c++ {
		for _, t := range types {
			if x.kind(c) == t && x.roles[c] != taken {
				x.bind(c, from)
			}
		}
	}
}
