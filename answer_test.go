package hippo_test

import (
	"slices"
	"testing"

	"github.com/hippo-memory/hippo"
)

// The IDs of an answer are those of its hits, one for each: what is named beside a hit was not found.
func TestAnswer_IDs(t *testing.T) {
	t.Parallel()
	first, second, next, copied := hippo.ID{1}, hippo.ID{2}, hippo.ID{3}, hippo.ID{4}
	a := hippo.Answer{Hits: []hippo.Hit{
		{Memory: &hippo.Memory{ID: first, SupersededBy: next}, Same: hippo.Same{Count: 1, IDs: []hippo.ID{copied}}},
		{Memory: &hippo.Memory{ID: second}},
	}}
	if got := a.IDs(); !slices.Equal(got, []hippo.ID{first, second}) {
		t.Errorf("hits %v", got)
	}
	if got := a.Named(); !slices.Equal(got, []hippo.ID{first, next, copied, second}) {
		t.Errorf("named %v", got)
	}
}
