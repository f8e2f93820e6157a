package o200k_test

import (
	"testing"

	"github.com/hippo-memory/hippo/lab/o200k"
)

// TestCount compares with counts of openai/tiktoken 0.9.
func TestCount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":                             0,
		"hello world":                  2,
		"tiktoken is great!":           6,
		"antidisestablishmentarianism": 6,
		"2 + 2 = 4":                    7,
		"お誕生日おめでとう":                    8,
		"<|endoftext|>":                7,
	} {
		if got, err := o200k.Count(text); err != nil || got != want {
			t.Errorf("%q has %d tokens, %v, want %d", text, got, err, want)
		}
	}
}
