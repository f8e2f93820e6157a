package grammar

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func keepNamed(_ string, named bool) Action {
	if named {
		return Keep
	}
	return SkipTree
}

func open(t *testing.T, limits Limits, language string) *Grammar {
	t.Helper()
	r := New("", limits)
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	g, err := r.Open(t.Context(), language, keepNamed)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestTree(t *testing.T) {
	g := open(t, Limits{}, "go")
	tree, err := g.Parse(t.Context(), []byte("package a\n\nfunc F() { return }\n"), nil)
	if err != nil || tree.Cut || tree.Errors > 0 {
		t.Fatalf("%+v, %v", tree, err)
	}
	var got []string
	for _, n := range tree.Nodes {
		got = append(got, g.Symbols()[n.Symbol]+" "+g.Fields()[n.Field])
	}
	for _, want := range []string{"source_file ", "function_declaration ", "identifier name", "block body"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

// TestCut gives a parser too little of each kind: it says so, and reads the next source.
func TestCut(t *testing.T) {
	source := []byte("package a\n" + strings.Repeat("var x = f(1, []int{2, 3}, func() { g() })\n", 20000))
	for name, limits := range map[string]Limits{
		"time": {Time: time.Nanosecond}, "memory": {Memory: 4 << 20}, "depth": {Depth: 3}, "size": {Source: 1000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := open(t, limits, "go")
			if tree, err := g.Parse(t.Context(), source, nil); err != nil || !tree.Cut {
				t.Errorf("cut %t, %v: want a tree that is cut", tree.Cut, err)
			}
			if name == "time" {
				return
			}
			if tree, err := g.Parse(t.Context(), []byte("package a\n"), nil); err != nil || len(tree.Nodes) < 2 {
				t.Errorf("the next source: %d nodes, %v", len(tree.Nodes), err)
			}
		})
	}
}

func TestUnknown(t *testing.T) {
	r := New("", Limits{})
	if _, err := r.Open(t.Context(), "cobol", keepNamed); !errors.Is(err, ErrUnknown) {
		t.Errorf("%v, want %v", err, ErrUnknown)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := r.Open(t.Context(), "go", keepNamed); !errors.Is(err, ErrClosed) {
		t.Errorf("%v, want %v", err, ErrClosed)
	}
}

// TestCache opens a grammar from what another runtime compiled.
func TestCache(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		r := New(dir, Limits{})
		g, err := r.Open(t.Context(), "go", keepNamed)
		if err != nil {
			t.Fatal(err)
		}
		if tree, err := g.Parse(t.Context(), []byte("package a\n"), nil); err != nil || len(tree.Nodes) < 2 {
			t.Errorf("%d nodes, %v", len(tree.Nodes), err)
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestCache_damaged spoils the cache in each way. The grammar is there all the same, and damaged files are replaced.
func TestCache_damaged(t *testing.T) {
	compiled := t.TempDir()
	openIn(t, compiled)
	files, err := filepath.Glob(filepath.Join(compiled, "*", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v: want one compiled grammar", files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for name, content := range map[string][]byte{"cut": whole[:len(whole)/2], "empty": nil, "flipped": flipped} {
		if err := os.WriteFile(files[0], content, 0o600); err != nil {
			t.Fatal(err)
		}
		openIn(t, compiled)
		if b, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(b, whole) {
			t.Errorf("%s: %d bytes, %v: want the file to be replaced", name, len(b), err)
		}
	}
	dir := filepath.Dir(files[0])
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	r := New(compiled, Limits{})
	defer r.Close(t.Context()) //nolint:errcheck // a test
	if _, err := r.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Open(t.Context(), "go", keepNamed); err != nil {
		t.Errorf("without a cache: %v", err)
	}
}

// openIn opens a grammar of a runtime with a cache and parses with it.
func openIn(t *testing.T, dir string) {
	t.Helper()
	r := New(dir, Limits{})
	g, err := r.Open(t.Context(), "go", keepNamed)
	if err != nil {
		t.Fatal(err)
	}
	if tree, err := g.Parse(t.Context(), []byte("package a\n"), nil); err != nil || len(tree.Nodes) < 2 {
		t.Errorf("%d nodes, %v", len(tree.Nodes), err)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x01\x00\x02\x00\x00\x00\x00\x00\x05\x00\x00\x00\x01\x00\x00\x00"), uint32(5))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), uint32(0))
	f.Fuzz(func(t *testing.T, raw []byte, size uint32) {
		nodes, ok := decode(raw, size, nil)
		if !ok && len(nodes) > 0 {
			t.Fatal("nodes of what is no tree")
		}
		for i, n := range nodes {
			if n.Start > n.End || n.End > size || int(n.Next) <= i || int(n.Next) > len(nodes) || n.Field > fieldBits {
				t.Fatalf("node %d of %d: %+v", i, len(nodes), n)
			}
		}
	})
}
