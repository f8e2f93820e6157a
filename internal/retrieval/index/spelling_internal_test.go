package index

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"priya", "priya", 0},
		{"pryia", "priya", 1},
		{"prya", "priya", 1},
		{"priyya", "priya", 1},
		{"prija", "priya", 1},
		{"pirya", "priya", 1},
		{"lissabon", "lisbon", 2},
		{"größe", "grösse", 2},
		{"", "ab", 2},
		{"redis", "kafka", 5},
		{"ca", "abc", 3}, // the swapped letters may not be edited again
	} {
		if got := newSpeller([]byte(c.a), 2).distance([]byte(c.b)); got != c.want {
			t.Errorf("%q and %q are %d apart, want %d", c.a, c.b, got, c.want)
		}
		if got := newSpeller([]byte(c.b), 2).distance([]byte(c.a)); got != c.want {
			t.Errorf("%q and %q are %d apart, want %d", c.b, c.a, got, c.want)
		}
	}
}

// The bit-parallel distance is that of the definition, and the quick test rules out no term within
// the limit.
func TestDistance_is_that_of_the_recurrence(t *testing.T) {
	t.Parallel()
	words := rapid.Custom(func(t *rapid.T) string {
		return rapid.StringOfN(rapid.RuneFrom([]rune("abcäß語\U0001F642")), 0, -1, 64).Draw(t, "word")
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := words.Draw(t, "a"), words.Draw(t, "b")
		want := recurrence([]rune(a), []rune(b))
		s := newSpeller([]byte(a), rapid.IntRange(1, 2).Draw(t, "limit"))
		if got := s.distance([]byte(b)); got != want {
			t.Errorf("%q and %q are %d apart, want %d", a, b, got, want)
		}
		if want <= s.limit && !s.possible(signatureOf([]byte(b))) {
			t.Errorf("%q is ruled out for %q", b, a)
		}
	})
}

// A term of the greatest length has all its places in one word of the machine.
func TestDistance_of_the_longest_terms(t *testing.T) {
	t.Parallel()
	long := make([]byte, 64)
	for i := range long {
		long[i] = 'a' + byte(i%26)
	}
	other := append([]byte{}, long...)
	other[63], other[0] = '1', '2'
	if got := newSpeller(long, 2).distance(other); got != 2 || utf8.RuneCount(long) != 64 {
		t.Errorf("they are %d apart, want 2", got)
	}
}

// recurrence is the optimal string alignment distance by its recurrence.
func recurrence(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
