package termtext_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/base/termtext"
)

func TestWidth(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "abc": 3, "äöü": 3, "日本": 4, "e\u0301": 1, "…│": 2} {
		if got := termtext.Width(text); got != want {
			t.Errorf("Width(%q): got %d, want %d", text, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"日本語", 6, "日本語"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"", 1, ""}} {
		if got := termtext.Clip(tc.text, tc.n); got != tc.want {
			t.Errorf("Clip(%q, %d): got %q, want %q", tc.text, tc.n, got, tc.want)
		}
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		n    int
		want []string
	}{
		{"", 5, []string{""}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one\n\n  two three", 7, []string{"one", "", "  two", "three"}},
		{"see https://example.org/x ok", 8, []string{"see", "https://example.org/x", "ok"}},
		{"日本語のテキスト", 6, []string{"日本語", "のテキ", "スト"}},
	} {
		if got := termtext.Wrap(tc.text, tc.n); !slices.Equal(got, tc.want) {
			t.Errorf("Wrap(%q, %d): got %q, want %q", tc.text, tc.n, got, tc.want)
		}
	}
}

// No word is lost, and only a single long word is wider than the limit.
func TestWrap_Property(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-z]{1,12}[ \n]{0,3}){0,20}`).Draw(t, "text")
		n := rapid.IntRange(4, 30).Draw(t, "n")
		lines := termtext.Wrap(text, n)
		if got := strings.Join(lines, " "); !slices.Equal(strings.Fields(got), strings.Fields(text)) {
			t.Fatalf("words changed: %q", lines)
		}
		for _, l := range lines {
			if termtext.Width(l) > n && len(strings.Fields(l)) > 1 {
				t.Fatalf("line %q is wider than %d", l, n)
			}
		}
	})
}
