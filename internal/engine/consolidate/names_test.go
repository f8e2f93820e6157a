package consolidate

import "testing"

func TestRenamed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"Ana lives in Oslo", "Ben lives in Oslo", true},
		{"After the wedding Ana settled in Oslo.", "After the wedding Ben settled in Rome.", true},
		{"the cache of Redis is cold", "the cache of Postgres is cold", true},
		{"Ünal lives in Oslo", "Öz lives in Oslo", true},
		{"the cache of Redis is cold", "the cache of redis is cold again", false},
		{"the cache of Redis is cold", "the cache is cold", false},
		{"Fails on ARM when it is cold", "Breaks if ARM is cold", false},
		{"It is cold. Use tea.", "It is cold. Prefer tea.", false},
		{"It is cold:\nUse tea", "It is cold:\nPrefer tea", false},
		{"plan A is cold", "plan B is cold", false},
		{"Ana", "Ben", false},
		{"", "", false},
	} {
		if got := renamed(tc.a, tc.b); got != tc.want || renamed(tc.b, tc.a) != got {
			t.Errorf("%q and %q: %v, want %v both ways", tc.a, tc.b, got, tc.want)
		}
	}
}
