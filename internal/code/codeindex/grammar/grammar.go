package grammar

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// An Action says what becomes of the nodes of a symbol. glue.c has the same numbers.
type Action byte

// What can become of them.
const (
	Skip     Action = iota // not in the tree, but what is below is
	Keep                   // in the tree
	KeepLeaf               // in the tree without what is below
	SkipTree               // neither
)

// A Grammar parses one language. Its methods may be called by several goroutines at a time.
type Grammar struct {
	name     string
	engine   wazero.Runtime
	compiled wazero.CompiledModule
	limits   Limits
	idle     chan *instance
	symbols  []string
	named    []bool
	fields   []string // [0]: none
	actions  []byte
}

// Symbols returns the names of the symbols of the grammar, by Node.Symbol. Nobody may change them.
func (g *Grammar) Symbols() []string { return g.symbols }

// Fields returns the names of the fields of the grammar, by Node.Field. Nobody may change them.
func (g *Grammar) Fields() []string { return g.fields }

// An instance is a module with memory of its own, used by one goroutine at a time.
type instance struct {
	module        api.Module
	source, parse api.Function
	result        uint32
	wants         bool // its actions are set
}

func (g *Grammar) instantiate(ctx context.Context) (*instance, error) {
	m, err := g.engine.InstantiateModule(ctx, g.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, fmt.Errorf("start the grammar of %s: %w", g.name, err)
	}
	in := &instance{module: m, source: m.ExportedFunction("source"), parse: m.ExportedFunction("parse")}
	at, err := in.number(ctx, "result")
	in.result = at
	return in, err
}

// number calls a function of the module that returns a number.
func (in *instance) number(ctx context.Context, function string, args ...uint64) (uint32, error) {
	out, err := in.module.ExportedFunction(function).Call(ctx, args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", function, err)
	}
	return api.DecodeU32(out[0]), nil
}

func (in *instance) name(ctx context.Context, function string, i uint32) (string, error) {
	at, err := in.number(ctx, function, uint64(i))
	if err != nil || at == 0 {
		return "", err
	}
	const longest = 256
	mem := in.module.Memory()
	raw, ok := mem.Read(at, min(longest, mem.Size()-at))
	if !ok {
		return "", fmt.Errorf("%s: no text at %d", function, at)
	}
	for n, c := range raw {
		if c == 0 {
			return string(raw[:n]), nil
		}
	}
	return "", fmt.Errorf("%s: longer than %d bytes", function, longest)
}

func (g *Grammar) readNames(ctx context.Context, in *instance) error {
	symbols, err := in.number(ctx, "symbol_count")
	if err != nil {
		return fmt.Errorf("grammar of %s: %w", g.name, err)
	}
	for i := range symbols {
		name, err := in.name(ctx, "symbol_name", i)
		if err != nil {
			return fmt.Errorf("grammar of %s: %w", g.name, err)
		}
		kind, err := in.number(ctx, "symbol_type", uint64(i))
		if err != nil {
			return fmt.Errorf("grammar of %s: %w", g.name, err)
		}
		g.symbols = append(g.symbols, name)
		g.named = append(g.named, kind == 0)
	}
	fields, err := in.number(ctx, "field_count")
	if err != nil {
		return fmt.Errorf("grammar of %s: %w", g.name, err)
	}
	g.fields = append(g.fields, "")
	for i := range fields {
		name, err := in.name(ctx, "field_name", i+1)
		if err != nil {
			return fmt.Errorf("grammar of %s: %w", g.name, err)
		}
		g.fields = append(g.fields, name)
	}
	return nil
}

func (g *Grammar) want(wanted func(symbol string, named bool) Action) {
	g.actions = make([]byte, len(g.symbols))
	for i, name := range g.symbols {
		g.actions[i] = byte(wanted(name, g.named[i]))
	}
}

// take returns an instance that nobody else uses.
func (g *Grammar) take(ctx context.Context) (*instance, error) {
	var in *instance
	select {
	case in = <-g.idle:
	default:
		fresh, err := g.instantiate(ctx)
		if err != nil {
			return nil, err
		}
		in = fresh
	}
	if !in.wants {
		at, err := in.number(ctx, "actions")
		if err != nil {
			return nil, err
		}
		in.module.Memory().Write(at, g.actions)
		in.wants = true
	}
	return in, nil
}

// largeMemory is the memory above which an instance is not kept.
const largeMemory = 48 << 20

// give keeps an instance for the next source, or closes it.
func (g *Grammar) give(ctx context.Context, in *instance) {
	if in.module.Memory().Size() <= largeMemory {
		select {
		case g.idle <- in:
			return
		default:
		}
	}
	_ = in.module.Close(ctx)
}
