package label_test

import (
	"slices"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/label"
)

func TestOf(t *testing.T) {
	t.Parallel()
	byTexts := func(x *label.Term) float64 { return float64(x.Texts) }
	shared := func(x *label.Term) float64 { return float64(x.Texts - 1) }
	for name, c := range map[string]struct {
		texts  []string
		n      int
		weight func(*label.Term) float64
		want   []string
	}{
		"by weight, then the alphabet": {[]string{"zebra apple", "zebra", "apple zebra"}, 5, byTexts, []string{"zebra", "apple"}},
		"equal weights":                {[]string{"zebra apple"}, 5, byTexts, []string{"apple", "zebra"}},
		"at most n":                    {[]string{"zebra apple"}, 1, byTexts, []string{"apple"}},
		"no weight":                    {[]string{"zebra apple", "zebra"}, 5, shared, []string{"zebra"}},
		"a text counts once":           {[]string{"apple apple apple", "zebra", "zebra"}, 1, byTexts, []string{"zebra"}},
		"the most frequent form":       {[]string{"Invoice sent", "invoices", "INVOICES"}, 1, byTexts, []string{"invoices"}},
		"what names nothing":           {[]string{"the and 2026 a1 of x"}, 5, byTexts, nil},
		"no text":                      {nil, 5, byTexts, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := label.Of(bm25.Words(), c.texts, c.n, c.weight); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
