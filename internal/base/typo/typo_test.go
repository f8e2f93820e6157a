package typo_test

import (
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/base/typo"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "model", 5},
		{"model", "model", 0},
		{"mdoel", "model", 1},
		{"mdl", "model", 2},
		{"models", "model", 1},
		{"store", "model", 4},
		{strings.Repeat("x", 80) + "a", strings.Repeat("x", 80) + "b", 0},
	} {
		if got, back := typo.Distance(x.a, x.b, 9), typo.Distance(x.b, x.a, 9); got != x.want || back != x.want {
			t.Errorf("%q and %q: got %d and %d, want %d", x.a, x.b, got, back, x.want)
		}
		if got := typo.Distance(x.a, x.b, 1); got <= 1 != (x.want <= 1) {
			t.Errorf("%q and %q: got %d with a bound of 1, want %d", x.a, x.b, got, x.want)
		}
	}
}
