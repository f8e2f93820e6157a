package engine_test

import (
	"go/ast"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/hippo-memory/hippo/internal/engine"
)

// Each verb has one name: a call gives the name under which the table has the function, and the table has what is known of it.
func TestVerbs_HaveOneName(t *testing.T) {
	t.Parallel()
	carried, called := make(map[string]string), make(map[string]string) // by function, its names
	for _, f := range functions(t) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.KeyValueExpr: // "search": VerbOf(search)
				if c, ok := x.Value.(*ast.CallExpr); ok && identifier(c.Fun) == "VerbOf" {
					carried[identifier(c.Args[0])] = literalIn(t, x.Key)
				}
			case *ast.CallExpr: // Perform(ctx, m, in, "search", search)
				if identifier(x.Fun) == "Perform" {
					called[identifier(x.Args[4])] = literalIn(t, x.Args[3])
				}
			}
			return true
		})
	}
	if len(called) < 60 || !maps.Equal(called, carried) {
		t.Errorf("verbs are called as %v, and carried out as %v", called, carried)
	}
	if got, want := slices.Sorted(maps.Values(carried)), engine.SpecNames(); !slices.Equal(got, want) {
		t.Errorf("the table has %v, and specs are of %v", got, want)
	}
}

// literalIn is the text of a literal.
func literalIn(t *testing.T, e ast.Expr) string {
	t.Helper()
	lit, ok := e.(*ast.BasicLit)
	if !ok {
		t.Errorf("a name is no literal: %v", e)
		return ""
	}
	text, err := strconv.Unquote(lit.Value)
	if err != nil {
		t.Error(err)
	}
	return text
}
