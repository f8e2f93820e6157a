package passage_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/retrieval/passage"
)

// The passages of any text cover it from its beginning to its end, each begins in the one before or right behind it, and none is empty.
func TestSplit_Covers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-zäß語(){};=]{0,90}`), 0, 300).Draw(t, "words"), " ")
		spans := passage.Split(text)
		if spans[0].From != 0 || spans[len(spans)-1].To != len(text) {
			t.Fatalf("%v of %d bytes", spans, len(text))
		}
		for i, s := range spans {
			if i > 0 && (s.From <= spans[i-1].From || s.From > spans[i-1].To || s.To <= spans[i-1].To) || s.From >= s.To && text != "" {
				t.Fatalf("%d: %v", i, spans)
			}
		}
	})
}

// Source code keeps passages in which a function fits; prose is cut into less, because a vector of many sentences is near to none of them.
func TestSplit_Sizes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		want int
	}{
		"a note of 90 words":      {strings.Repeat("tide ", 90), 1},
		"a note of 110 words":     {strings.Repeat("tide ", 110), 2},
		"a note of 500 words":     {strings.Repeat("tide ", 500), 11},
		"a function of 110 words": {strings.Repeat("x = f(y); ", 37), 1},
		"a function of 300 words": {strings.Repeat("x = f(y); ", 100), 3},
		"a manual page":           {strings.Repeat("the tide turns at <n> and the ebb follows it ", 30), 7},
	} {
		if got := len(passage.Split(tc.text)); got != tc.want {
			t.Errorf("%s: %d passages, want %d", name, got, tc.want)
		}
	}
}
