package symbols

import (
	"slices"

	"github.com/hippo-memory/hippo/internal/code/codeindex/grammar"
)

// A language is what is read of the syntax trees of one language.
type language struct {
	grammar  string
	handlers map[string]handler
	tokens   []string // types without a name that are kept, such as "const"
	builtin  []string // names that every file knows
}

// A table is a language by the numbers of its grammar.
type table struct {
	handlers []handler // the last is nil: no symbol
	symbols  []string
	fields   map[string]uint16
	builtin  map[string]bool
}

// wanted keeps the named nodes, and of the others those of the language.
func (l *language) wanted(symbol string, named bool) grammar.Action {
	if named {
		return grammar.Keep
	}
	if slices.Contains(l.tokens, symbol) {
		return grammar.Keep
	}
	return grammar.SkipTree
}

func (l *language) tableFor(g *grammar.Grammar) *table {
	t := &table{
		handlers: make([]handler, len(g.Symbols())+1), symbols: g.Symbols(),
		fields: map[string]uint16{}, builtin: map[string]bool{},
	}
	for i, name := range g.Symbols() {
		t.handlers[i] = l.handlers[name]
	}
	for i, name := range g.Fields() {
		if i > 0 {
			t.fields[name] = uint16(i)
		}
	}
	for _, name := range l.builtin {
		t.builtin[name] = true
	}
	return t
}
