package lexicon_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/lexicon"
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

func TestParse_Endings(t *testing.T) {
	t.Parallel()
	got := lexicon.Parse("last: letzte(nrs)/vorige(n) pasado(s)\nlast: dernier\n")
	want := lexicon.Lists{"last": {{"letzte", "vorige", "letzten", "letzter", "letztes", "vorigen"}, {"pasado", "pasados"}, {"dernier"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPieces(t *testing.T) {
	t.Parallel()
	for phrase, want := range map[string][]string{
		"vor_drei_TAGEN": {"vor", "drei", "TAGEN"},
		"三天前":            {"三", "天", "前"},
		"YEAR年MONTH的3日":  {"YEAR", "年", "MONTH", "的", "3", "日"},
		"もう_x":           {"も", "う", "x"},
		"été":            {"été"},
	} {
		if diff := cmp.Diff(want, lexicon.Pieces(phrase)); diff != "" {
			t.Errorf("%s: %s", phrase, diff)
		}
	}
}

// No list is empty, and no word.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for _, l := range lexicon.Languages() {
		for name, list := range l.Lists {
			if name == "" || len(list) == 0 {
				t.Errorf("%s: list %q has no name or no words", l.Name, name)
			}
			for _, element := range list {
				for _, word := range element {
					if word == "" || len(lexicon.Pieces(word)) == 0 {
						t.Errorf("%s: list %q has the word %q", l.Name, name, word)
					}
				}
			}
		}
	}
}
