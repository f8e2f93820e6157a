package symbols_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/code/codeindex/grammar"
	"github.com/hippo-memory/hippo/internal/code/codeindex/symbols"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// shared is one parser for all tests: a grammar takes a second to compile.
var shared = sync.OnceValue(func() *symbols.Parser { return symbols.New("", grammar.Limits{Time: time.Minute}) })

func parse(t testing.TB, language, source string) syntax.File {
	t.Helper()
	f, err := shared().Parse(t.Context(), language, []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	check(t, source, f)
	return f
}

// check asks what holds for every file: ranges lie in the source and name what they say, parents are there.
func check(t testing.TB, source string, f syntax.File) {
	t.Helper()
	inside := func(r syntax.Range) bool {
		return r == syntax.Range{} || 0 <= r.From && r.From <= r.Until && r.Until <= len(source) &&
			r.First == 1+strings.Count(source[:r.From], "\n") && r.First <= r.Last &&
			r.Last == r.First+strings.Count(source[r.From:max(r.From, r.Until-1)], "\n")
	}
	for i, s := range f.Symbols {
		if !inside(s.Range) || !inside(s.NameAt) || !inside(s.Doc) || s.Parent < -1 || s.Parent >= len(f.Symbols) || s.Parent == i {
			t.Fatalf("symbol %d of %d: %+v", i, len(f.Symbols), s)
		}
		if strings.Contains(s.Signature, "\n") || s.Name == "" || !strings.HasSuffix(s.Qualified, s.Name) {
			t.Fatalf("symbol %d: %+v", i, s)
		}
		if s.Range.From > s.NameAt.From || s.Range.Until < s.NameAt.Until {
			t.Fatalf("symbol %d does not hold its name: %+v", i, s)
		}
	}
	for _, r := range f.References {
		if !inside(r.At) || r.Name != source[r.At.From:r.At.Until] || r.In < -1 || r.In >= len(f.Symbols) {
			t.Fatalf("reference %+v", r)
		}
	}
	for _, i := range f.Imports {
		if !inside(i.At) {
			t.Fatalf("import %+v", i)
		}
	}
}

// outline writes a file as the tables of these tests have it.
func outline(source string, f syntax.File) string {
	var b strings.Builder
	if f.Package != "" {
		fmt.Fprintf(&b, "package %s\n", f.Package)
	}
	for _, i := range f.Imports {
		fmt.Fprintf(&b, "import %s|%s|%s\n", i.Path, i.Name, i.Alias)
	}
	for _, s := range f.Symbols {
		fmt.Fprintf(&b, "%s %s %d-%d", s.Kind, s.Qualified, s.Range.First, s.Range.Last)
		if s.Parent >= 0 {
			fmt.Fprintf(&b, " in %s", f.Symbols[s.Parent].Qualified)
		}
		fmt.Fprintf(&b, ": %s", s.Signature)
		if s.Doc.Until > 0 {
			fmt.Fprintf(&b, " // %q", source[s.Doc.From:s.Doc.Until])
		}
		b.WriteByte('\n')
	}
	for _, r := range f.References {
		in := ""
		if r.In >= 0 {
			in = f.Symbols[r.In].Qualified
		}
		fmt.Fprintf(&b, "%s %s|%s in %s\n", r.Use, r.Qualifier, r.Name, in)
	}
	return b.String()
}

func compare(t *testing.T, language, source, want string) {
	t.Helper()
	f := parse(t, language, source)
	if f.Errors > 0 || f.Partial {
		t.Errorf("%d errors, partial %t", f.Errors, f.Partial)
	}
	if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(outline(source, f))); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

func TestLimits(t *testing.T) {
	p := symbols.New("", grammar.Limits{Source: 40})
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	f, err := p.Parse(t.Context(), "go", []byte("package a\n\nfunc F() {}\n\nfunc G() {}\n\nfunc H() {}\n"))
	if err != nil || !f.Partial || len(f.Symbols) < 2 {
		t.Errorf("%+v, %v: want what lies before the limit, and Partial", f, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Parse(ctx, "go", []byte("package a\n"+strings.Repeat("var x = 1 + 2*3\n", 20000))); err == nil {
		t.Error("a context that ended gives no error")
	}
	if f, err := p.Parse(t.Context(), "cobol", []byte("x")); err != nil || len(f.Symbols) > 0 {
		t.Errorf("a language that nobody knows: %+v, %v", f, err)
	}
}

// hostile are sources that no language accepts or that are hard on a parser.
func hostile() map[string]string {
	return map[string]string{
		"empty": "", "space": " \n\t\r\n", "NUL": "\x00\x00a\x00\n", "not UTF-8": "\xff\xfe\x80 func \xc3( x",
		"byte order mark": "\ufefffunc main", "brackets": strings.Repeat("(", 50000), "braces": strings.Repeat("{", 20000),
		"nested": strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "quotes": strings.Repeat(`"'`, 10000) + "`",
		"operators": strings.Repeat("<*", 20000), "one name": strings.Repeat("a", 300000), "control": "\x1b[31m\x07\b\r",
		"comment": "/* " + strings.Repeat("*", 10000), "lines": strings.Repeat("\r", 10000), "if": strings.Repeat("if x {", 3000),
	}
}

func TestHostile(t *testing.T) {
	for _, language := range []string{
		"bash", "c", "cpp", "csharp", "go", "java", "javascript", "php", "python", "ruby", "rust", "tsx", "typescript",
	} {
		for name, source := range hostile() {
			t.Run(language+" "+name, func(t *testing.T) {
				t.Parallel()
				parse(t, language, source)
			})
		}
	}
}

func TestConcurrent(t *testing.T) {
	source := "package a\n\n// F does.\nfunc F(x int) int { return G(x) }\n" + strings.Repeat("var _ = F(1)\n", 200)
	want := outline(source, parse(t, "go", source))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				f, err := shared().Parse(t.Context(), "go", []byte(source))
				if err != nil || outline(source, f) != want {
					t.Errorf("another answer, or %v", err)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzGo(f *testing.F) {
	for _, s := range hostile() {
		if len(s) < 1000 {
			f.Add(s)
		}
	}
	f.Add("package a\n\ntype T[K any] struct{ A int }\n\nfunc (t *T[K]) M(x int) { x++; t.A = f(x) }\n")
	f.Fuzz(func(t *testing.T, source string) { parse(t, "go", source) })
}
