package arch_test

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fileOrder is the order of the files of a package, bottom up: a file may use what is
// declared in itself and in the files before it.
type fileOrder struct {
	files []string
	// up lists the uses that go up all the same, as "file.go: name" with the using file
	// and the declared name: at most maxUp of all uses between files.
	up []string
}

func TestFileOrder(t *testing.T) {
	t.Parallel()
	orders := fileOrders()
	c := newChecker(root)
	for _, dir := range slices.Sorted(maps.Keys(orders)) {
		uses, files, err := c.uses(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d of %d uses between files go up", dir, len(orders[dir].up), len(uses))
		for _, b := range checkOrder(orders[dir], files, uses) {
			t.Errorf("%s: %s", dir, b)
		}
	}
}

// use is the use in one file of something that another file of the package declares.
type use struct {
	from, to string // the files
	name     string // what is used: x, T, or T.m for a method
	line     int    // of the first such use
}

// checkOrder returns the uses against an order that are not excepted, and what is wrong
// with the order itself.
func checkOrder(o fileOrder, files []string, uses []use) []string {
	var bad []string
	for _, f := range files {
		if !slices.Contains(o.files, f) {
			bad = append(bad, f+": has no place in the order")
		}
	}
	for i, f := range o.files {
		if !slices.Contains(files, f) {
			bad = append(bad, f+": is in the order and does not exist")
		}
		if slices.Contains(o.files[:i], f) {
			bad = append(bad, f+": is in the order twice")
		}
	}
	needed := make(map[string]bool)
	for _, u := range uses {
		from, to := slices.Index(o.files, u.from), slices.Index(o.files, u.to)
		if from < 0 || from >= to {
			continue
		}
		x := u.from + ": " + u.name
		needed[x] = true
		if !slices.Contains(o.up, x) {
			bad = append(bad, fmt.Sprintf("%s:%d uses %s of %s, which comes later in the order", u.from, u.line, u.name, u.to))
		}
	}
	for _, x := range o.up {
		if !needed[x] {
			bad = append(bad, fmt.Sprintf("the exception %q is needed no more", x))
		}
	}
	if n := len(o.up); float64(n) > maxUp*float64(len(uses)) {
		bad = append(bad, fmt.Sprintf("%d of %d uses between files go up, at most %.0f %%", n, len(uses), 100*maxUp))
	}
	return bad
}

// usesOf returns the uses of package-level names and methods across the files of a
// type-checked package, each once per file, sorted.
func usesOf(set *token.FileSet, pkg *types.Package, info *types.Info) []use {
	found := make(map[use]int)
	for id, o := range info.Uses {
		name := nameOf(o)
		if o.Pkg() != pkg || name == "" {
			continue
		}
		at, declared := set.Position(id.Pos()), set.Position(o.Pos())
		u := use{from: filepath.Base(at.Filename), to: filepath.Base(declared.Filename), name: name}
		if u.from == u.to {
			continue
		}
		if line, ok := found[u]; !ok || at.Line < line {
			found[u] = at.Line
		}
	}
	out := make([]use, 0, len(found))
	for u, line := range found {
		u.line = line
		out = append(out, u)
	}
	slices.SortFunc(out, func(a, b use) int {
		return strings.Compare(a.from+"\x00"+a.name+"\x00"+a.to, b.from+"\x00"+b.name+"\x00"+b.to)
	})
	return out
}

// nameOf returns the name of a package-level function, type, constant or variable, or of
// a method, with its type; empty for all else.
func nameOf(o types.Object) string {
	if f, ok := o.(*types.Func); ok {
		r := f.Signature().Recv()
		if r == nil {
			return f.Name()
		}
		t := r.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if n, ok := t.(*types.Named); ok {
			return n.Obj().Name() + "." + f.Name()
		}
		return f.Name() // of an interface without a name
	}
	if o.Parent() != nil && o.Pkg() != nil && o.Parent() == o.Pkg().Scope() {
		return o.Name()
	}
	return ""
}

// TestFileOrderBites runs the rule on a package whose files depend on each other in all
// ways, and on orders that are wrong themselves.
func TestFileOrderBites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"low.go": `package p

import "slices"

const limit = 2

type base struct{ n int }

func (b base) Len() int { return b.n }

func up() int { return top(limit) }

func across(list []high) int {
	return slices.Clone(list)[0].size()
}

func local() int { best := 1; return best }
`,
		"middle.go": `package p

type sizer interface{ size() int }

type list[T any] []T

func (l list[T]) first() T { return l[0] }

var best int

func total(s sizer) int { return s.size() + limit + base{}.Len() }
`,
		"top.go": `package p

type high struct{ base }

func (h high) size() int { return h.Len() + list[int]{1}.first() }

func top(n int) int { return total(high{base{n}}) + best + n }
`,
		"top_test.go":    "package p\n\nfunc inTest() { missing() }\n",
		"other_plan9.go": "package p\n\nfunc other() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	uses, files, err := newChecker(dir).uses(".")
	if err != nil {
		t.Fatal(err)
	}
	ordered := []string{"low.go", "middle.go", "top.go"}
	for name, c := range map[string]struct {
		order fileOrder
		want  []string
	}{
		"uses_that_go_up": {fileOrder{files: ordered}, []string{
			"low.go:13 uses high of top.go, which comes later in the order",
			"low.go:14 uses high.size of top.go, which comes later in the order",
			"low.go:11 uses top of top.go, which comes later in the order",
		}},
		"exceptions": {fileOrder{files: ordered, up: []string{"low.go: high", "low.go: high.size", "low.go: top"}}, []string{
			"3 of 12 uses between files go up, at most 5 %",
		}},
		"stale_exception": {fileOrder{files: []string{"middle.go", "top.go", "low.go"}, up: []string{"low.go: top"}}, []string{
			"middle.go:11 uses base of low.go, which comes later in the order",
			"middle.go:11 uses base.Len of low.go, which comes later in the order",
			"middle.go:11 uses limit of low.go, which comes later in the order",
			"top.go:3 uses base of low.go, which comes later in the order",
			"top.go:5 uses base.Len of low.go, which comes later in the order",
			`the exception "low.go: top" is needed no more`,
			"1 of 12 uses between files go up, at most 5 %",
		}},
		"file_without_a_place": {fileOrder{files: []string{"middle.go", "top.go"}}, []string{"low.go: has no place in the order"}},
		"wrong_files": {fileOrder{files: []string{"gone.go", "top.go", "top.go"}}, []string{
			"low.go: has no place in the order", "middle.go: has no place in the order",
			"gone.go: is in the order and does not exist", "top.go: is in the order twice",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := checkOrder(c.order, files, uses); !slices.Equal(got, c.want) {
				t.Errorf("complaints %q, want %q", got, c.want)
			}
		})
	}
}
