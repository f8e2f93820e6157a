package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// imported returns a memory of another program.
func imported(content string) *hippo.Memory {
	m := memory(content)
	m.ID = hippo.ID{15: 7}
	m.Source.Kind, m.Source.URI, m.Trust = hippo.SourceImport, "notes.md#1", hippo.TrustLow
	m.Metadata = map[string]json.RawMessage{"colour": json.RawMessage(`"` + content + `"`)}
	return m
}

func TestImport_follows_the_source_until_somebody_here_changes_the_memory(t *testing.T) {
	t.Parallel()
	s := open(t, start())
	run := func(content string, want store.Outcome) {
		t.Helper()
		preview, err := store.PreviewImport(t.Context(), local(s), &store.Batch{Memories: []*hippo.Memory{imported(content)}})
		if err != nil || preview[0] != want {
			t.Fatalf("%s: the preview is %v (%v), want %v", content, preview, err, want)
		}
		done, err := local(s).Import(t.Context(), hippo.Calendar{}, []*hippo.Memory{imported(content)})
		if d := cmp.Diff([]store.Outcome{want}, done); err != nil || d != "" {
			t.Fatalf("%s: error %v (-want +got):\n%s", content, err, d)
		}
	}
	content := func() string { return get(t, s, hippo.ID{15: 7}).Content }

	run("one", store.Added)
	run("one", store.Present)
	run("two", store.Updated)
	if m := get(t, s, hippo.ID{15: 7}); m.Content != "two" || m.ContentHash != hippo.HashContent("two") || m.Version != 2 || string(m.Metadata["colour"]) != `"two"` {
		t.Errorf("the memory is %+v", m)
	}
	run("two", store.Present)
	run("three", store.Updated)

	_, err := local(s).Update(t.Context(), []hippo.ID{{15: 7}}, func(m *hippo.Memory, _ hippo.Day) error {
		m.Content = "mine"
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	run("four", store.Kept)
	run("mine", store.Present)
	if content() != "mine" {
		t.Errorf("the import replaced what was changed here: %q", content())
	}
}

func TestImport_leaves_a_forgotten_memory_forgotten(t *testing.T) {
	t.Parallel()
	c := start()
	s := open(t, c)
	if _, err := local(s).Import(t.Context(), hippo.Calendar{}, []*hippo.Memory{imported("one")}); err != nil {
		t.Fatal(err)
	}
	_, err := local(s).Update(t.Context(), []hippo.ID{{15: 7}}, func(m *hippo.Memory, _ hippo.Day) error {
		m.ForgottenAt = c.t
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	done, err := local(s).Import(t.Context(), hippo.Calendar{}, []*hippo.Memory{imported("two")})
	if err != nil || done[0] != store.Forgotten || get(t, s, hippo.ID{15: 7}).Content != "one" {
		t.Errorf("got %v (%v)", done, err)
	}
}

// An import of another store joins versions, and a preview says the same. What is not taken is kept, and taken by an undo.
func TestImport_joins_versions_of_another_store(t *testing.T) {
	t.Parallel()
	c := start()
	s, w := open(t, c), rank.DefaultWeights()
	m := memory("one")
	m.ID = hippo.ID{15: 9}
	run := func(want store.Outcome, change func(m *hippo.Memory)) {
		t.Helper()
		batch := func() *store.Batch {
			v := m.Clone()
			change(v)
			return &store.Batch{Memories: []*hippo.Memory{v}, Joined: true, Placed: true, Weights: &w, Calendar: hippo.Calendar{Day: 1, Date: "2026-01-01"}}
		}
		preview, err := store.PreviewImport(t.Context(), local(s), batch())
		if err != nil || preview[0] != want {
			t.Fatalf("the preview is %v (%v), want %v", preview, err, want)
		}
		if done, err := store.ImportBatch(t.Context(), local(s), batch()); err != nil || done[0] != want {
			t.Fatalf("got %v (%v), want %v", done, err, want)
		}
	}
	edited := func(text string, at time.Time) func(*hippo.Memory) {
		return func(m *hippo.Memory) { m.Content, m.UpdatedAt, m.Version = text, at, 2 }
	}
	m.CreatedAt = c.t.Add(-time.Hour)
	run(store.Added, func(*hippo.Memory) {})
	run(store.Present, func(*hippo.Memory) {})
	run(store.Updated, edited("two", c.t.Add(-time.Minute)))
	run(store.Present, edited("two", c.t.Add(-time.Minute)))
	run(store.Present, func(*hippo.Memory) {}) // it was here
	run(store.Kept, edited("three", c.t.Add(-2*time.Minute)))
	run(store.Present, edited("three", c.t.Add(-2*time.Minute)))
	if got := get(t, s, m.ID); got.Content != "two" || got.Version != 2 {
		t.Errorf("got %+v", got)
	}
	vs, err := store.Versions(t.Context(), local(s), driver.VersionQuery{Memories: []hippo.ID{m.ID}})
	if err != nil || len(vs) != 3 || vs[0].Before.Content != "three" || vs[1].Before.Content != "two" {
		t.Fatalf("the history is %+v (%v)", vs, err)
	}
	if _, err := store.Undo(t.Context(), local(s), vs[0].Operation.ID, nil, nil); err != nil || get(t, s, m.ID).Content != "three" {
		t.Errorf("the undo did not take the other version: %v", err)
	}

	// A clock that was ahead does not win twice, and the project stays where the caller named another one.
	ahead := func(m *hippo.Memory) {
		m.Pinned, m.Project, m.UpdatedAt, m.Version = true, "elsewhere", c.t.Add(1000*time.Hour), 2
	}
	run(store.Updated, ahead)
	if got := get(t, s, m.ID); !got.Pinned || got.Project != m.Project {
		t.Errorf("got %+v", got)
	}
	if _, err := local(s).Update(t.Context(), []hippo.ID{m.ID}, func(m *hippo.Memory, _ hippo.Day) error { m.Pinned = false; return nil }); err != nil {
		t.Fatal(err)
	}
	run(store.Present, ahead)

	// What says no time is not joined.
	m.CreatedAt, m.UpdatedAt = time.Time{}, time.Time{}
	run(store.Kept, func(m *hippo.Memory) { m.Content = "no time" })
}
