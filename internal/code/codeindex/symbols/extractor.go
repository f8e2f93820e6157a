package symbols

import (
	"slices"

	"github.com/hippo-memory/hippo/internal/code/codeindex/grammar"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// A handler is called with a node of its type, before those that are below it.
type handler func(x *extractor, n int)

// An extractor reads one syntax tree from its first node to its last.
type extractor struct {
	src    []byte
	nodes  []grammar.Node
	table  *table
	lines  lines
	file   *syntax.File
	scopes []scope
	roles  []role
	locals []local
	comment
	names
	receivers []receiver
	around    around
}

// names are what decides whether a name is one of the file.
type names struct {
	common  []int           // the references to names that every file knows
	defined map[string]bool // the qualified names of symbols, for languages that define variables by assigning to them
}

// around is what handlers have said of nodes behind theirs.
type around struct {
	wrapped     int // a definition,
	wrapper     int // and the node around it that belongs to it
	declaration int // the last declaration of variables that was met
}

// A scope is a node that is open: one that is a definition, or limits the life of local names.
type scope struct {
	next   int    // the first node behind it
	until  int    // the byte behind it
	alias  int    // the node of the variable that a switch of types declares
	of     string // what the definitions directly in it belong to, if that is elsewhere
	symbol int    // what is in it belongs to this symbol
	inside bool
	locals int // how many local names there were before it
}

// A local is a name that a function gives to something of its own.
type local struct {
	name   string
	from   int  // the node from which on it holds
	global bool // the function says that the name is that of the file
}

// A role is what another node has said of a node.
type role byte

const (
	plain     role = iota
	called         // it is called
	asType         // it stands for a type
	extended       // what is defined extends it
	implement      // what is defined implements it
	taken          // it was dealt with, or names nothing
)

func (r role) use() syntax.Use {
	switch r {
	case called:
		return syntax.Call
	case asType:
		return syntax.TypeOf
	case extended:
		return syntax.Extends
	case implement:
		return syntax.Implements
	case plain, taken:
	}
	return syntax.Read
}

func (x *extractor) run() {
	x.scopes = append(x.scopes, scope{next: len(x.nodes) + 1, until: len(x.src), symbol: -1})
	for i := range x.nodes {
		for len(x.scopes) > 1 && x.scopes[len(x.scopes)-1].next <= i {
			x.locals = x.locals[:x.scopes[len(x.scopes)-1].locals]
			x.scopes = x.scopes[:len(x.scopes)-1]
		}
		if handle := x.table.handlers[min(int(x.nodes[i].Symbol), len(x.table.handlers)-1)]; handle != nil {
			handle(x, i)
		}
	}
	adopt(x)
	dropCommon(x)
	prune(x.file)
}

// kind returns the type of a node, as the grammar calls it; "" for no node.
func (x *extractor) kind(n int) string {
	if n < 0 || int(x.nodes[n].Symbol) >= len(x.table.symbols) {
		return ""
	}
	return x.table.symbols[x.nodes[n].Symbol]
}

func (x *extractor) text(n int) string {
	if n < 0 {
		return ""
	}
	return string(x.src[x.nodes[n].Start:x.nodes[n].End])
}

// children calls f with each child of n until it returns false.
func (x *extractor) children(n int, f func(c int) bool) {
	if n < 0 {
		return
	}
	for c := n + 1; c < int(x.nodes[n].Next); c = int(x.nodes[c].Next) {
		if !f(c) {
			return
		}
	}
}

// child returns the first child of n that is its field; -1: it has none.
func (x *extractor) child(n int, field string) int {
	return nextChild(x, n, n+1, field)
}

// nextChild returns the first child of n, at or behind c, that is its field and is written; -1: there is none.
func nextChild(x *extractor, n, c int, field string) int {
	id, ok := x.table.fields[field]
	if n < 0 || !ok {
		return -1
	}
	for ; c < int(x.nodes[n].Next); c = int(x.nodes[c].Next) {
		if x.nodes[c].Field == id && x.nodes[c].Start < x.nodes[c].End {
			return c
		}
	}
	return -1
}

// namesOf returns the children of n that are its field name.
func namesOf(x *extractor, n int) []int {
	const field = "name"
	var out []int
	for c := x.child(n, field); c >= 0; c = nextChild(x, n, int(x.nodes[c].Next), field) {
		out = append(out, c)
	}
	return out
}

// childOf returns the first child of n that is of one of the types and is written; -1: there is none.
func childOf(x *extractor, n int, types ...string) int {
	found := -1
	x.children(n, func(c int) bool {
		for _, t := range types {
			if x.kind(c) == t && x.nodes[c].Start < x.nodes[c].End {
				found = c
				return false
			}
		}
		return true
	})
	return found
}

// below returns the first node below n that is of a type; -1: there is none.
func below(x *extractor, n int, types ...string) int {
	if n < 0 {
		return -1
	}
	for c := n + 1; c < int(x.nodes[n].Next); c++ {
		for _, t := range types {
			if x.kind(c) == t {
				return c
			}
		}
	}
	return -1
}

func (x *extractor) rangeOf(from, until uint32) syntax.Range {
	first := x.lines.at(from)
	last := first
	if until > from+1 {
		last = x.lines.after(first, until-1)
	}
	return syntax.Range{From: int(from), Until: int(until), First: first, Last: last}
}

func (x *extractor) at(n int) syntax.Range {
	return x.rangeOf(x.nodes[n].Start, x.nodes[n].End)
}

// holder returns the symbol that holds what is read; -1: the file.
func (x *extractor) holder() int { return x.scopes[len(x.scopes)-1].symbol }

// inFunction reports whether what is read is part of a function.
func (x *extractor) inFunction() bool { return x.scopes[len(x.scopes)-1].inside }

// holderKind returns the kind of the symbol that holds what is read; "" for the file.
func (x *extractor) holderKind() syntax.Kind {
	if h := x.holder(); h >= 0 {
		return x.file.Symbols[h].Kind
	}
	return ""
}

// open makes what is below node n belong to a symbol.
func (x *extractor) open(n, symbol int) {
	inside := x.inFunction()
	if symbol >= 0 {
		kind := x.file.Symbols[symbol].Kind
		inside = inside || kind == syntax.Function || kind == syntax.Method
	}
	x.scopes = append(x.scopes, scope{next: int(x.nodes[n].Next), until: int(x.nodes[n].End), symbol: symbol, inside: inside, locals: len(x.locals)})
}

// block limits the local names below n to it.
func block(x *extractor, n int) { x.open(n, x.holder()) }

// function is a function without a name.
func function(x *extractor, n int) {
	x.open(n, x.holder())
	x.scopes[len(x.scopes)-1].inside = true
}

// bind makes the name at node n a local one, from the node from on.
func (x *extractor) bind(n, from int) {
	bindAs(x, n, from, syntax.Local{})
}

// bindAs makes the name at node n a local one, with a type or value.
func bindAs(x *extractor, n, from int, l syntax.Local) {
	if n < 0 {
		return
	}
	x.locals = append(x.locals, local{name: x.text(n), from: from})
	x.roles[n] = taken
	l.Name, l.From, l.Until = x.text(n), int(x.nodes[n].End), x.scopes[len(x.scopes)-1].until
	if from > n && from < len(x.nodes) {
		l.From = int(x.nodes[from].Start)
	}
	if l.From < l.Until {
		x.file.Locals = append(x.file.Locals, l)
	}
}

// isLocal reports whether the name at node n is a local one.
func isLocal(x *extractor, n int) bool {
	name := x.src[x.nodes[n].Start:x.nodes[n].End]
	for _, l := range slices.Backward(x.locals) {
		if l.from <= n && l.name == string(name) {
			return !l.global
		}
	}
	return false
}

// isGlobal reports whether a function has said that a name is that of the file.
func isGlobal(x *extractor, name string) bool {
	for _, l := range slices.Backward(x.locals) {
		if l.name == name {
			return l.global
		}
	}
	return false
}

// inType reports whether a node is the field type or returns of its parent, or an argument of a type.
func inType(x *extractor, n int) bool {
	f := x.nodes[n].Field
	return f != 0 && (f == x.table.fields["type"] || f == x.table.fields["returns"])
}

func (x *extractor) mark(n int, r role) {
	if n >= 0 {
		x.roles[n] = r
	}
}
