package resolve_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/code/codeindex/grammar"
	"github.com/hippo-memory/hippo/internal/code/codeindex/resolve"
	"github.com/hippo-memory/hippo/internal/code/codeindex/symbols"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// A line of these sources that ends in a comment with an arrow has references; the last one means what the arrow points to, or
// nothing of the tree.
const (
	goStore = `package store

import "example.com/vendored"

type Row struct {
	Name  string
	inner struct{ depth Depth }
	Left  generated.Type
}

type Depth int

func (d Depth) Int() int { return int(d) }

type Base struct{ id Depth }

func (b *Base) ID() Depth { return b.id } // -> Base.id

type Closer interface{ Close() error }

type Rows []*Row

type Table struct {
	*Base
	Closer
	rows   map[string]*Row
	list   Rows
	make   func(n int) (*Row, error)
	stream chan *Row
	pairs  [2]Row
	outer  vendored.Thing
}

const (
	Small Depth = iota
	Large
)

var Default = New("x")

func New(name string) *Table { return &Table{rows: nil} } // -> Table.rows

func (t *Table) First() (row *Row, ok bool) { return t.list[0], true } // -> Table.list

func Each[T any](list []T, f func(T)) {}
`
	goUser = `package user

import (
	"fmt"

	"example.com/app/store"
	other "example.com/app/store"
)

type user struct {
	table *store.Table
	local []struct{ id int }
}

func (u *user) walk(name string, rest ...*store.Row) error {
	u.table.First() // -> Table.First
	u.table.ID().Int() // -> Depth.Int
	_ = u.table.Base // -> Base
	u.table.Close() // -> Closer.Close
	row, ok := u.table.First()
	_ = row.Name // -> Row.Name
	_ = ok.Name // -> nothing
	for key, r := range other.Default.Rows() {
		_ = r
		_ = key
	}
	for _, r := range rest {
		_ = r.Name // -> Row.Name
		r := 1
		_ = r.Name // -> nothing
	}
	_ = row.inner.depth // -> Row.depth
	store.Large.Int() // -> Depth.Int
	store.Default.ID() // -> Base.ID
	fresh := &store.Table{}
	fresh.First() // -> Table.First
	made := make(map[string]store.Depth)
	made["a"].Int() // -> Depth.Int
	made2 := new(store.Row)
	_ = made2.Name // -> Row.Name
	all := append([]*store.Row{}, row)
	_ = all[0].Name // -> Row.Name
	_ = all[0:1][0].Name // -> Row.Name
	var v any = row
	if x, ok := v.(*store.Base); ok {
		x.ID() // -> Base.ID
	}
	switch y := v.(type) {
	case *store.Row:
		_ = y.Name // -> Row.Name
	case store.Depth, int:
		y.Int() // -> nothing
	}
	func(d store.Depth) { d.Int() }(1) // -> Depth.Int
	f := func() (*store.Row, error) { return nil, nil }
	got, err := f()
	_ = got.Name // -> Row.Name
	err.Error() // -> nothing
	type own struct{ Name string }
	_ = own{}.Name // -> nothing
	list := []store.Row{{Name: name}} // -> Row.Name
	index := map[store.Depth]int{store.Small: 1} // -> Small
	_ = index
	_ = list[0].Name // -> Row.Name
	(*store.Row)(nil).Name = "" // -> Row.Name
	store.Depth(3).Int() // -> Depth.Int
	fmt.Println(u.local[0].id) // -> nothing
	return nil
}
`
	goInner = `package store

func use(t *Table, d *Depth) {
	row, _ := t.make(1)
	_ = row.Name // -> Row.Name
	_ = (<-t.stream).Name // -> Row.Name
	_ = t.pairs[0].Name // -> Row.Name
	_ = t.rows["a"].Name // -> Row.Name
	for _, r := range t.list {
		_ = r.Name // -> Row.Name
	}
	for r := range t.stream {
		_ = r.Name // -> Row.Name
	}
	t.outer.Close() // -> nothing
	(*d).Int() // -> Depth.Int
}
`
)

func TestResolve_goByTypes(t *testing.T) {
	t.Parallel()
	arrows(t, "go", map[string]string{"store/store.go": goStore, "store/use.go": goInner, "user/user.go": goUser})
}

// TestResolve_languages resolves by packages, includes and the types of parameters and variables.
func TestResolve_languages(t *testing.T) {
	t.Parallel()
	for language, sources := range map[string]map[string]string{
		"java": {
			"src/Row.java": "package com.data;\nclass Row {\n  int size;\n  void load() {}\n}\n",
			"lib/Row.java": "package com.other;\nclass Row {\n  void load() {}\n}\n",
			"app/App.java": "package com.app;\nimport com.data.Row;\nclass App {\n  Row first; // -> Row\n  void run(Row r) {\n    r.load(); // -> Row.load\n    Row next = null;\n    next.load(); // -> Row.load\n" +
				"    this.run(next); // -> App.run\n  }\n}\n",
		},
		"csharp": {
			"data/Row.cs": "namespace Data.Rows {\n  class Row {\n    public void Load() {}\n  }\n}\n",
			"app/App.cs":  "using Data.Rows;\nclass App {\n  void Run(Row r) {\n    r.Load(); // -> Row.Load\n  }\n}\n",
		},
		"php": {
			"data/Row.php": "<?php\nnamespace Data;\nclass Row {\n  function load() {}\n}\n",
			"app/App.php":  "<?php\nnamespace App;\nuse Data\\Row;\nclass App {\n  function run() {\n    new Row(); // -> Row\n    $this->run(); // -> App.run\n  }\n}\n",
		},
		"c": {
			"lib/row.h":  "struct row { int n; };\nint row_load(struct row *r);\n",
			"far/row.c":  "int row_load(int x) { return x; }\n",
			"app/main.c": "#include \"lib/row.h\"\nint run(struct row *r) {\n  r->n = 1; // -> row.n\n  return row_load(r); // -> row_load\n}\n",
		},
		"cpp": {
			"row.hpp":  "namespace data {\nclass Row {\n public:\n  void load();\n};\n}\n",
			"main.cpp": "#include \"row.hpp\"\nusing data::Row;\nvoid run(const Row &r) {\n  r.load(); // -> Row.load\n}\n",
		},
		"ruby": {
			"lib/row.rb": "class Row\n  def self.load\n  end\nend\n",
			"app.rb":     "require_relative 'lib/row'\nRow.load # -> Row.load\n",
		},
		"rust": {
			"src/row.rs":  "pub struct Row { pub size: u8 }\nimpl Row {\n    pub fn load(&self) { self.check() } // -> Row.check\n    fn check(&self) {}\n}\n",
			"src/main.rs": "use crate::row::Row;\nfn run(r: &Row) {\n    r.load(); // -> Row.load\n    Row::load(r); // -> Row.load\n}\n",
		},
		"kotlin": {
			"data/Row.kt": "package com.data\n\nclass Row(val size: Int) {\n    fun load() {}\n\n    companion object {\n        fun make(): Row = Row(1)\n    }\n}\n",
			"far/Row.kt":  "package com.far\n\nclass Row {\n    fun load() {}\n}\n",
			"app/App.kt": "package com.app\n\nimport com.data.Row\n\nfun Row.twice() = load()\n\nclass App {\n    fun run(r: Row) {\n        r.load() // -> Row.load\n        val next = Row(2)\n        next.load() // -> Row.load\n" +
				"        Row.make() // -> Row.make\n        this.run(next) // -> App.run\n        r.twice() // -> Row.twice\n    }\n}\n",
		},
		"swift": {
			"Row.swift": "class Row {\n    func load() {}\n    static let one = Row()\n}\n",
			"App.swift": "extension Row {\n    func twice() { load() }\n}\n\nclass App {\n    func run(r: Row) {\n        r.load() // -> Row.load\n        let next = Row()\n        next.load() // -> Row.load\n        Row.one // -> Row.one\n" +
				"        self.run(r: next) // -> App.run\n        r.twice() // -> Row.twice\n    }\n}\n",
		},
		"sql": {
			"schema/tables.sql": "CREATE TABLE app.users (id INTEGER);\nCREATE FUNCTION total() RETURNS INTEGER AS $$ SELECT 1; $$ LANGUAGE sql;\n",
			"views/active.sql":  "CREATE VIEW active AS\nSELECT total()  -- -> total\nFROM app.users; -- -> users\n",
		},
		"bash": {
			"lib/row.sh": "load() {\n  true\n}\n",
			"app.sh":     "source lib/row.sh\nload # -> load\n",
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			arrows(t, language, sources)
		})
	}
}

// TestResolve_python resolves by scopes, imports, what classes extend, and what variables are given.
func TestResolve_python(t *testing.T) {
	t.Parallel()
	arrows(t, "python", map[string]string{
		"app/__init__.py":   "from .pool import Pool as Shared\nfrom .names import *\n",
		"app/pool.py":       "import time\n\nclass Worker:\n    def stop(self): pass\n\nclass Pool(Worker):\n    limit = 3\n\n    def __init__(self, worker: Worker):\n        self.worker = worker\n        self.spare = Worker() # -> Worker\n\n    def close(self):\n        self.stop() # -> Worker.stop\n        self.worker.stop() # -> Worker.stop\n        self.spare.stop() # -> Worker.stop\n        super().stop() # -> Worker.stop\n        self.missing() # -> nothing\n        time.sleep(1) # -> nothing\n        limit # -> nothing\n\n    double = limit # -> Pool.limit\n",
		"app/time.py":       "def sleep(n): pass\n",
		"app/names.py":      "count = 0\n\ndef bump():\n    global count\n    count = 1 # -> count\n\ndef make()->'Pool':\n    from .pool import Pool\n    return Pool(None) # -> Pool\n",
		"tests/names.py":    "def bump(): pass\n",
		"tests/test_all.py": "import app.pool\nimport app\nfrom app import Shared, bump\nimport names\n\ndef check(given, *rest: Shared):\n    bump() # -> bump\n    names.bump() # -> bump\n    app.pool.Worker() # -> Worker\n    app.bump() # -> bump\n    app.names.make().close() # -> Pool.close\n    one = Shared(None) # -> Pool\n    one.close() # -> Pool.close\n    'a'.close() # -> nothing\n    str.close('a') # -> nothing\n    given.sleep() # -> nothing\n    def inner(): return one.limit # -> Pool.limit\n    inner() # -> check.inner\n",
	})
}

// TestResolve_typescript resolves by imports, exports that hand on, and the types that are written.
func TestResolve_typescript(t *testing.T) {
	t.Parallel()
	arrows(t, "typescript", map[string]string{
		"src/pool.ts":      "export interface Worker {\n  name: string;\n  stop(): void;\n}\nexport default class Pool extends Base.Root implements Worker {\n  name = 'x';\n  list: Worker[] = [];\n  constructor(private readonly worker: Worker) { super(); }\n  stop() {\n    this.worker.stop(); // -> Worker.stop\n    this.list[0].stop(); // -> Worker.stop\n    this.open(); // -> Base.Root.open\n    for (const w of this.list) {\n      w.name; // -> Worker.name\n    }\n  }\n  get first(): Worker { return this.list.pop().name; } // -> Worker.name\n}\nexport namespace Base {\n  export class Root {\n    open(): Pool { return null; }\n  }\n}\n",
		"src/lib/index.ts": "export * from './all.g';\nexport {default as Pool, Base} from '../pool';\n",
		"src/lib/all.g.ts": "export class Map { get(): Map { return this; } }\nexport type Shape = { size: number };\n",
		"src/lib/all.ts":   "export class Map {}\n",
		"src/use.ts":       "import {Pool, Map, type Shape} from './lib';\nimport * as lib from './lib/index.js';\nimport outer from 'outer';\n\nfunction use(p: Pool | null, s: Readonly<Shape>, x) {\n  const m = new Map(); // -> Map\n  m.get().get(); // -> Map.get\n  p.stop(); // -> Pool.stop\n  p!.first.stop(); // -> Worker.stop\n  p\n    .open(); // -> Base.Root.open\n  s.size; // -> Shape.size\n  new lib.Pool(null).stop(); // -> Pool.stop\n  outer.stop(); // -> nothing\n  document.stop(); // -> nothing\n  (x as Shape).size; // -> Shape.size\n  const all: Promise<Pool> = null;\n  (await all).name; // -> Pool.name\n  'a'.get(); // -> nothing\n}\n",
		"src/elsewhere.ts": "export class Other { stop() {} open() {} get() {} size = 1 }\n",
	})
}

// arrows resolves the last reference of each line that ends in a comment with an arrow.
func arrows(t *testing.T, language string, sources map[string]string) {
	t.Helper()
	p := symbols.New("", grammar.Limits{})
	defer p.Close() //nolint:errcheck // a test
	var files []resolve.File
	var all []resolve.Symbol
	var parsed []syntax.File
	paths := slices.Sorted(maps.Keys(sources))
	for i, path := range paths {
		f, err := p.Parse(t.Context(), language, []byte(sources[path]))
		if err != nil || f.Errors > 0 {
			t.Fatalf("%s: %d errors, %v", path, f.Errors, err)
		}
		parsed = append(parsed, f)
		files = append(files, resolve.File{Path: path, Language: language, Package: f.Package, Imports: f.Imports})
		for k, s := range f.Symbols {
			all = append(all, resolve.Symbol{File: i, Number: k, Name: s.Name, Qualified: s.Qualified, Kind: s.Kind, Signature: s.Signature, Bases: s.Bases})
		}
	}
	w := resolve.New(files, all)
	for i, path := range paths {
		r := w.In(i, &parsed[i])
		for n, line := range slices.Collect(strings.Lines(sources[path])) {
			_, want, ok := strings.Cut(strings.TrimSpace(line), " -> ")
			if !ok {
				continue
			}
			found, _ := r.Resolve(last(&parsed[i], n+1))
			got := "nothing"
			for _, d := range found {
				got = strings.TrimPrefix(got+" "+w.Symbol(d).Qualified, "nothing ")
			}
			if got != want {
				t.Errorf("%s:%d: %s: got %s, want %s", path, n+1, strings.TrimSpace(line), got, want)
			}
		}
	}
}

// last returns the last reference of a line by its place.
func last(f *syntax.File, line int) *syntax.Reference {
	best := &syntax.Reference{}
	for i := range f.References {
		if ref := &f.References[i]; ref.At.First == line && ref.At.From >= best.At.From {
			best = ref
		}
	}
	return best
}
