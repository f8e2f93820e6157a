package when_test

import (
	"testing"

	"github.com/hippo-memory/hippo/internal/lang/when"
)

// checkFound finds each "phrase: span" in a question.
func checkFound(t *testing.T, table map[string]string) {
	t.Helper()
	for query, want := range table {
		got := "nothing"
		if f, ok := when.Find(query, friday()); ok {
			got = query[f.Start:f.End] + ": " + show(f.Span)
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", query, got, want)
		}
	}
}

// checkNothing finds no time in any of the questions.
func checkNothing(t *testing.T, queries ...string) {
	t.Helper()
	for _, query := range queries {
		if f, ok := when.Find(query, friday()); ok {
			t.Errorf("%q: found %q, %s", query, query[f.Start:f.End], show(f.Span))
		}
	}
}
