package grid

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
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

// TestInSight: five words of the answer in a row are some of it, others are not.
func TestInSight(t *testing.T) {
	t.Parallel()
	inner := map[string]string{"a": "the crane is hired by the day from a yard in Ghent"}
	for text, want := range map[string]bool{
		"the crane is hired by the day from a yard in Ghent":     true,
		"Before. The crane is hired by\nthe day and not longer.": true,
		"the crane is not ours, it comes from a yard":            false,
	} {
		m := note("a", 0, text, .5)
		m.Source.URI = "a"
		a := &hippo.Answer{Hits: []hippo.Hit{{Memory: m}}}
		if got := inSight(a, map[string]float64{"a": 1}, inner); got != want {
			t.Errorf("%q: in sight %v, want %v", text, got, want)
		}
	}
}

// TestInside: a note lies whole in a text of about the words that were asked for.
func TestInside(t *testing.T) {
	t.Parallel()
	l := mustRead(t)
	l.Sets = append(l.Sets, &eval.Set{Name: "life", Groups: []eval.Group{{Docs: l.notes[:50]}}})
	docs, inner := l.inside(l.Sets[0], 500)
	if len(docs) != len(facts()) {
		t.Errorf("got %d memories, want %d", len(docs), len(facts()))
	}
	for _, m := range docs {
		if n := len(strings.Fields(m.Content)); n < 500 || n > 550 || !strings.Contains(m.Content, inner[eval.Name(m)]) {
			t.Errorf("%s has %d words, want 500 with %q", eval.Name(m), n, inner[eval.Name(m)])
		}
	}
}

// TestReport: the worst cell is the first, cells of few questions do not count, and the summary counts both sides.
func TestReport(t *testing.T) {
	t.Parallel()
	cell := func(size, n int, recall, hit float64) Result {
		r := Result{Cell: Cell{"s", size, baseFiller, baseForm, stateAll}, Questions: n, Best: Measures{.5, .5}, Lead: Measures{recall, hit}}
		r.Of = map[string]Measures{byDefault: {.5 + recall, .5 + hit}}
		return r
	}
	r := NewReport([]Result{cell(12, 50, .1, 0), cell(66, 50, -.02, -.03), cell(300, 50, 0, -.04), cell(3000, 39, -.3, -.3)})
	if r.Cells[0].Size != 3000 || r.Cells[1].Size != 300 || r.Summary != (Summary{Cells: 3, Below: 1, Above: 1}) {
		t.Errorf("got %+v, the first %v, want 1 of 3 cells below and 1 above", r.Summary, r.Cells[0].Cell)
	}
	for _, k := range r.Kinds {
		if k.Factor == "size" && k.Level == "300" && (k.Below != 1 || k.Cells != 1) {
			t.Errorf("size 300: %+v, want 1 cell, below", k)
		}
		if k.Level == "3000" {
			t.Error("a kind without a cell of enough questions is reported")
		}
	}
}
