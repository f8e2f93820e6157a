package app_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// pair is an older and a newer text, of testdata/changes/pairs.txt.
type pair struct{ half, kind, older, newer, question string }

func linesOf(t *testing.T, name string) []string {
	t.Helper()
	b, err := os.ReadFile("testdata/changes/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(string(b)), "\n"), func(l string) bool { return strings.HasPrefix(l, "#") })
}

func pairsOf(t *testing.T, file, half string, beside bool) (out []pair) {
	t.Helper()
	for _, l := range linesOf(t, file) {
		f := strings.Split(l, "|")
		if p := (pair{f[0], f[1], f[2], f[3], f[4]}); p.half == half && (p.kind == "beside") == beside {
			out = append(out, p)
		}
	}
	return out
}

// changing is a store with the models of the program, in which values change. It has no vectors of encoders until they are asked for.
type changing struct {
	*engine.Memories
	t   *testing.T
	now time.Time
}

func openChanging(t *testing.T) *changing {
	t.Helper()
	c := &changing{t: t, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	now := func() time.Time { return c.now }
	models, err := app.OpenModels(t.Context(), config.Builtin, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := app.TokenEmbedder()
	if err != nil {
		t.Fatal(err)
	}
	e := enginetest.Open(t, enginetest.Options{Backend: app.Memory(), Config: engine.Config{
		Now: now, Models: models, Tokens: tokens, Background: engine.Background{OnBattery: func(context.Context) bool { return true }},
	}})
	c.Memories = e.In(hippo.LocalScope(""))
	return c
}

// embed makes all vectors.
func (c *changing) embed() {
	c.t.Helper()
	if err := c.Embed(c.t.Context(), func(int, int) {}); err != nil {
		c.t.Fatal(err)
	}
}

// record records a text an hour after the last one, and returns the texts that it probably replaces.
func (c *changing) record(text string) (replaces []string) {
	c.t.Helper()
	c.now = c.now.Add(time.Hour)
	_, x, err := memory.RecordCompared(c.t.Context(), c.Memories, &hippo.Memory{Content: text, Source: hippo.Source{Kind: hippo.SourceAgent}})
	if err = cmp.Or(err, x.Err); err != nil {
		c.t.Fatal(err)
	}
	for _, r := range x.Replaces {
		replaces = append(replaces, r.Memory.Content)
	}
	return replaces
}

// fill records the older texts among others, and eight months later the newer ones. It calls hinted with what each replaces.
func (c *changing) fill(pairs []pair, embed bool, hinted func(p pair, replaces []string)) {
	c.t.Helper()
	others := linesOf(c.t, "others.txt")
	for i := range max(len(pairs), 100-2*len(pairs)) {
		if i < len(pairs) {
			c.record(pairs[i].older)
		}
		if i < 100-2*len(pairs) {
			if r := c.record(others[i]); len(r) > 0 {
				hinted(pair{kind: "other", newer: others[i]}, r)
			}
		}
	}
	if embed {
		c.embed()
	}
	c.now = c.now.AddDate(0, 8, 0)
	for _, p := range pairs {
		hinted(p, c.record(p.newer))
	}
	if embed {
		c.embed()
	}
}

// outcome counts what became of pairs of which the newer text changes a value of the older one.
type outcome struct{ pairs, hinted, wrong, above, oldAlone, hookAlone int }

func (o outcome) String() string {
	return fmt.Sprintf("of %d hinted %d (and %d others), newer above older %d, older alone: context %d, prompt %d", o.pairs, o.hinted, o.wrong, o.above, o.oldAlone, o.hookAlone)
}

// alone reports whether a context shows the older text alone.
func (c *changing) alone(p pair, promptOnly bool) bool {
	c.t.Helper()
	b, err := query.Context(c.t.Context(), c.Memories, briefing.Query{Prompt: p.question, PromptOnly: promptOnly})
	if err != nil {
		c.t.Fatal(err)
	}
	shows := func(text string) bool {
		return slices.ContainsFunc(b.Items, func(i api.BriefingItem) bool { return i.Memory.Content == text })
	}
	return shows(p.older) && !shows(p.newer)
}

// above reports whether a search has the newer text above the older one.
func (c *changing) above(p pair) bool {
	c.t.Helper()
	a, err := query.Search(c.t.Context(), c.Memories, hippo.Query{Text: p.question, NoTouch: true})
	if err != nil {
		c.t.Fatal(err)
	}
	for _, h := range a.Hits {
		if h.Memory.Content == p.newer || h.Memory.Content == p.older {
			return h.Memory.Content == p.newer
		}
	}
	return false
}

// Of a value that changed, in the same words or in others, the newer one is hinted at, found first, and not missing where the older
// one is shown; with the vectors of the encoders and before these are there.
func TestChangedValues(t *testing.T) {
	t.Parallel()
	for _, embed := range []bool{false, true} {
		var all outcome
		for _, half := range []string{"dev", "kept"} {
			got := changesOf(t, half, embed)
			t.Logf("%s, embedded %t: %s", half, embed, got)
			all = outcome{
				all.pairs + got.pairs, all.hinted + got.hinted, all.wrong + got.wrong, all.above + got.above,
				all.oldAlone + got.oldAlone, all.hookAlone + got.hookAlone,
			}
		}
		if all.hinted*10 < all.pairs*8 || all.wrong*20 > all.pairs || all.above*100 < all.pairs*83 || all.oldAlone+all.hookAlone > 0 {
			t.Errorf("embedded %t: %s", embed, all)
		}
	}
}

// changesOf measures the changes of a half; it logs those of the half "dev" that are not found.
func changesOf(t *testing.T, half string, embed bool) outcome {
	t.Helper()
	c, got := openChanging(t), outcome{}
	pairs := pairsOf(t, "pairs.txt", half, false)
	logf := func(what string, p pair) {
		if half == "dev" {
			t.Logf("embedded %t, %s: %s | %s", embed, what, p.older, p.newer)
		}
	}
	c.fill(pairs, embed, func(p pair, replaces []string) {
		n := len(replaces)
		if slices.Contains(replaces, p.older) {
			got.hinted++
			n--
		} else if p.kind != "other" {
			logf("no hint", p)
		}
		got.wrong += n
	})
	for _, p := range pairs {
		got.pairs++
		if c.above(p) {
			got.above++
		} else {
			logf("older first", p)
		}
		if c.alone(p, false) {
			got.oldAlone++
		}
		if c.alone(p, true) {
			got.hookAlone++
		}
	}
	return got
}

// What holds side by side is not hinted at.
func TestChangedValues_Beside(t *testing.T) {
	t.Parallel()
	for _, embed := range []bool{false, true} {
		all, hinted, others := 0, 0, 0
		for _, half := range []string{"dev", "kept"} {
			pairs := pairsOf(t, "pairs.txt", half, true)
			all += len(pairs)
			openChanging(t).fill(pairs, embed, func(p pair, replaces []string) {
				if slices.Contains(replaces, p.older) {
					hinted++
				} else if len(replaces) > 0 {
					others++
				}
			})
		}
		t.Logf("embedded %t: of %d hinted %d, at others %d", embed, all, hinted, others)
		if hinted*20 >= all || others*20 > all {
			t.Errorf("embedded %t: of %d hinted %d, at others %d", embed, all, hinted, others)
		}
	}
}

// Values that change in other words throughout, half of them without a word that speaks of a change, among pairs that hold side by side
// and are as alike: few of the newer ones are found first, but none of them is missing from a context that shows the older one, and what
// is asked for stays first.
func TestChangedValues_Reworded(t *testing.T) {
	t.Parallel()
	const each = 25
	halves := []string{"dev", "kept"}
	above, alone, hidden, all, others := 0, 0, 0, 0, 0
	for _, half := range halves {
		changing, beside := slices.Collect(slices.Chunk(pairsOf(t, "reworded.txt", half, false), each)), pairsOf(t, "reworded.txt", half, true)
		for i, beside := range slices.Collect(slices.Chunk(beside, len(beside)/len(changing))) {
			c := openChanging(t)
			c.fill(slices.Concat(changing[i], beside), true, func(pair, []string) {})
			for _, p := range changing[i] {
				all++
				if c.above(p) {
					above++
				}
				if c.alone(p, false) || c.alone(p, true) {
					alone++
				}
			}
			others += len(beside)
			for _, p := range beside {
				if c.above(p) {
					hidden++
				}
			}
		}
	}
	t.Logf("of %d newer above older %d, older alone %d; above what was asked for: %d of %d", all, above, alone, hidden, others)
	if alone > 0 || above*4 < all || hidden*5 > others {
		t.Errorf("of %d newer above older %d, older alone %d; above what was asked for: %d of %d", all, above, alone, hidden, others)
	}
}
