package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func factsOf(files ...string) *facts {
	f := newFacts()
	for _, name := range files {
		f.files[name] = true
	}
	return f
}

func TestCompare(t *testing.T) {
	a, b, other := place{"x", 1}, place{"x", 9}, place{"other system", 1}
	at := func(n int) place { return place{"x", n} }
	truth, said := factsOf("x"), factsOf("x", "other system")
	truth.definitions = map[place]bool{a: true, b: true, at(31): true}
	said.definitions = map[place]bool{a: true, b: true, at(30): true, other: true}
	truth.uses = map[place]use{
		at(2): {to: []place{a}, call: true, caller: b}, at(3): {to: []place{a}, call: true, caller: b}, at(4): {}, at(5): {to: []place{b}}, at(6): {to: []place{other}},
		at(8): {to: []place{a, b}, call: true, caller: a},
	}
	said.uses = map[place]use{
		at(2): {to: []place{a, b}, call: true, caller: b}, // one of two
		at(3): {to: []place{a, other}, call: true, caller: b},
		at(4): {to: []place{a}},                                     // nothing of the tree is meant
		at(7): {to: []place{b}},                                     // the judge does not list it
		at(8): {to: []place{b}, call: true, caller: a, named: true}, // one of two branches
	}
	c := compare(truth, said)
	if want := (score{right: 2, said: 3, found: 2, judged: 3}); c.definitions != want {
		t.Errorf("definitions %+v, want %+v", c.definitions, want)
	}
	if want := (score{right: 3, said: 5, found: 3, judged: 4}); c.references != want {
		t.Errorf("references %+v, want %+v", c.references, want)
	}
	if want := (score{right: 2, said: 4, found: 2, judged: 4}); c.sure != want {
		t.Errorf("references, without those by name %+v, want %+v", c.sure, want)
	}
	if want := (score{right: 2, said: 3, found: 2, judged: 2}); c.calls != want {
		t.Errorf("calls %+v, want %+v", c.calls, want)
	}
	if len(c.misses) != 5 {
		t.Errorf("misses %q", c.misses)
	}
}

// TestJudgeGo judges a package of the standard library by itself: what go/types says is whole and consistent.
func TestJudgeGo(t *testing.T) {
	f, root, err := judgeGo(t.Context(), options{golang: "errors"})
	if err != nil {
		t.Fatal(err)
	}
	if !f.files["errors/wrap.go"] || len(f.definitions) < 10 {
		t.Errorf("%d files, %d definitions", len(f.files), len(f.definitions))
	}
	text, err := os.ReadFile(filepath.Join(root, "errors", "wrap.go"))
	if err != nil {
		t.Fatal(err)
	}
	at := place{"errors/wrap.go", strings.Index(string(text), "func Is(") + len("func ")}
	is := strings.Index(string(text), "return is(") + len("return ")
	u := f.uses[place{"errors/wrap.go", is}]
	if !f.definitions[at] || len(u.to) != 1 || !u.call || u.caller != at {
		t.Errorf("Is at %v: its call of is is %+v", at, u)
	}
}

// A mark in these sources, «def:x» or «use:x», stands before a name: definition x, and a use that means it.
// «none» is a use of nothing of the tree, «open:» a name that is not judged.
var mark = regexp.MustCompile(`«(def|use|none|open):?(\pL*)»`)

// marked writes sources without their marks, and returns what the marks say.
func marked(t *testing.T, root string, sources map[string]string) (definitions map[string]place, uses map[place]string, open []place) {
	t.Helper()
	definitions, uses = make(map[string]place), make(map[place]string)
	for name, text := range sources {
		plain := ""
		for {
			at := mark.FindStringSubmatchIndex(text)
			if at == nil {
				break
			}
			plain += text[:at[0]]
			p := place{name, len(plain)}
			switch what := text[at[4]:at[5]]; text[at[2]:at[3]] {
			case "def":
				definitions[what] = p
			case "open":
				open = append(open, p)
			default:
				uses[p] = what
			}
			text = text[at[1]:]
		}
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(plain+text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return definitions, uses, open
}

func checkMarks(t *testing.T, f *facts, definitions map[string]place, uses map[place]string) {
	t.Helper()
	for name, p := range definitions {
		if !f.definitions[p] {
			t.Errorf("%s at %v is no definition", name, p)
		}
	}
	if len(f.definitions) != len(definitions) {
		t.Errorf("%d definitions, want %d: %v", len(f.definitions), len(definitions), f.definitions)
	}
	for p, name := range uses {
		var want []place
		if name != "" {
			want = append(want, definitions[name])
		}
		if u, ok := f.uses[p]; !ok || !slices.Equal(u.to, want) {
			t.Errorf("the use of %s at %v: %v, %t, want %v", name, p, u.to, ok, want)
		}
	}
}

func TestJudgePython(t *testing.T) {
	python, err := program("python3", "this test")
	if err != nil {
		t.Skip(err)
	}
	root := t.TempDir()
	definitions, uses, open := marked(t, root, map[string]string{
		"app/__init__.py": "from .pool import Pool as Shared\n",
		"app/pool.py": `import time

class «def:Root»Root:
    def «def:stop»stop(self):
        return «none»len(«none»time.sleep)

class «def:Pool»Pool(«use:Root»Root):
    «def:size»size = 1
    «def:double»double = «use:size»size

    def «def:init»__init__(self, root: «use:Root»Root):
        self.«def:root»root = «use:Root»Root()
        self.«def:é»é, local = 1, 2
        self.«use:root»root.«use:stop»stop()

    def «def:close»close(self):
        self.«use:é»é = "é"; self.«use:stop»stop()
        super().«use:stop»stop()
        «none»size
        other = «use:Pool»Pool(None)
        other.«use:close»close()
        def «def:inner»inner(): return «none»other
        «use:inner»inner()
`,
		"main.py": `import app.pool
from app import Shared

«def:count»count = 0
«use:count»count = 1

def «def:run»run(given):
    global count
    «use:count»count = 2
    given.«open:»stop()
    «none»app.«none»pool.«use:Pool»Pool.«use:size»size
    [«none»count for count in «use:Pool»Shared.«use:size»size]
`,
	})
	text, err := pythonScript()
	if err != nil {
		t.Fatal(err)
	}
	f, err := script(t.Context(), python, "-c", text, root)
	if err != nil {
		t.Fatal(err)
	}
	checkMarks(t, f, definitions, uses)
	for _, p := range open {
		if u, ok := f.uses[p]; ok {
			t.Errorf("a member of a parameter without a type is judged: %v", u)
		}
	}
}

// TestJudgeTypeScript needs the compiler that a run of the command fetches.
func TestJudgeTypeScript(t *testing.T) {
	node, err := program("node", "this test")
	if err != nil {
		t.Skip(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	compilers, err := filepath.Glob(filepath.Join(cache, "hippo", "codeproof", "npm", "*", "node_modules", "typescript"))
	if err != nil || len(compilers) == 0 {
		t.Skip("the compiler of TypeScript is not a part of the repository: make code-proof fetches it from npm, and runs this test with it")
	}
	root := t.TempDir()
	definitions, uses, _ := marked(t, root, map[string]string{
		"pool.ts": `export interface «def:Worker»Worker { «def:stop»stop(): void }
/* é */ export class «def:Pool»Pool implements «use:Worker»Worker {
  «def:make»constructor(private «def:worker»worker: «use:Worker»Worker) {}
  «def:stops»stop() { this.«use:worker»worker.«use:stop»stop(); const local = [1]; return «none»local.«none»length; }
}
export const «def:table»table = { «def:run»run() { return new «use:Pool»Pool(null).«use:stops»stop(); }, size: 3 };
`,
		"use.ts": `import { Pool as P } from './pool';
function «def:outer»outer(p: «use:Pool»P) { function «def:inner»inner() { p.«use:stops»stop(); } return «use:inner»inner; }
`,
	})
	f, err := script(t.Context(), node, "-e", typescriptScript, compilers[0], root)
	if err != nil {
		t.Fatal(err)
	}
	checkMarks(t, f, definitions, uses)
}

func TestDecode(t *testing.T) {
	f, err := decode(strings.NewReader(`{"path":"a","definitions":[3],"uses":[{"at":9,"call":true,"caller":-1,"to":[{"file":"a","at":3}]}]}` + "\n" + `{"path":"b"}`))
	if err != nil {
		t.Fatal(err)
	}
	a := place{"a", 3}
	if u := f.uses[place{"a", 9}]; !f.files["b"] || !f.definitions[a] || !u.call || !slices.Equal(u.to, []place{a}) || u.caller != (place{"a", -1}) {
		t.Errorf("%+v", f)
	}
	if _, err := decode(strings.NewReader(`{"path":`)); err == nil {
		t.Error("what is cut gives no error")
	}
}

func TestCopyTree(t *testing.T) {
	to := t.TempDir()
	from := fstest.MapFS{"a/b.ts": {Data: []byte("1")}, "a/b.test.ts": {}, "test/c.ts": {}, "d.css": {}}
	if err := copyTree(from, to, isTypeScript); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := filepath.WalkDir(to, func(name string, d os.DirEntry, err error) error {
		if !d.IsDir() {
			got = append(got, strings.TrimPrefix(filepath.ToSlash(name), filepath.ToSlash(to)+"/"))
		}
		return err
	})
	if err != nil || !slices.Equal(got, []string{"a/b.ts"}) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, _, err := judgePython(t.Context(), "std", t.TempDir()); !errors.Is(err, errMissing) {
		t.Error(err)
	}
	if _, _, err := judgeTypeScript(t.Context(), "a@1", t.TempDir()); !errors.Is(err, errMissing) {
		t.Error(err)
	}
}
