package grammar

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Limits bound what one source may cost. A limit that is 0 has its default.
type Limits struct {
	Source int           // bytes of a source; what is behind them is not parsed. 2 MiB
	Memory int           // bytes that a parser may take. 256 MiB
	Depth  int           // how deep the nodes of a tree may lie. 1,000
	Time   time.Duration // of a parse. 5 s
}

func (l Limits) orDefaults() Limits {
	if l.Source <= 0 {
		l.Source = 2 << 20
	}
	if l.Memory <= 0 {
		l.Memory = 256 << 20
	}
	if l.Depth <= 0 {
		l.Depth = 1000
	}
	if l.Time <= 0 {
		l.Time = 5 * time.Second
	}
	return l
}

// A Runtime runs grammars. Its methods may be called by several goroutines at a time. It costs
// nothing until the first grammar is opened.
type Runtime struct {
	folder string
	limits Limits

	mu      sync.Mutex // of what follows
	engine  wazero.Runtime
	plain   wazero.Runtime // without the cache; nil: it was not needed
	cache   wazero.CompilationCache
	opening map[string]*opening
	closed  bool
}

// An opening is a grammar that is open, or being opened by who holds mu.
type opening struct {
	mu      sync.Mutex
	grammar *Grammar
}

// New returns a runtime that keeps compiled grammars below the directory folder, which it makes
// when it needs it; "" keeps none.
func New(folder string, limits Limits) *Runtime {
	return &Runtime{folder: folder, limits: limits.orDefaults(), opening: map[string]*opening{}}
}

// ErrClosed is the error of a runtime that was closed.
var ErrClosed = errors.New("the runtime of the grammars is closed")

// Open returns the grammar of a language; [ErrUnknown]: there is none. The first call of a process unpacks
// and loads its module: some 20 ms, or up to a second if the directory does not hold it compiled.
// Of the symbols that the grammar has, wanted says what becomes of their nodes.
func (r *Runtime) Open(ctx context.Context, language string, wanted func(symbol string, named bool) Action) (*Grammar, error) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil, ErrClosed
	}
	slot := r.opening[language]
	if slot == nil {
		slot = &opening{}
		r.opening[language] = slot
	}
	r.mu.Unlock()
	slot.mu.Lock()
	defer slot.mu.Unlock()
	if slot.grammar != nil {
		return slot.grammar, nil
	}
	g, err := r.load(ctx, language)
	if err != nil {
		return nil, err
	}
	g.want(wanted)
	slot.grammar = g
	return g, nil
}

// pageBytes is the size of a page of a module's memory.
const pageBytes = 64 << 10

func (r *Runtime) config() wazero.RuntimeConfig {
	return wazero.NewRuntimeConfig().WithMemoryLimitPages(uint32(min(r.limits.Memory/pageBytes, 65536)))
}

// start makes the engine. A directory that cannot be used means no directory: what it saves is time.
func (r *Runtime) start(ctx context.Context) (wazero.Runtime, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	if r.engine != nil {
		return r.engine, nil
	}
	config := r.config()
	if r.folder != "" {
		if cache, err := wazero.NewCompilationCacheWithDir(r.folder); err == nil {
			r.cache = cache
			config = config.WithCompilationCache(cache)
		}
	}
	engine, err := newEngine(ctx, config)
	if err != nil {
		return nil, err
	}
	r.engine = engine
	return r.engine, nil
}

// newEngine returns an engine with the functions that modules import.
func newEngine(ctx context.Context, config wazero.RuntimeConfig) (wazero.Runtime, error) {
	engine := wazero.NewRuntimeWithConfig(ctx, config)
	host := engine.NewHostModuleBuilder("host")
	host.NewFunctionBuilder().WithGoFunction(api.GoFunc(cancelled), nil, []api.ValueType{api.ValueTypeI32}).Export("cancelled")
	if _, err := host.Instantiate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start the runtime of the grammars: %w", err), engine.Close(ctx))
	}
	return engine, nil
}

// cancelled is what modules ask while they parse: whether the context of the call has ended.
// Wazero's own check, WithCloseOnContextDone, makes every loop of a parser four times slower.
func cancelled(ctx context.Context, stack []uint64) {
	stack[0] = 0
	if ctx.Err() != nil {
		stack[0] = 1
	}
}

func (r *Runtime) load(ctx context.Context, language string) (*Grammar, error) {
	module, err := unpack(language)
	if err != nil {
		return nil, err
	}
	engine, err := r.start(ctx)
	if err != nil {
		return nil, err
	}
	compiled, engine, err := r.compile(ctx, engine, module)
	if err != nil {
		return nil, fmt.Errorf("compile the grammar of %s: %w", language, err)
	}
	g := &Grammar{
		name: language, engine: engine, compiled: compiled, limits: r.limits,
		idle: make(chan *instance, runtime.GOMAXPROCS(0)),
	}
	first, err := g.instantiate(ctx)
	if err != nil {
		return nil, err
	}
	if err := g.readNames(ctx, first); err != nil {
		return nil, err
	}
	g.give(ctx, first)
	return g, nil
}

// compile compiles a module and returns the engine that it is for. If that fails it may be for the cache: a file in it
// is damaged, or none can be written. What is in the cache is deleted then, and the module compiled again, at last
// without a cache.
func (r *Runtime) compile(ctx context.Context, engine wazero.Runtime, module []byte) (wazero.CompiledModule, wazero.Runtime, error) {
	compiled, err := engine.CompileModule(ctx, module)
	if err == nil || r.folder == "" || ctx.Err() != nil {
		return compiled, engine, err
	}
	r.emptyCache()
	if compiled, err = engine.CompileModule(ctx, module); err == nil {
		return compiled, engine, nil
	}
	plain, err := r.startPlain(ctx)
	if err != nil {
		return nil, nil, err
	}
	compiled, err = plain.CompileModule(ctx, module)
	return compiled, plain, err
}

// emptyCache deletes the compiled modules, as far as it can.
func (r *Runtime) emptyCache() {
	files, _ := filepath.Glob(filepath.Join(r.folder, "wazero-*", "*")) // a folder that is no pattern keeps its files
	for _, f := range files {
		_ = os.Remove(f) // the next process tries again
	}
}

// startPlain makes the engine without a cache.
func (r *Runtime) startPlain(ctx context.Context) (wazero.Runtime, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	if r.plain != nil {
		return r.plain, nil
	}
	engine, err := newEngine(ctx, r.config())
	if err != nil {
		return nil, err
	}
	r.plain = engine
	return engine, nil
}

// Close ends the runtime and what it runs. A parse under way fails.
func (r *Runtime) Close(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	var errs []error
	if r.engine != nil {
		errs = append(errs, r.engine.Close(ctx))
		r.engine = nil
	}
	if r.plain != nil {
		errs = append(errs, r.plain.Close(ctx))
		r.plain = nil
	}
	if r.cache != nil {
		errs = append(errs, r.cache.Close(ctx))
		r.cache = nil
	}
	return errors.Join(errs...)
}
