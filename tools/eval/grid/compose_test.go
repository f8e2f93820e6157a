package grid

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/eval"
)

func mustRead(t *testing.T) *Library {
	t.Helper()
	l, err := Read("")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestComposed: a store has the size of its cell and no memory twice, it holds what answers its questions, and every cell with the same
// store asks the same questions.
func TestComposed(t *testing.T) {
	t.Parallel()
	l := mustRead(t)
	s := l.Sets[0]
	for _, c := range append(Design(s.Name, 300), Cell{s.Name, 3000, "chat", baseForm, stateAll}) {
		stores := l.composed(s, c, 100)
		if len(stores.Groups) == 0 { // no data for it
			if !strings.HasPrefix(c.Filler, foreignKind) && c.Filler != "code" && c.Filler != "long" {
				t.Errorf("%v has no stores", c)
			}
			continue
		}
		if len(stores.Questions) != len(s.Questions) {
			t.Errorf("%v asks %d questions, want %d", c, len(stores.Questions), len(s.Questions))
		}
		names := make(map[string]map[string]bool)
		for _, g := range stores.Groups {
			names[g.Name] = make(map[string]bool)
			ids := make(map[hippo.ID]bool)
			for _, m := range g.Docs {
				names[g.Name][eval.Name(m)], ids[m.ID] = true, true
			}
			if len(g.Docs) != c.Size || len(ids) != c.Size {
				t.Errorf("%v: a store of %d memories, %d of them different, want %d", c, len(g.Docs), len(ids), c.Size)
			}
		}
		for _, q := range stores.Questions {
			for name := range q.Relevant {
				if !names[q.Group][name] {
					t.Errorf("%v: question %s is asked of a store without %s", c, q.ID, name)
				}
			}
		}
	}
}

// TestDesign: each level of each factor is met by a set, and no cell twice.
func TestDesign(t *testing.T) {
	t.Parallel()
	cells := Design("x", 30000)
	seen := make(map[Cell]bool)
	var levels []string
	for _, c := range cells {
		if seen[c] {
			t.Errorf("%v is there twice", c)
		}
		seen[c] = true
		levels = append(levels, strings.Fields(c.String())...)
	}
	want := []string{"12", "66", "300", "3000", "30000", stateAll, stateHalf, stateFirst}
	for _, f := range fillers() {
		want = append(want, f.name)
	}
	for _, f := range forms() {
		want = append(want, f.name)
	}
	for _, level := range want {
		if !slices.Contains(levels, level) {
			t.Errorf("no cell has %s", level)
		}
	}
}

// TestForms: each form keeps the question, or its letters, and is the same again.
func TestForms(t *testing.T) {
	t.Parallel()
	const q = "who explains the missing numbers"
	sorted := func(s string) string {
		letters := []rune(strings.ToLower(s))
		slices.Sort(letters)
		return string(letters)
	}
	for _, f := range forms() {
		got := f.of(q, rand.New(rand.NewPCG(1, 2)))
		if again := f.of(q, rand.New(rand.NewPCG(1, 2))); got != again {
			t.Errorf("%s: %q, then %q", f.name, got, again)
		}
		switch {
		case f.name == "typos":
			if got == q || sorted(got) != sorted(q) {
				t.Errorf("typos: %q, want other letters of %q swapped", got, q)
			}
		case !strings.Contains(strings.ToLower(got), q):
			t.Errorf("%s: %q does not have %q", f.name, got, q)
		}
	}
	prompt := formNamed("prompt").of(q, nil)
	if n := len(strings.Fields(prompt)); n < 80 || n > 100 {
		t.Errorf("a prompt has %d words, want some 90", n)
	}
}
