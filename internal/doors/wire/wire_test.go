package wire

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// Every code of the domain has a row in the table, and only failures have a hint.
func TestFailures_Total(t *testing.T) {
	t.Parallel()
	table := failures()
	codes := domainCodes(t)
	if len(codes) != len(table) {
		t.Errorf("%d codes, %d rows", len(codes), len(table))
	}
	for _, c := range codes {
		f, ok := table[c]
		if !ok {
			t.Errorf("%s has no row", c)
		}
		if c == hippo.CodeOK && f != (Failure{}) || c != hippo.CodeOK && (f.Exit == ExitOK || f.Status < 400) {
			t.Errorf("%s: %+v", c, f)
		}
	}
	if FailureOf("a code of tomorrow") != table[hippo.CodeInternal] {
		t.Error("a code that is not known must be reported as internal")
	}
}

// domainCodes reads the codes from the source of the domain.
func domainCodes(t *testing.T) []hippo.Code {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../../errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var codes []hippo.Code
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Code" {
			for _, v := range spec.Values {
				literal, ok := v.(*ast.BasicLit)
				if !ok {
					t.Fatalf("a code is no literal: %v", v)
				}
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				codes = append(codes, hippo.Code(text))
			}
		}
		return true
	})
	if len(codes) < 10 {
		t.Fatalf("only %d codes read", len(codes))
	}
	return codes
}

func TestClip(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		n    int
		want string
	}{
		{"", 1, ""},
		{" a \n\t b ", 3, "a b"},
		{"four", 4, "four"},
		{"fives", 4, "fiv…"},
		{"äöüß€", 4, "äöü…"},
		{"xy", 1, "…"},
	} {
		if got := Clip(tc.text, tc.n); got != tc.want {
			t.Errorf("Clip(%q, %d): got %q, want %q", tc.text, tc.n, got, tc.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "text"), rapid.IntRange(1, 50).Draw(t, "n")
		if got := Clip(s, n); utf8.RuneCountInString(got) > n || Clip(got, n) != got {
			t.Fatalf("Clip(%q, %d) is %q", s, n, got)
		}
	})
}

func TestAnswer_ConfidenceIsShort(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]float64{0: 0, .98942: .99, .0342: .03, .00419: .0042} {
		v := View{Importance: func(*hippo.Memory, hippo.Day) float64 { return 0 }}
		got, err := v.Answer(&hippo.Answer{Judgement: hippo.Judgement{Confidence: x}})
		if err != nil || got.Confidence != want {
			t.Errorf("%v: got %v (%v), want %v", x, got, err, want)
		}
	}
}

func TestModel_Text(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model api.ModelStatus
		want  string
	}{
		{api.ModelStatus{ID: "instant@1", Embedded: 5, Memories: 5, Instant: true, Serving: true}, "instant@1, serving"},
		{api.ModelStatus{ID: "slow@1", Embedded: 5, Memories: 5}, "slow@1, 5 of 5 embedded"},
		{
			api.ModelStatus{ID: "slow@1", Embedded: 5, Memories: 500, Progress: api.Progress{Rate: 41.26, Remaining: 11990 * time.Millisecond}},
			"slow@1, 5 of 500 embedded at 41.3 a second, about 12s left",
		},
		{
			api.ModelStatus{ID: "slow@1", Memories: 500, Progress: api.Progress{Paused: "the machine runs on its battery"}, Err: hippo.ErrUnavailable},
			"slow@1, 0 of 500 embedded, paused: the machine runs on its battery: unavailable",
		},
	} {
		got := StatusOf(&api.Status{Models: []api.ModelStatus{c.model}}).Models[0]
		if text := got.Text(); text != c.want {
			t.Errorf("%q, want %q", text, c.want)
		}
	}
}
