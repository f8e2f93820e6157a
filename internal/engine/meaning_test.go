package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store"
)

func TestMeaning_FindsWithoutACommonWord(t *testing.T) {
	t.Parallel()
	m := newMind(t, instant(newFake("word")))
	m.record("automobile petrol", .5)
	m.record("lunch menu", .5)
	for _, r := range []hippo.Ranker{hippo.RankerHippo, hippo.RankerCosine, hippo.RankerInsight} {
		m.wantOrder(hippo.Query{Text: "car", Ranker: r}, "automobile petrol")
	}
	m.wantOrder(hippo.Query{Text: "car", Ranker: hippo.RankerBM25})
	a := m.search(hippo.Query{Text: "car"})
	if s := a.Hits[0].Signals; s.Cosine < .6 || s.Cosine > .8 || s.BM25 != 0 || len(a.Degraded) != 0 {
		t.Errorf("got signals %+v, degraded %q", s, a.Degraded)
	}
	if s := m.status(); len(s.Degraded) != 0 || len(s.Models) != 1 || s.Models[0].Embedded != 2 {
		t.Errorf("got status %+v", s)
	}
	m.wantServing("word@1")
	m.wantKept(map[string]int{})
}

func TestMeaning_CosineOrders(t *testing.T) {
	t.Parallel()
	m := newMind(t, instant(newFake("word")))
	var want []string
	for n := range 6 { // the more words the less is about cars
		text := "vehicle"
		for i := range n {
			text += fmt.Sprintf(" other%d%d", n, i)
		}
		want = append(want, text)
	}
	for _, i := range []int{3, 0, 5, 1, 4, 2} {
		m.record(want[i], float64(i)/5) // what is least alike counts most otherwise
	}
	m.wantOrder(hippo.Query{Text: "car", Ranker: hippo.RankerCosine}, want...)
	for i, h := range m.search(hippo.Query{Text: "car", Ranker: hippo.RankerCosine}).Hits {
		if fmt.Sprintf("%.9f", h.Relevance) != fmt.Sprintf("%.9f", h.Signals.Cosine) {
			t.Errorf("hit %d: relevance %v, cosine %v", i, h.Relevance, h.Signals.Cosine)
		}
	}
}

// Content is a gate in ranker insight: a cosine above .4 opens it as a word does.
func TestMeaning_OpensTheGateOfInsight(t *testing.T) {
	t.Parallel()
	m := newMind(t, instant(newFake("word")))
	m.record("vehicle one two", .5)                           // 1/sqrt(3)
	m.record("vehicle red green blue white black silver", .5) // 1/sqrt(7)
	q := hippo.Query{Text: "car", Ranker: hippo.RankerInsight}
	m.wantOrder(q, "vehicle one two")
	if a := m.search(q); a.Total != 1 || a.Distribution.Sum() != 1 {
		t.Errorf("got total %d, distribution %v, want one match", a.Total, a.Distribution)
	}
}

func TestMeaning_SituationsMatch(t *testing.T) {
	t.Parallel()
	m := newMind(t, instant(newFake("word")))
	m.record("use a torque wrench", .5, "mending")
	m.record("use a whisk", .5, "cooking")
	q := hippo.Query{Situation: []string{"repair"}}
	m.wantOrder(q, "use a torque wrench")
	if c := m.search(q).Hits[0].Signals.Context; c <= .4 || c > .9 {
		t.Errorf("got context %v, want at most .9", c)
	}
	m.record("use glue", .5, "fixing")
	m.wantOrder(hippo.Query{Situation: []string{"repair"}, Text: "torque wrench"}, "use a torque wrench")
	if got := m.search(q).Total; got != 2 {
		t.Errorf("got %d, want the later memory, too", got)
	}
	m.wantKept(map[string]int{})
}

func TestMeaning_FollowsChanges(t *testing.T) {
	t.Parallel()
	f := newFake("word")
	b := newKept()
	m := openMind(t, b, "", instant(f))
	id := m.record("vehicle", .5)
	q := hippo.Query{Text: "car", NoTouch: true}
	m.wantOrder(q, "vehicle")
	if got := f.seen(); !slices.Equal(got, []string{"vehicle"}) {
		t.Errorf("embedded %q", got)
	}
	m.search(q)
	if got := f.seen(); len(got) != 0 {
		t.Errorf("embedded %q again", got)
	}
	text := "physician"
	if _, err := m.Modify(t.Context(), id, engine.Modification{Content: &text}); err != nil {
		t.Fatal(err)
	}
	m.wantOrder(q)
	m.wantOrder(hippo.Query{Text: "doctor"}, "physician")
	if _, err := m.Forget(t.Context(), []hippo.ID{id}); err != nil {
		t.Fatal(err)
	}
	m.wantOrder(hippo.Query{Text: "doctor"})
	if _, err := m.Restore(t.Context(), []hippo.ID{id}); err != nil {
		t.Fatal(err)
	}
	m.wantOrder(hippo.Query{Text: "doctor"}, "physician")
	if err := m.Purge(t.Context(), []hippo.ID{id}); err != nil {
		t.Fatal(err)
	}
	m.wantOrder(hippo.Query{Text: "doctor"})
	other := store.New(b, nil) // as another process would
	late := &hippo.Memory{Content: "automobile", Trust: hippo.TrustNormal, Source: hippo.Source{Kind: hippo.SourceAgent}}
	if err := other.Add(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	m.wantOrder(q, "automobile")
	if err := other.Purge(t.Context(), []hippo.ID{late.ID}); err != nil {
		t.Fatal(err)
	}
	m.wantOrder(q)
}

// While the wanted model catches up in the background the instant one answers,
// and everything says so.
func TestMeaning_CatchesUpInTheBackground(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		best, quick := newFake("best"), newFake("quick")
		best.also = map[string]string{"lorry": "truck"}
		best.hold()
		m := newMind(t, slow(best), instant(quick))
		m.record("lorry", .5)
		m.record("automobile", .5)
		m.fill(40)
		m.wantOrder(hippo.Query{Text: "car"}, "automobile")
		synctest.Wait()
		if a := m.search(hippo.Query{Text: "car"}); !mentions(a.Degraded, "best@1", "0 of 42") {
			t.Errorf("got degraded %q", a.Degraded)
		}
		if s := m.status(); !mentions(s.Degraded, "best@1", "0 of 42") || s.Models[0].Serves || s.Models[0].Memories != 42 {
			t.Errorf("got status %+v", s)
		}
		m.wantServing("quick@1")
		m.wantOrder(hippo.Query{Text: "truck"})
		best.pass(1)
		synctest.Wait()
		if s := m.status().Models[0]; s.Embedded != 16 || s.Serves || s.Error != "" {
			t.Errorf("after a batch: %+v", s)
		}
		best.free()
		synctest.Wait()
		m.wantServing("best@1")
		m.wantOrder(hippo.Query{Text: "truck"}, "lorry")
		a := m.search(hippo.Query{Text: "truck"})
		if s := m.status(); len(a.Degraded)+len(s.Degraded) != 0 || s.Models[0].Embedded != 42 {
			t.Errorf("got degraded %q, status %+v", a.Degraded, s)
		}
		m.wantKept(map[string]int{"best@1": 42})
	})
}

// What was embedded once is not embedded again: not by the next process, nor after
// a change of anything but the content.
func TestMeaning_EmbedsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newKept()
		for _, path := range []string{"", snapshotIn(t)} {
			f := newFake("best")
			m := openMind(t, b, path, slow(f))
			if path == "" {
				m.fill(40)
				m.search(hippo.Query{Text: "x"})
				synctest.Wait()
				if got := f.seen(); len(got) != 40 {
					t.Errorf("embedded %d memories, want 40", len(got))
				}
			}
			m.end()
			if f.closed != 1 {
				t.Errorf("the model was closed %d times", f.closed)
			}
		}
		f := newFake("best")
		m := openMind(t, b, "", slow(f))
		synctest.Wait()
		m.wantServing("best@1")
		id := m.search(hippo.Query{Text: "number007"}).Hits[0].Memory.ID
		if _, err := m.Modify(t.Context(), id, engine.Modification{Tags: &[]string{"new"}}); err != nil {
			t.Fatal(err)
		}
		for _, mark := range []func() error{
			func() error { _, err := m.Forget(t.Context(), []hippo.ID{id}); return err },
			func() error { _, err := m.Restore(t.Context(), []hippo.ID{id}); return err },
		} {
			if err := mark(); err != nil {
				t.Fatal(err)
			}
			m.search(hippo.Query{Text: "x"})
			synctest.Wait()
		}
		if s := m.status().Models[0]; s.Embedded != 40 || s.Memories != 40 {
			t.Errorf("got %+v", s)
		}
		if got := f.seen(); len(got) != 0 {
			t.Errorf("embedded %q again", got)
		}
		text := "rewritten content"
		if _, err := m.Modify(t.Context(), id, engine.Modification{Content: &text}); err != nil {
			t.Fatal(err)
		}
		m.search(hippo.Query{Text: "x"})
		synctest.Wait()
		if got := f.seen(); !slices.Equal(got, []string{text}) {
			t.Errorf("embedded %q, want what changed", got)
		}
		m.wantKept(map[string]int{"best@1": 40})
	})
}

// An engine that is closed half-way leaves the other half to the next.
func TestMeaning_Resumes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newKept()
		all := openMind(t, b, "").fill(80)
		first := newFake("best")
		first.hold()
		m := openMind(t, b, "", slow(first))
		first.pass(2)
		synctest.Wait()
		m.wantKept(map[string]int{"best@1": 32})
		m.end()
		asked := first.seen()
		second := newFake("best")
		m = openMind(t, b, "", slow(second))
		synctest.Wait()
		m.wantServing("best@1")
		rest := second.seen()
		if len(rest) != 48 || len(asked) != 48 { // the third batch was asked for in vain
			t.Errorf("asked the first for %d, the second for %d, want 48 and 48", len(asked), len(rest))
		}
		union := append(asked, rest...)
		slices.Sort(union)
		if d := cmp.Diff(all, slices.Compact(union)); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

// After a switch the model that was used before serves until the new one is level.
func TestMeaning_Switch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, path := newKept(), snapshotIn(t)
		former := newFake("former")
		m := openMind(t, b, path, slow(former), instant(newFake("quick")))
		m.fill(40)
		m.record("lorry", .5)
		m.search(hippo.Query{Text: "x"})
		synctest.Wait()
		m.wantServing("former@1")
		m.end()

		wanted, former := newFake("wanted"), newFake("former")
		former.also = map[string]string{"truck": "lorry"}
		wanted.also = map[string]string{"camion": "lorry"}
		wanted.hold()
		m = openMind(t, b, path, slow(wanted), slow(former), instant(newFake("quick")))
		synctest.Wait()
		m.wantServing("former@1")
		m.wantOrder(hippo.Query{Text: "truck"}, "lorry")
		m.wantOrder(hippo.Query{Text: "camion"})
		if a := m.search(hippo.Query{Text: "truck"}); len(a.Degraded) != 1 || !mentions(a.Degraded, "wanted@1", "0 of 41") {
			t.Errorf("got degraded %q", a.Degraded)
		}
		wanted.free()
		synctest.Wait()
		m.wantServing("wanted@1")
		m.wantOrder(hippo.Query{Text: "camion"}, "lorry")
		m.wantOrder(hippo.Query{Text: "truck"})
		if a := m.search(hippo.Query{Text: "camion"}); len(a.Degraded) != 0 {
			t.Errorf("got degraded %q", a.Degraded)
		}
		if got := former.seen(); len(got) != 0 {
			t.Errorf("the former model embedded %q again", got)
		}
		m.wantKept(map[string]int{"former@1": 41, "wanted@1": 41})
	})
}

// A model of the same name that is another starts anew.
func TestMeaning_OtherRevision(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, path := newKept(), snapshotIn(t)
		m := openMind(t, b, path, slow(newFake("best")))
		m.fill(30)
		m.search(hippo.Query{Text: "x"})
		synctest.Wait()
		m.end()
		f := newFake("best")
		f.model = embed.Model{ID: "best@2", Space: "best2", Dimension: 100}
		m = openMind(t, b, path, slow(f))
		synctest.Wait()
		m.wantServing("best@2")
		if got := f.seen(); len(got) != 30 {
			t.Errorf("embedded %d memories, want 30", len(got))
		}
	})
}

// Ranker cosine orders as a straightforward computation does, whatever happened.
func TestMeaning_EqualsOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		f := newFake("word")
		f.dense = true
		f.model.Dimension = rapid.SampledFrom([]int{2, 8, 31, 32, 100}).Draw(r, "dimension")
		m := newMind(t, instant(f))
		defer m.end()
		o := &oracle{m: m, f: f, texts: make(map[hippo.ID]string), hidden: make(map[hippo.ID]string)}
		r.Repeat(map[string]func(*rapid.T){
			"record":  func(r *rapid.T) { o.record(r) },
			"modify":  func(r *rapid.T) { o.modify(r) },
			"forget":  func(r *rapid.T) { o.move(r, o.texts, o.hidden, m.Forget) },
			"restore": func(r *rapid.T) { o.move(r, o.hidden, o.texts, m.Restore) },
			"purge":   func(r *rapid.T) { o.purge(r) },
			"search":  func(r *rapid.T) { o.search(r) },
		})
	})
}
