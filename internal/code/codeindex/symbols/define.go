package symbols

import (
	"bytes"
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// wraps returns the handler of a node that belongs to the definition in its field.
func wraps(field string) handler {
	return func(x *extractor, n int) {
		if c := x.child(n, field); c >= 0 {
			if x.around.wrapped == n {
				n = x.around.wrapper
			}
			x.around.wrapped, x.around.wrapper = c, n
		}
	}
}

// wholeOf returns the node of the whole definition whose innermost node is n.
func wholeOf(x *extractor, n int) int {
	if x.around.wrapped == n && n > 0 {
		return x.around.wrapper
	}
	return n
}

// A receiver is a symbol that belongs to a type by its name.
type receiver struct {
	symbol int
	of     string
}

// adopt gives the symbols that name what holds them their parent, if the file defines it.
func adopt(x *extractor) {
	if len(x.receivers) == 0 {
		return
	}
	types := map[string]int{}
	for i, s := range x.file.Symbols {
		if _, ok := types[s.Qualified]; !ok && isType(s.Kind) {
			types[s.Qualified] = i
		}
	}
	for _, r := range x.receivers {
		if i, ok := types[r.of]; ok {
			x.file.Symbols[r.symbol].Parent = i
		}
	}
}

func isType(k syntax.Kind) bool {
	return k == syntax.Class || k == syntax.Struct || k == syntax.Interface || k == syntax.Enum || k == syntax.Type
}

// A definition is what a handler knows of a symbol.
type definition struct {
	kind  syntax.Kind
	name  int    // node of the name
	whole int    // node of the whole definition
	head  int    // node that a signature begins with; 0: whole
	body  int    // node that a signature ends before; -1: it is the whole definition
	of    string // what holds it, if not what it lies in
}

// maxSignature bounds a signature, in bytes.
const maxSignature = 400

// define adds a symbol and returns its index.
func (x *extractor) define(d definition) int {
	x.mark(d.name, taken)
	name := x.text(d.name)
	parent := x.holder()
	qualified := name
	switch {
	case d.of != "":
		qualified, parent = d.of+"."+name, -1
	case parent >= 0:
		qualified = x.file.Symbols[parent].Qualified + "." + name
	}
	head := d.whole
	if d.head > 0 {
		head = d.head
	}
	until := x.nodes[head].End
	if d.body >= 0 {
		until = max(x.nodes[d.body].Start, x.nodes[head].Start)
	}
	x.file.Symbols = append(x.file.Symbols, syntax.Symbol{
		Name: name, Qualified: qualified, Kind: d.kind, Parent: parent, NameAt: x.at(d.name),
		Signature: signature(x.src[x.nodes[head].Start:until]), Range: x.at(d.whole), Doc: docBefore(x, x.nodes[d.whole].Start),
	})
	symbol := len(x.file.Symbols) - 1
	if d.of != "" {
		x.receivers = append(x.receivers, receiver{symbol, d.of})
	}
	return symbol
}

// signature returns a declaration on one line.
func signature(b []byte) string {
	if len(b) > 4*maxSignature {
		b = b[:4*maxSignature]
	}
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(b), "\uFFFD")), " ")
	s = strings.TrimRight(s, " {:=")
	if len(s) > maxSignature {
		s = strings.ToValidUTF8(s[:maxSignature], "") + "…"
	}
	return s
}

// maxQualifier bounds what stands before a name, in bytes; a longer one is left out.
const maxQualifier = 120

// refer adds a reference to the name at node n, with the node of what stands before it, or -1.
func (x *extractor) refer(n, qualifier int, use syntax.Use) {
	if n < 0 || x.nodes[n].Start == x.nodes[n].End {
		return
	}
	referAs(x, n, qualifierText(x, qualifier), use)
}

// referAs adds a reference to the name at node n, with what stands before it.
func referAs(x *extractor, n int, qualifier string, use syntax.Use) {
	x.mark(n, taken)
	x.file.References = append(x.file.References, syntax.Reference{Name: x.text(n), Qualifier: qualifier, Use: use, At: x.at(n), In: x.holder()})
}

func qualifierText(x *extractor, n int) string {
	if n < 0 {
		return ""
	}
	b := x.src[x.nodes[n].Start:x.nodes[n].End]
	if len(b) > maxQualifier || bytes.IndexByte(b, '\n') >= 0 {
		return ""
	}
	return string(b)
}
