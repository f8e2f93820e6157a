// Package chunk cuts source files into what is searched for: definitions, and the text between them.
// It is pure: equal files have equal chunks.
package chunk

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

const (
	// MaxTokens is the size of the largest chunk, by the estimate of [Tokens].
	MaxTokens = 512
	// Overlap is by how many tokens the windows overlap that a longer text is cut into.
	Overlap = 50
	// mergeTokens is the size up to which constants, variables and fields that follow one another are one chunk.
	mergeTokens = 256
	// smallGap is the size up to which the text before a definition belongs to it.
	smallGap = 48
)

// Chunk is a part of a file. Chunks are in the order of the file, cover all of its text but white
// space, and have no byte in common but the overlap of windows.
type Chunk struct {
	From, Until int // bytes
	First, Last int // lines, from 1
	// Symbol is the definition that the chunk is of, or that its text belongs to; -1: the file. A chunk
	// of several small definitions has the first one.
	Symbol int
	// Part numbers the windows of what is longer than a chunk, from 0.
	Part int
}

// piece is a stretch of text before the sizes are looked at.
type piece struct {
	from, until, symbol int
	kind                pieceKind
}

type pieceKind int

const (
	leaf pieceKind = iota
	head           // what a container has before the first definition in it
	gap
)

// Split cuts a file. Symbols with ranges that are not within the text, or that overlap others, are
// tolerated: their text is in some chunk. Cost: linear, but for sorting the symbols.
func Split(src []byte, f *syntax.File) []Chunk {
	s := &splitter{src: src, symbols: f.Symbols, children: make(map[int][]int), fit: make(map[int]bool)}
	s.link()
	s.walk(-1, 0, len(src))
	pieces := s.merge(s.attach())
	lines := newLines(src)
	var out []Chunk
	for _, p := range pieces {
		out = s.windows(out, p, lines)
	}
	return out
}

// splitter cuts one file.
type splitter struct {
	src      []byte
	symbols  []syntax.Symbol
	children map[int][]int // by symbol that is split, -1 for the file
	fit      map[int]bool  // of the symbols whose size was looked at
	pieces   []piece
}

// span returns the range of a symbol with its comment, if that stands before it; not ok: it is not
// within the text.
func (s *splitter) span(i int) (from, until int, ok bool) {
	r, d := s.symbols[i].Range, s.symbols[i].Doc
	from, until = r.From, r.Until
	if d.From < d.Until && d.Until <= from && 0 <= d.From && blank(s.src, d.Until, from) {
		from = d.From
	}
	return from, until, 0 <= from && from < until && until <= len(s.src)
}

func blank(src []byte, from, until int) bool {
	return until <= len(src) && len(strings.TrimSpace(string(src[from:until]))) == 0
}

// link finds the symbols that have chunks of their own, below the nearest symbol that is split.
func (s *splitter) link() {
	split := make([]bool, len(s.symbols))
	for i := range s.symbols {
		if p := s.around(i); p >= 0 && s.separate(p, i) {
			split[p] = true
		}
	}
	for i := range s.symbols {
		if _, _, ok := s.span(i); !ok {
			continue
		}
		parent := s.around(i)
		if parent < 0 || split[parent] && s.separate(parent, i) && s.reachable(parent, split) {
			s.children[parent] = append(s.children[parent], i)
		}
	}
	for _, list := range s.children {
		slices.SortStableFunc(list, func(a, b int) int {
			x, _, _ := s.span(a)
			y, _, _ := s.span(b)
			return cmp.Compare(x, y)
		})
	}
}

// around returns the nearest symbol that holds another one and has it in its text; -1: none. A method of Go belongs to a
// type and stands outside of it.
func (s *splitter) around(i int) int {
	from, until, _ := s.span(i)
	for p := s.symbols[i].Parent; p >= 0 && p < i; p = s.symbols[p].Parent {
		if a, b, ok := s.span(p); ok && a <= from && until <= b {
			return p
		}
		if s.symbols[p].Parent >= p {
			break
		}
	}
	return -1
}

// reachable reports whether all that hold a symbol are split.
func (s *splitter) reachable(i int, split []bool) bool {
	for i >= 0 {
		if !split[i] {
			return false
		}
		i = s.around(i)
	}
	return true
}

// separate reports whether a symbol within another one is a chunk of its own.
func (s *splitter) separate(parent, child int) bool {
	switch s.symbols[parent].Kind {
	case syntax.Function, syntax.Method, syntax.Field, syntax.Constant, syntax.Variable:
		return false
	case syntax.Interface, syntax.Enum, syntax.Type:
		if s.fits(parent) {
			return false
		}
	default:
	}
	switch s.symbols[child].Kind {
	case syntax.Field, syntax.Constant, syntax.Variable:
		return s.symbols[parent].Kind == syntax.Module
	default:
		return true
	}
}

// fits reports whether a symbol is no longer than a chunk.
func (s *splitter) fits(i int) bool {
	fit, known := s.fit[i]
	if !known {
		from, until, ok := s.span(i)
		fit = ok && Tokens(s.src[from:until]) <= MaxTokens
		s.fit[i] = fit
	}
	return fit
}

// walk cuts the text of a symbol, -1 for the file.
func (s *splitter) walk(symbol, from, until int) {
	at, first := from, symbol >= 0
	for _, i := range s.children[symbol] {
		start, end, _ := s.span(i)
		if start < at || end > until { // it overlaps the one before, or what holds it
			if end <= at || start >= until {
				continue
			}
			start, end = max(start, at), min(end, until)
		}
		s.between(symbol, at, start, first)
		if len(s.children[i]) > 0 {
			s.walk(i, start, end)
		} else {
			s.pieces = append(s.pieces, piece{start, end, i, leaf})
		}
		at, first = end, false
	}
	s.between(symbol, at, until, first)
}

// between adds the text between definitions.
func (s *splitter) between(symbol, from, until int, first bool) {
	from, until = s.trim(from, until)
	if from == until {
		return
	}
	kind := gap
	if first {
		kind = head
	}
	s.pieces = append(s.pieces, piece{from, until, symbol, kind})
}

// trim leaves out white space at both ends, but for the indent of the first line.
func (s *splitter) trim(from, until int) (int, int) {
	text := s.src[from:until]
	rest := strings.TrimRight(string(text), " \t\r\n\f\v")
	until = from + len(rest)
	lead := len(rest) - len(strings.TrimLeft(rest, " \t\r\n\f\v"))
	if i := strings.LastIndexByte(rest[:lead], '\n'); i >= 0 && until > from {
		return from + i + 1, until
	}
	if until > from {
		return from, until
	}
	return until, until
}

// attach joins gaps to their neighbours: brackets to what they end, a few words to what follows.
func (s *splitter) attach() []piece {
	var out []piece
	for i := 0; i < len(s.pieces); i++ {
		p := s.pieces[i]
		if p.kind != gap {
			out = append(out, p)
			continue
		}
		text := s.src[p.from:p.until]
		switch {
		case !hasWord(text) && len(out) > 0:
			out[len(out)-1].until = p.until
		case i+1 < len(s.pieces) && s.pieces[i+1].kind != gap && Tokens(text) <= smallGap:
			s.pieces[i+1].from = p.from
		default:
			out = append(out, p)
		}
	}
	return out
}

// merge joins small definitions of values that follow one another.
func (s *splitter) merge(list []piece) []piece {
	var out []piece
	tokens := 0
	for _, p := range list {
		n := Tokens(s.src[p.from:p.until])
		if k := len(out) - 1; k >= 0 && s.mergeable(out[k], p) && tokens+n <= mergeTokens {
			out[k].until = p.until
			tokens += n
			continue
		}
		out = append(out, p)
		tokens = n
	}
	return out
}

func (s *splitter) mergeable(a, b piece) bool {
	if a.kind != leaf || b.kind != leaf || s.symbols[a.symbol].Parent != s.symbols[b.symbol].Parent {
		return false
	}
	value := func(i int) bool {
		k := s.symbols[i].Kind
		return k == syntax.Constant || k == syntax.Variable || k == syntax.Field
	}
	return value(a.symbol) && value(b.symbol)
}
