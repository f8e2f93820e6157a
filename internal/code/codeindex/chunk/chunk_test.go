package chunk_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/code/codeindex/chunk"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// failer is a test, or a run of one.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// check tests what holds for the chunks of every file.
func check(t failer, src []byte, f *syntax.File) []chunk.Chunk {
	t.Helper()
	list := chunk.Split(src, f)
	covered := make([]int, len(src))
	for i, c := range list {
		if c.From < 0 || c.From >= c.Until || c.Until > len(src) {
			t.Fatalf("chunk %d: bytes %d to %d of %d", i, c.From, c.Until, len(src))
		}
		if n := chunk.Tokens(src[c.From:c.Until]); n > chunk.MaxTokens {
			t.Fatalf("chunk %d has %d tokens", i, n)
		}
		if want := 1 + bytes.Count(src[:c.From], []byte("\n")); c.First != want || c.Last < c.First {
			t.Fatalf("chunk %d: lines %d to %d, want %d", i, c.First, c.Last, want)
		}
		if c.Symbol < -1 || c.Symbol >= len(f.Symbols) {
			t.Fatalf("chunk %d: symbol %d", i, c.Symbol)
		}
		for k := c.From; k < c.Until; k++ {
			covered[k]++
		}
		if i > 0 && c.From < list[i-1].Until {
			if both := chunk.Tokens(src[c.From:list[i-1].Until]); c.Part == 0 || both > chunk.Overlap || c.From <= list[i-1].From {
				t.Fatalf("chunk %d begins at %d, the one before ends at %d: %d tokens twice", i, c.From, list[i-1].Until, both)
			}
		}
		if h := chunk.Header(f, &list[i]); h != "" && !strings.HasSuffix(h, "\n") {
			t.Fatalf("header %q", h)
		}
	}
	for k, n := range covered {
		if n == 0 && !strings.ContainsRune(" \t\r\n\f\v", rune(src[k])) {
			t.Fatalf("byte %d (%q) is in no chunk", k, src[k])
		}
		if n > 2 {
			t.Fatalf("byte %d is in %d chunks", k, n)
		}
	}
	keys := chunk.PartKeys(list, chunk.Keys(f.Symbols))
	slices.Sort(keys)
	if len(slices.Compact(keys)) != len(list) {
		t.Fatalf("keys are not unique")
	}
	return list
}

// at returns the range of a part of a text.
func at(src, part string) syntax.Range {
	i := strings.Index(src, part)
	return syntax.Range{From: i, Until: i + len(part)}
}

func texts(src string, list []chunk.Chunk) (out []string) {
	for _, c := range list {
		out = append(out, src[c.From:c.Until])
	}
	return out
}

func TestSplit_class(t *testing.T) {
	t.Parallel()
	src := "import os\n\nclass A(B):\n    \"\"\"Doc of A.\"\"\"\n    x = 1\n\n    def f(self):\n        return 1\n\n    # about g\n    def g(self):\n        return 2\n\nif True:\n    main()\n"
	whole := src[strings.Index(src, "class"):strings.Index(src, "\n\nif")]
	f := &syntax.File{Symbols: []syntax.Symbol{
		{Name: "A", Qualified: "A", Kind: syntax.Class, Signature: "class A(B)", Range: at(src, whole), Parent: -1},
		{Name: "x", Qualified: "A.x", Kind: syntax.Field, Range: at(src, "x = 1"), Parent: 0},
		{Name: "f", Qualified: "A.f", Kind: syntax.Method, Range: at(src, "def f(self):\n        return 1"), Parent: 0},
		{Name: "g", Qualified: "A.g", Kind: syntax.Method, Range: at(src, "def g(self):\n        return 2"), Doc: at(src, "# about g"), Parent: 0},
	}}
	list := check(t, []byte(src), f)
	want := []string{
		"import os\n\nclass A(B):\n    \"\"\"Doc of A.\"\"\"\n    x = 1", "def f(self):\n        return 1", "# about g\n    def g(self):\n        return 2", "if True:\n    main()",
	}
	if got := texts(src, list); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if got := chunk.Header(f, &list[2]); got != "class A(B)\ng\n" {
		t.Errorf("header %q", got)
	}
}

// The words of a name stand before the text.
func TestHeader_name(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"path_stats": "path stats\n", "isHTMLPage": "is HTML Page\n", "HTTPServer": "HTTP Server\n", "__init__": "init\n", "utf8Len": "utf8 Len\n", "close": "close\n", "größeÄndern": "größe Ändern\n",
		"tk_strictMotif": "tk strict Motif\n", "_": "", "operator+=": "operator\n", "\xff\xfeab": "ab\n", "": "", strings.Repeat("ab", 1000): strings.Repeat("ab", 120) + "\n",
	} {
		f := &syntax.File{Symbols: []syntax.Symbol{{Name: name, Range: syntax.Range{Until: 1}, Parent: -1}}}
		if got := chunk.Header(f, &chunk.Chunk{Until: 1}); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestSplit_constants(t *testing.T) {
	t.Parallel()
	src := "package a\n\nconst (\n\tA = 1\n\tB = 2\n)\n\nfunc F() {}\n"
	f := &syntax.File{Package: "a", Symbols: []syntax.Symbol{
		{Name: "A", Qualified: "A", Kind: syntax.Constant, Range: at(src, "A = 1"), Parent: -1},
		{Name: "B", Qualified: "B", Kind: syntax.Constant, Range: at(src, "B = 2"), Parent: -1},
		{Name: "F", Qualified: "F", Kind: syntax.Function, Range: at(src, "func F() {}"), Parent: -1},
	}}
	want := []string{"package a\n\nconst (\n\tA = 1\n\tB = 2\n)", "func F() {}"}
	if got := texts(src, check(t, []byte(src), f)); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// A method of Go belongs to a type that does not contain it.
func TestSplit_method(t *testing.T) {
	t.Parallel()
	src := "type T struct{}\n\nfunc (T) F() {}\n"
	f := &syntax.File{Symbols: []syntax.Symbol{
		{Name: "T", Qualified: "T", Kind: syntax.Struct, Signature: "type T struct", Range: at(src, "type T struct{}"), Parent: -1},
		{Name: "F", Qualified: "T.F", Kind: syntax.Method, Range: at(src, "func (T) F() {}"), Parent: 0},
	}}
	list := check(t, []byte(src), f)
	if len(list) != 2 || list[1].Symbol != 1 || chunk.Header(f, &list[1]) != "type T struct\nF\n" {
		t.Errorf("got %+v", list)
	}
}

func TestSplit_long(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "\tcall(%d)\n", i)
	}
	src := "func F() {\n" + b.String() + "}\n"
	f := &syntax.File{Symbols: []syntax.Symbol{{Name: "F", Qualified: "F", Kind: syntax.Function, Signature: "func F()", Range: at(src, strings.TrimSpace(src)), Parent: -1}}}
	list := check(t, []byte(src), f)
	if len(list) < 4 {
		t.Fatalf("%d chunks", len(list))
	}
	for i, c := range list {
		if c.Part != i || c.Symbol != 0 {
			t.Errorf("chunk %d: part %d of symbol %d", i, c.Part, c.Symbol)
		}
		if i > 0 && c.From >= list[i-1].Until {
			t.Errorf("chunk %d does not overlap", i)
		}
	}
	if h := chunk.Header(f, &list[1]); h != "func F()\nF\n" {
		t.Errorf("header %q", h)
	}
	check(t, []byte(strings.Repeat("x", 20_000)), &syntax.File{})
	check(t, []byte(strings.Repeat("é(", 9_000)), &syntax.File{})
}

// A window is never only the overlap with the one before.
func TestSplit_overlap(t *testing.T) {
	t.Parallel()
	src := strings.Repeat(strings.Repeat("a b c\n", 12)+strings.Repeat("x ", chunk.MaxTokens-10)+"\n", 3)
	list := check(t, []byte(src), &syntax.File{})
	if len(list) != 6 {
		t.Errorf("%d windows", len(list))
	}
	for i := 1; i < len(list); i++ {
		if list[i].Until <= list[i-1].Until {
			t.Errorf("window %d adds nothing: %+v after %+v", i, list[i], list[i-1])
		}
	}
}

// The cost of a line is linear: with ten times the bytes ns/op is ten times as much.
func BenchmarkSplit_line(b *testing.B) {
	for _, size := range []int{100_000, 1_000_000} {
		src := []byte(strings.Repeat("x,", size/2))
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for b.Loop() {
				chunk.Split(src, &syntax.File{})
			}
		})
	}
}

func TestSplit_random(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SampledFrom([]string{"a", "word", "longeridentifier", "\n", "\n\n", " ", "\t", "{", "}", "(", "é", "\xff"})
		src := []byte(strings.Join(rapid.SliceOfN(words, 0, 300).Draw(t, "text"), ""))
		if rapid.Bool().Draw(t, "long") {
			src = bytes.Repeat(src, 12)
		}
		check(t, src, randomFile(rapid.SliceOfN(rapid.IntRange(-5, len(src)+5), 0, 60).Draw(t, "ranges"), src))
	})
}

// randomFile makes a file of numbers: ranges of symbols that may be wrong in any way.
func randomFile(numbers []int, src []byte) *syntax.File {
	kinds := []syntax.Kind{syntax.Class, syntax.Function, syntax.Constant, syntax.Interface, syntax.Section, syntax.Struct, syntax.Module}
	f := &syntax.File{}
	for i := 0; i+4 < len(numbers); i += 5 {
		f.Symbols = append(f.Symbols, syntax.Symbol{
			Name: "n", Qualified: "q", Signature: "n()", Kind: kinds[abs(numbers[i])%len(kinds)], Parent: abs(numbers[i+1])%(i+2) - 1,
			Range: syntax.Range{From: numbers[i+2], Until: numbers[i+3]}, Doc: syntax.Range{From: numbers[i+4], Until: numbers[i+2]},
		})
	}
	for i := range f.Symbols {
		f.Symbols[i].Parent = min(f.Symbols[i].Parent, len(f.Symbols)-1)
	}
	_ = src
	return f
}

func abs(n int) int { return max(n, -n) }

func FuzzSplit(f *testing.F) {
	f.Add([]byte("func F() {\n}\n"), []byte{1, 0, 0, 12, 0})
	f.Add([]byte("class A:\n  def f(): pass\n"), []byte{0, 0, 0, 25, 0, 1, 1, 11, 25, 0})
	f.Fuzz(func(t *testing.T, src, numbers []byte) {
		list := make([]int, len(numbers))
		for i, n := range numbers {
			list[i] = int(n) - 5
		}
		check(t, src, randomFile(list, src))
	})
}

func TestKeys(t *testing.T) {
	t.Parallel()
	got := chunk.Keys([]syntax.Symbol{{Qualified: "init"}, {Qualified: "A.f"}, {Qualified: "init"}, {Name: "x"}})
	if want := []string{"init", "A.f", "init~2", "x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
