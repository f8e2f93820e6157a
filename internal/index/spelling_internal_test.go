package index

import "testing"

func TestEditDistanceWithin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b  string
		limit int
		want  bool
	}{
		{"priya", "priya", 0, true},
		{"pryia", "priya", 1, true},
		{"prya", "priya", 1, true},
		{"priyya", "priya", 1, true},
		{"prija", "priya", 1, true},
		{"pirya", "priya", 1, true},
		{"ayirp", "priya", 2, false},
		{"lissabon", "lisbon", 2, true},
		{"lissabon", "lisbon", 1, false},
		{"größe", "grösse", 2, true},
		{"", "ab", 2, true},
		{"", "abc", 2, false},
		{"redis", "kafka", 2, false},
	} {
		if got := editDistanceWithin([]rune(c.a), []rune(c.b), c.limit); got != c.want {
			t.Errorf("%q and %q within %d: %v", c.a, c.b, c.limit, got)
		}
		if got := editDistanceWithin([]rune(c.b), []rune(c.a), c.limit); got != c.want {
			t.Errorf("%q and %q within %d: %v", c.b, c.a, c.limit, got)
		}
	}
}
