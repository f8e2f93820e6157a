package symbols

// name is a name that stands alone: a reference, unless it is local or was dealt with.
func name(x *extractor, n int) {
	if x.roles[n] == taken || isLocal(x, n) || x.table.builtin[x.text(n)] {
		return
	}
	x.refer(n, -1, x.roles[n].use())
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
