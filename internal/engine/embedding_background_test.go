package engine_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
)

// fill records n memories, and returns their contents, sorted.
func (f *fixture) fill(n int) []string {
	f.t.Helper()
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("filler number%03d", i))
		f.record(out[i], .5)
	}
	return out
}

// wantServing checks which model answers; "" is none.
func (f *fixture) wantServing(id string) {
	f.t.Helper()
	got := ""
	for _, s := range f.status().Models {
		if s.Serving {
			got += s.ID
		}
	}
	if got != id {
		f.t.Errorf("model %q serves, want %q: %+v", got, id, f.status().Models)
	}
}

// wantStored checks how many vectors the store has, by model.
func (f *fixture) wantStored(want map[string]int) {
	f.t.Helper()
	models, err := f.store.Vectors().Models(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	got := make(map[string]int)
	for _, v := range models {
		got[v.Name] = v.Count
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		f.t.Errorf("the store has vectors %v, want %v", got, want)
	}
}

// indexPath returns the path of an index file that is not there yet.
func indexPath(t *testing.T) string { return filepath.Join(t.TempDir(), "index") }

// mentions reports whether one of the lines holds all parts.
func mentions(lines []string, parts ...string) bool {
	return slices.ContainsFunc(lines, func(line string) bool {
		for _, p := range parts {
			if !strings.Contains(line, p) {
				return false
			}
		}
		return true
	})
}

// While the most wanted model catches up in the background the instant one serves, and answers
// and status say so.
func TestEmbedding_CatchesUpInTheBackground(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		best, quick := embedtest.NewWords("best"), embedtest.NewWords("quick")
		best.Synonyms = map[string]string{"lorry": "truck"}
		best.Block()
		f := openWithModels(t, slow(best), instant(quick))
		f.record("lorry", .5)
		f.record("automobile", .5)
		f.fill(40)
		f.wantOrder(hippo.Query{Text: "car"}, "automobile")
		synctest.Wait()
		if a := f.search(hippo.Query{Text: "car"}); !mentions(a.Degraded, "best@1", "0 of 42") {
			t.Errorf("got degraded %q", a.Degraded)
		}
		if s := f.status(); !mentions(s.Degraded, "best@1", "0 of 42") || s.Models[0].Serving || s.Models[0].Memories != 42 {
			t.Errorf("got status %+v", s)
		}
		f.wantServing("quick@1")
		f.wantOrder(hippo.Query{Text: "truck"})
		best.Admit(1)
		synctest.Wait()
		if s := f.status().Models[0]; s.Embedded != 16 || s.Serving || s.Err != nil {
			t.Errorf("after a batch: %+v", s)
		}
		best.Unblock()
		synctest.Wait()
		f.wantServing("best@1")
		f.wantOrder(hippo.Query{Text: "truck"}, "lorry")
		a := f.search(hippo.Query{Text: "truck"})
		if s := f.status(); len(a.Degraded)+len(s.Degraded) != 0 || s.Models[0].Embedded != 42 {
			t.Errorf("got degraded %q, status %+v", a.Degraded, s)
		}
		f.wantStored(map[string]int{"best@1": 42})
	})
}

// What another tenant imports does not end the semantic search of the first.
func TestEmbedding_ServesEachScope(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := embedtest.NewWords("best")
		f := openWithModels(t, slow(w))
		f.record("automobile", .5)
		f.fill(3)
		f.search(hippo.Query{Text: "x"})
		synctest.Wait()
		w.Block()
		tenant := f.In(hippo.Scope{Namespace: "tenant", Rights: hippo.AllRights})
		for i := range 100 {
			if _, err := memory.Record(t.Context(), tenant, &hippo.Memory{Content: fmt.Sprintf("imported %d", i), Importance: hippo.Importance{Base: .5}}); err != nil {
				t.Fatal(err)
			}
		}
		f.wantOrder(hippo.Query{Text: "car"}, "automobile")
		f.wantServing("best@1")
		if a := f.search(hippo.Query{Text: "car"}); len(a.Degraded) > 0 {
			t.Errorf("got degraded %q", a.Degraded)
		}
		a, err := query.Search(t.Context(), tenant, hippo.Query{Text: "imported"})
		if err != nil || !mentions(a.Degraded, "0 of 100") {
			t.Errorf("the tenant got %+v (%v)", a, err)
		}
		w.Unblock()
	})
}

// What was embedded once is not embedded again: not by the next process, nor after a change of
// anything but the content.
func TestEmbedding_EmbedsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newPersistent()
		for _, path := range []string{"", indexPath(t)} {
			w := embedtest.NewWords("best")
			f := open(t, options{backend: b, path: path, models: []embedding.Model{slow(w)}})
			if path == "" {
				f.fill(40)
				f.search(hippo.Query{Text: "x"})
				synctest.Wait()
				if got := w.Passages(); len(got) != 40 {
					t.Errorf("embedded %d memories, want 40", len(got))
				}
			}
			f.end()
			if w.Closed() != 1 {
				t.Errorf("the model was closed %d times", w.Closed())
			}
		}
		w := embedtest.NewWords("best")
		f := open(t, options{backend: b, models: []embedding.Model{slow(w)}})
		f.Warm(t.Context())
		synctest.Wait()
		f.wantServing("best@1")
		id := f.search(hippo.Query{Text: "number007"}).Hits[0].Memory.ID
		f.modify(id, api.Change{Tags: &[]string{"new"}})
		for _, mark := range []func(hippo.ID){f.forget, f.restore} {
			mark(id)
			f.search(hippo.Query{Text: "x"})
			synctest.Wait()
		}
		if s := f.status().Models[0]; s.Embedded != 40 || s.Memories != 40 {
			t.Errorf("got %+v", s)
		}
		if got := w.Passages(); len(got) != 0 {
			t.Errorf("embedded %q again", got)
		}
		text := "rewritten content"
		f.modify(id, api.Change{Content: &text})
		f.search(hippo.Query{Text: "x"})
		synctest.Wait()
		if got := w.Passages(); !slices.Equal(got, []string{text}) {
			t.Errorf("embedded %q, want what changed", got)
		}
		f.wantStored(map[string]int{"best@1": 40})
	})
}

// An engine that is closed half-way leaves the other half to the next.
func TestEmbedding_Resumes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newPersistent()
		all := open(t, options{backend: b}).fill(80)
		first := embedtest.NewWords("best")
		first.Block()
		f := open(t, options{backend: b, models: []embedding.Model{slow(first)}})
		f.Warm(t.Context())
		first.Admit(2)
		synctest.Wait()
		f.wantStored(map[string]int{"best@1": 32})
		f.end()
		asked := first.Passages()
		second := embedtest.NewWords("best")
		f = open(t, options{backend: b, models: []embedding.Model{slow(second)}})
		f.Warm(t.Context())
		synctest.Wait()
		f.wantServing("best@1")
		rest := second.Passages()
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

// After a switch the model that was used before serves until the new one has caught up.
func TestEmbedding_Switch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, path := newPersistent(), indexPath(t)
		former := embedtest.NewWords("former")
		f := open(t, options{backend: b, path: path, models: []embedding.Model{slow(former), instant(embedtest.NewWords("quick"))}})
		f.fill(40)
		f.record("lorry", .5)
		f.search(hippo.Query{Text: "x"})
		synctest.Wait()
		f.wantServing("former@1")
		f.end()

		wanted, former := embedtest.NewWords("wanted"), embedtest.NewWords("former")
		former.Synonyms = map[string]string{"truck": "lorry"}
		wanted.Synonyms = map[string]string{"camion": "lorry"}
		wanted.Block()
		f = open(t, options{backend: b, path: path, models: []embedding.Model{slow(wanted), slow(former), instant(embedtest.NewWords("quick"))}})
		synctest.Wait()
		f.wantServing("former@1")
		f.wantOrder(hippo.Query{Text: "truck"}, "lorry")
		f.wantOrder(hippo.Query{Text: "camion"})
		if a := f.search(hippo.Query{Text: "truck"}); len(a.Degraded) != 1 || !mentions(a.Degraded, "wanted@1", "0 of 41") {
			t.Errorf("got degraded %q", a.Degraded)
		}
		wanted.Unblock()
		synctest.Wait()
		f.wantServing("wanted@1")
		f.wantOrder(hippo.Query{Text: "camion"}, "lorry")
		f.wantOrder(hippo.Query{Text: "truck"})
		if a := f.search(hippo.Query{Text: "camion"}); len(a.Degraded) != 0 {
			t.Errorf("got degraded %q", a.Degraded)
		}
		if got := former.Passages(); len(got) != 0 {
			t.Errorf("the former model embedded %q again", got)
		}
		f.wantStored(map[string]int{"former@1": 41, "wanted@1": 41})
	})
}

// Another revision of a model embeds everything again.
func TestEmbedding_OtherRevision(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, path := newPersistent(), indexPath(t)
		f := open(t, options{backend: b, path: path, models: []embedding.Model{slow(embedtest.NewWords("best"))}})
		f.fill(30)
		f.search(hippo.Query{Text: "x"})
		synctest.Wait()
		f.end()
		w := embedtest.NewWords("best")
		w.Identity = embed.Model{ID: "best@2", Space: "best2", Dimension: 100}
		f = open(t, options{backend: b, path: path, models: []embedding.Model{slow(w)}})
		synctest.Wait()
		f.wantServing("best@2")
		if got := w.Passages(); len(got) != 30 {
			t.Errorf("embedded %d memories, want 30", len(got))
		}
	})
}

// The vectors of the former model are in the store: it serves also when there is no index file,
// however long the wanted model takes.
func TestEmbedding_SwitchWithoutIndexFile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newPersistent()
		f := open(t, options{backend: b, models: []embedding.Model{slow(embedtest.NewWords("former"))}})
		f.fill(40)
		f.search(hippo.Query{Text: "x"})
		synctest.Wait()
		f.end()
		wanted, former := embedtest.NewWords("wanted"), embedtest.NewWords("former")
		wanted.Block()
		f = open(t, options{backend: b, models: []embedding.Model{slow(wanted), slow(former), instant(embedtest.NewWords("quick"))}})
		f.Warm(t.Context())
		synctest.Wait()
		f.wantServing("former@1")
		if got := former.Passages(); len(got) != 0 {
			t.Errorf("the former model embedded %d again", len(got))
		}
	})
}

// What is recorded while the wanted model catches up is found by the former one.
func TestEmbedding_FormerModelKeepsUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, path := newPersistent(), indexPath(t)
		f := open(t, options{backend: b, path: path, models: []embedding.Model{slow(embedtest.NewWords("former"))}})
		f.fill(200)
		f.search(hippo.Query{Text: "x"})
		synctest.Wait()
		f.end()
		wanted := embedtest.NewWords("wanted")
		wanted.Block()
		f = open(t, options{backend: b, path: path, models: []embedding.Model{slow(wanted), slow(embedtest.NewWords("former"))}})
		synctest.Wait()
		for batch := range 3 {
			for i := range 10 {
				f.record(fmt.Sprintf("late note%d%d", batch, i), .5)
			}
			f.search(hippo.Query{Text: "x"})
			wanted.Admit(1)
			synctest.Wait()
		}
		f.wantServing("former@1")
	})
}
