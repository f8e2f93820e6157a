package lexicon_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/lang/lexicon"
)

func TestParse(t *testing.T) {
	t.Parallel()
	lists := lexicon.Parse("# a comment\nmonth: january/jan february\n\n# another\n\tmarch\nunit km 1e3: km\nempty:\n")
	want := lexicon.Lists{"month": {{"january", "jan"}, {"february"}, {"march"}}, "unit km 1e3": {{"km"}}}
	if diff := cmp.Diff(want, lists); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"january": 1, "jan": 1, "february": 2, "march": 3}, lists.Positions("month")); diff != "" {
		t.Error(diff)
	}
	if n := len(lists.Positions("none")); n != 0 {
		t.Errorf("a list that does not exist has %d words", n)
	}
}
