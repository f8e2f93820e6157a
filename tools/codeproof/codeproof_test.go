package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	truth.definitions = map[place]bool{a: true, b: true}
	said.definitions = map[place]bool{a: true, b: true, at(30): true, other: true}
	truth.uses = map[place]use{
		at(2): {to: []place{a}, call: true, caller: b}, at(3): {to: []place{a}, call: true, caller: b}, at(4): {}, at(5): {to: []place{b}}, at(6): {to: []place{other}},
	}
	said.uses = map[place]use{
		at(2): {to: []place{a, b}, call: true, caller: b}, // one of two
		at(3): {to: []place{a, other}, call: true, caller: b},
		at(4): {to: []place{a}}, // nothing of the tree is meant
		at(7): {to: []place{b}}, // the judge does not list it
	}
	c := compare(truth, said)
	if want := (score{right: 2, said: 3, judged: 2}); c.definitions != want {
		t.Errorf("definitions %+v, want %+v", c.definitions, want)
	}
	if want := (score{right: 2, said: 4, judged: 3}); c.references != want {
		t.Errorf("references %+v, want %+v", c.references, want)
	}
	if want := (score{right: 1, said: 2, judged: 1}); c.calls != want {
		t.Errorf("calls %+v, want %+v", c.calls, want)
	}
	if len(c.misses) != 3 {
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
