package symbols

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hippo-memory/hippo/internal/code/codeindex/grammar"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// A Parser reads files. Its methods may be called by several goroutines at a time.
type Parser struct {
	runtime   *grammar.Runtime
	languages map[string]*language
	spare     sync.Pool // of *[]grammar.Node

	mu     sync.Mutex
	tables map[*grammar.Grammar]*table
}

// New returns a parser that keeps compiled grammars below the directory folder; "" keeps none.
// It costs nothing until the first file. A limit that is 0 has its default.
func New(folder string, limits grammar.Limits) *Parser {
	return &Parser{runtime: grammar.New(folder, limits), languages: languages(), tables: map[*grammar.Grammar]*table{}}
}

// Close frees what the parser holds. Files that are read meanwhile fail.
func (p *Parser) Close() error {
	if err := p.runtime.Close(context.Background()); err != nil {
		return fmt.Errorf("close the parser: %w", err)
	}
	return nil
}

// Language returns the language of a file as [Language] does, if the parser reads it; "" if not.
func (p *Parser) Language(path string, head []byte) string {
	if lang := Language(path, head); p.languages[lang] != nil {
		return lang
	}
	return ""
}

// Parse returns what a file of a language defines, refers to and imports. The language is one that
// [Language] returns; any other has a file without symbols. What cannot be read is left out, and
// the file says so: Errors, Partial. The error is that of ctx, or of a parser that cannot run.
// Cost: a second for some megabytes of code.
func (p *Parser) Parse(ctx context.Context, lang string, source []byte) (syntax.File, error) {
	file := syntax.File{Language: lang}
	l := p.languages[lang]
	if l == nil {
		return file, nil
	}
	g, err := p.runtime.Open(ctx, l.grammar, l.wanted)
	if errors.Is(err, grammar.ErrUnknown) {
		return file, nil
	}
	if err != nil {
		return file, fmt.Errorf("parse %s: %w", lang, err)
	}
	nodes, _ := p.spare.Get().(*[]grammar.Node)
	if nodes == nil {
		nodes = new([]grammar.Node)
	}
	defer p.spare.Put(nodes)
	tree, err := g.Parse(ctx, source, *nodes)
	if err != nil {
		return file, fmt.Errorf("parse %s: %w", lang, err)
	}
	*nodes = tree.Nodes[:0]
	x := extractor{
		src: source, nodes: tree.Nodes, table: p.tableOf(l, g), lines: linesOf(source),
		file: &file, roles: make([]role, len(tree.Nodes)),
	}
	x.run()
	file.Errors, file.Partial = tree.Errors, tree.Cut
	return file, nil
}

func (p *Parser) tableOf(l *language, g *grammar.Grammar) *table {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.tables[g]
	if t == nil {
		t = l.tableFor(g)
		p.tables[g] = t
	}
	return t
}
