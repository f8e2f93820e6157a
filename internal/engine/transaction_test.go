package engine_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

func stage(t *testing.T, f *fixture) *engine.Staged {
	t.Helper()
	s, err := f.Stage(t.Context(), hippo.LocalScope(""))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// seen returns what searches and lists of a memory show.
func seen(t *testing.T, m *engine.Memories, text string) []string {
	t.Helper()
	a, err := query.Search(t.Context(), m, hippo.Query{Text: text, Relevance: &hippo.Range{Max: 2}, Count: 50})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range a.Hits {
		out = append(out, "search "+h.Memory.Content)
	}
	l, err := memory.List(t.Context(), m, api.List{Count: 50})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range l.Memories {
		out = append(out, "list "+x.Content)
	}
	slices.Sort(out)
	return out
}

func stored(t *testing.T, m *engine.Memories, content string) hippo.ID {
	t.Helper()
	x, err := memory.Record(t.Context(), m, &hippo.Memory{Content: content, Importance: hippo.Importance{Base: .5}})
	if err != nil {
		t.Fatal(err)
	}
	return x.ID
}

// rewrite does one of each kind of write.
func rewrite(t *testing.T, m *engine.Memories, gateway, cache, gone hippo.ID) hippo.ID {
	t.Helper()
	fresh := stored(t, m, "the gateway has a new owner")
	text := "the gateway retries with jitter"
	_, err := memory.Modify(t.Context(), m, gateway, api.Change{Content: &text})
	_, voted := memory.Reinforce(t.Context(), m, []hippo.ID{cache, fresh}, nil)
	_, forgot := memory.Forget(t.Context(), m, []hippo.ID{gone})
	_, related := knowledge.Relate(t.Context(), m, []hippo.Relation{{From: fresh, To: gateway, Kind: "explains", Weight: 1}})
	if err := errors.Join(err, voted, forgot, related); err != nil {
		t.Fatal(err)
	}
	return fresh
}

func TestStage_reads_see_the_writes_and_others_do_not(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	gateway, cache, gone := stored(t, f.Memories, "the gateway retries"), stored(t, f.Memories, "the cache is cold"), stored(t, f.Memories, "the gateway is gone")
	before := seen(t, f.Memories, "gateway")
	s := stage(t, f)
	fresh := rewrite(t, s.Memories, gateway, cache, gone)
	want := []string{
		"list the cache is cold", "list the gateway has a new owner", "list the gateway retries with jitter",
		"search the gateway has a new owner", "search the gateway retries with jitter",
	}
	if d := cmp.Diff(want, seen(t, s.Memories, "gateway")); d != "" {
		t.Errorf("staged (-want +got):\n%s", d)
	}
	if id, err := memory.Resolve(t.Context(), s.Memories, fresh.Short(), api.PreferLive); err != nil || id != fresh {
		t.Errorf("%s resolves to %v, %v", fresh.Short(), id, err)
	}
	if d := cmp.Diff(before, seen(t, f.Memories, "gateway")); d != "" {
		t.Errorf("others, before the commit (-want +got):\n%s", d)
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, seen(t, f.Memories, "gateway")); d != "" {
		t.Errorf("others, after the commit (-want +got):\n%s", d)
	}
	rs, err := knowledge.RelationsOf(t.Context(), f.Memories, []hippo.ID{fresh})
	ms, failed := memory.Get(t.Context(), f.Memories, []hippo.ID{cache})
	if err != nil || len(rs) == 0 || failed != nil || ms[0].Importance.Value <= .5 {
		t.Errorf("after the commit: relations %v, %v, voted %+v, %v", rs, err, ms, failed)
	}
}

func TestStage_discarded_leaves_no_trace(t *testing.T) {
	t.Parallel()
	b := memstore.New(nil)
	f := open(t, options{backend: b})
	gateway, cache, gone := stored(t, f.Memories, "the gateway retries"), stored(t, f.Memories, "the cache is cold"), stored(t, f.Memories, "the gateway is gone")
	before, err := b.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := stage(t, f)
	rewrite(t, s.Memories, gateway, cache, gone)
	seen(t, s.Memories, "gateway") // an access of what it finds
	s.Discard()
	after, err := b.Head(t.Context())
	if d := cmp.Diff(before, after); d != "" || err != nil {
		t.Errorf("the store changed: %v\n%s", err, d)
	}
	ms, err := memory.Get(t.Context(), f.Memories, []hippo.ID{gateway})
	if err != nil || ms[0].Content != "the gateway retries" {
		t.Errorf("memory is %+v, %v", ms, err)
	}
}

func TestStage_counts_use_when_it_commits(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	id := stored(t, f.Memories, "the gateway retries")
	s := stage(t, f)
	for range 3 {
		seen(t, s.Memories, "gateway")
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	ms, err := memory.Get(t.Context(), f.Memories, []hippo.ID{id})
	if err != nil || ms[0].Accesses[0].Count != 4 {
		t.Errorf("accesses are %+v, %v", ms[0].Accesses, err)
	}
}

func TestStage_fails_whole_when_a_memory_is_gone(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	id := stored(t, f.Memories, "the gateway retries")
	s := stage(t, f)
	stored(t, s.Memories, "new")
	if _, err := memory.Reinforce(t.Context(), s.Memories, []hippo.ID{id}, nil); err != nil {
		t.Fatal(err)
	}
	if err := memory.Purge(t.Context(), f.Memories, []hippo.ID{id}); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context()); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("commit returned %v", err)
	}
	if got := seen(t, f.Memories, "new"); len(got) > 0 {
		t.Errorf("stored nevertheless: %v", got)
	}
}

func TestStage_clusters(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	stored(t, f.Memories, "the gateway retries")
	s := stage(t, f)
	defer s.Discard()
	stored(t, s.Memories, "the gateway has a new owner")
	if c, err := upkeep.ClustersOf(t.Context(), s.Memories); err != nil || c.Memories != 2 {
		t.Errorf("got %+v, %v, want 2 memories", c, err)
	}
}
