package recall_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
)

// Pages beyond what is kept of a search, and beyond what is reranked, follow each other as
// they do on one large page.
func TestPages_OfManyHits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		session func(n int) string
		content func(n int) string
		within  *hippo.Range
	}{
		"alone":      {func(int) string { return "" }, func(n int) string { return fmt.Sprint("car number", n, strings.Repeat(" filler", n%9)) }, nil},
		"neighbours": {func(n int) string { return fmt.Sprint("s", n/10) }, func(n int) string { return fmt.Sprint([]string{"car", "lunch"}[n%2], strings.Repeat(" filler", n%7)) }, nil},
		"in_range": {func(n int) string { return fmt.Sprint("s", n/10) }, func(n int) string {
			return fmt.Sprint([]string{"car", "car", "lunch"}[n%3], strings.Repeat(" filler", n%7))
		}, &hippo.Range{Min: .3, Max: .9}},
		"long": {func(n int) string { return fmt.Sprint("s", n/3) }, func(n int) string {
			return fmt.Sprint("car", strings.Repeat(" filler", 60+n%90), strings.Repeat(" fuel", n%2))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openReranking(t)
			var list []*hippo.Memory
			for n := range 900 {
				list = append(list, turn(n+1, c.session(n), c.content(n)))
			}
			f.put(list...)
			q := hippo.Query{Text: "car fuel", Relevance: c.within}
			want, got := f.allPages(t, q, 1000), f.allPages(t, q, 10)
			for i := range want {
				if i >= len(got) || want[i].Memory.ID != got[i].Memory.ID {
					t.Fatalf("hit %d of %d differs: in pages of 10 it is another, or of other relevance than %v", i, len(want), want[i].Relevance)
				}
			}
		})
	}
}
