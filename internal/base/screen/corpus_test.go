package screen_test

import (
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/base/screen"
	"github.com/hippo-memory/hippo/internal/base/screen/screentest"
)

// Every secret is found, and no finding shows it.
func TestSecrets_Corpus(t *testing.T) {
	t.Parallel()
	missed := map[bool]int{}
	cases := screentest.Secrets()
	if len(cases) != 360 {
		t.Fatalf("%d cases, want 360", len(cases))
	}
	for _, c := range cases {
		found := screen.Secrets(c.Text)
		if len(found) == 0 {
			missed[c.Held]++
			t.Errorf("held back %v: nothing found in %q", c.Held, c.Text)
		}
		for _, f := range found {
			if f.Start < 0 || f.Start >= f.End || f.End > len(c.Text) || len(c.Hidden) > 4 && strings.Contains(f.Excerpt, c.Hidden[:5]) {
				t.Errorf("%q: got %+v", c.Text, f)
			}
		}
	}
	t.Logf("missed: %d of 150 tuned, %d of 210 held back", missed[false], missed[true])
}

// What only looks like a secret is left alone: at most 2 of 100 are taken for one.
func TestSecrets_Harmless(t *testing.T) {
	t.Parallel()
	wrong := map[bool]int{}
	cases := screentest.Harmless()
	if len(cases) != 360 {
		t.Fatalf("%d cases, want 360", len(cases))
	}
	for _, c := range cases {
		if found := screen.Secrets(c.Text); len(found) > 0 {
			wrong[c.Held]++
			t.Logf("held back %v: %q has %+v", c.Held, c.Text, found)
		}
	}
	t.Logf("taken for secrets: %d of 150 tuned, %d of 210 held back", wrong[false], wrong[true])
	if wrong[false]+wrong[true] > 6 {
		t.Errorf("%d of 360 are taken for secrets, want at most 6", wrong[false]+wrong[true])
	}
}

// Of the injections, those that steer a model are flagged.
func TestInstructions_Corpus(t *testing.T) {
	t.Parallel()
	list := screentest.Injections()
	if len(list) != 100 {
		t.Fatalf("%d injections, want 100", len(list))
	}
	missed := map[bool]int{}
	for _, x := range list {
		if x.Flagged && screen.Instructions(x.Text) == nil {
			missed[x.Held]++
			t.Errorf("held back %v: no flag for %q", x.Held, x.Text)
		}
	}
	t.Logf("without a flag of 25 each: %d tuned, %d held back", missed[false], missed[true])
}
