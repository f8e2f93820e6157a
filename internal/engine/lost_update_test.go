package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/agents/syncfile"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// race is a verb that reads before it writes, and a write of another process that comes between.
type race struct {
	t *testing.T
	// f carries out the verb; other writes when the verb has read and has not written.
	f, other *fixture
	slow     *delayed
}

// during runs verb, and meanwhile in its midst.
func (r *race) during(meanwhile func(), verb func() error) error {
	r.t.Helper()
	r.f.flush()
	done := false
	r.slow.before(func() {
		meanwhile()
		done = true
	})
	err := verb()
	if !done {
		r.t.Error("nothing was written meanwhile")
	}
	return err
}

func (r *race) wantConflict(err error) {
	r.t.Helper()
	if !errors.Is(err, hippo.ErrConflict) {
		r.t.Errorf("got error %v, want a conflict", err)
	}
}

func (r *race) wantNoError(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Error(err)
	}
}

// wantContent checks what another process has written, with what it is called.
func (r *race) wantContent(id hippo.ID, want string) {
	r.t.Helper()
	if m := r.other.get(id); m.Content != want || m.Forgotten() {
		r.t.Errorf("the write of the other is gone: %q, forgotten is %v, want %q", m.Content, m.Forgotten(), want)
	}
}

// What another process has written while a verb was between its read and its write stays, in every back end.
func TestConcurrentWriters_LoseNothing(t *testing.T) {
	t.Parallel()
	cases := map[string]func(r *race){
		"undo of a consolidation": raceConsolidation,
		"undo": func(r *race) {
			id := r.f.record("the port is 80", .5)
			r.f.modify(id, api.Change{Content: new("the port is 81")})
			r.wantConflict(r.during(func() { r.other.modify(id, api.Change{Content: new("the port is 82")}) }, func() error {
				_, err := memory.Undo(r.t.Context(), r.f.Memories, r.f.last(id).ID)
				return err
			}))
			r.wantContent(id, "the port is 82")
		},
		"import of another text": func(r *race) {
			id := raceImport(r, func(id hippo.ID) { r.other.modify(id, api.Change{Content: new("said here")}) })
			r.wantContent(id, "said here")
		},
		"import, with a bound said here": func(r *race) {
			until := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
			id := raceImport(r, func(id hippo.ID) {
				r.other.modify(id, api.Change{ValidUntil: &until, Pinned: new(true)})
			})
			r.wantContent(id, "second of the source")
			if m := r.other.get(id); !m.ValidUntil.Equal(until) || !m.Pinned {
				r.t.Errorf("holds until %v, pinned is %v", m.ValidUntil, m.Pinned)
			}
		},
		"import of what is forgotten": func(r *race) {
			id := raceImport(r, func(id hippo.ID) { r.other.forget(id) })
			if m := r.other.get(id); !m.Forgotten() {
				r.t.Error("it is back")
			}
		},
		"merge of an entity that gets a relation": func(r *race) {
			from, place := raceEntities(r)
			r.wantConflict(r.during(func() { related(r.t, r.other, from, "lives_in", place) }, func() error { return mergeAna(r) }))
			r.wantNoError(mergeAna(r))
			if got := r.f.relationsOf(map[hippo.ID]string{place: "Rome"}, place); !slices.Equal(got, []string{" lives_in Rome"}) {
				r.t.Errorf("the relation is gone: %q", got)
			}
		},
		"merge of an entity that changes": func(r *race) {
			from, _ := raceEntities(r)
			r.wantConflict(r.during(func() { describe(r.other, "Ana", "the founder") }, func() error { return mergeAna(r) }))
			if m := r.other.get(from); m.Forgotten() || !strings.Contains(m.Content, "the founder") {
				r.t.Errorf("the description is gone: %q", m.Content)
			}
		},
		"merge into an entity that changes": func(r *race) {
			raceEntities(r)
			r.wantNoError(r.during(func() { describe(r.other, "Anastasia Petrova", "the founder") }, func() error { return mergeAna(r) }))
			if e, err := r.other.find("Anastasia Petrova"); err != nil || e.Description != "the founder" || !slices.Contains(e.Aliases, "Ana") {
				r.t.Errorf("got %+v (%v)", e, err)
			}
		},
		"split of an entity that gets a relation": func(r *race) {
			from, place := raceEntities(r)
			q := api.SplitEntity{Entity: "Ana", New: hippo.Entity{Name: "Ana the second"}, Related: []hippo.ID{place}}
			r.wantConflict(r.during(func() { related(r.t, r.other, from, "lives_in", place) }, func() error {
				_, err := knowledge.SplitEntity(r.t.Context(), r.f.Memories, q)
				return err
			}))
		},
		"merge of projects": func(r *race) {
			r.f.put(&hippo.Memory{ID: idOf(1), Content: "one", Project: "old"}, &hippo.Memory{ID: idOf(2), Content: "two", Project: "old"},
				&hippo.Memory{ID: idOf(3), Content: "three", Project: "new"}, &hippo.Memory{ID: idOf(4), Content: "four", Project: "third"})
			r.wantNoError(r.during(func() { r.other.modify(idOf(1), api.Change{Project: new("third")}) }, func() error {
				_, err := memory.MergeProjects(r.t.Context(), r.f.Memories, api.MergeProjects{From: "old", Into: "new"})
				return err
			}))
			if one, two := r.other.get(idOf(1)).Project, r.other.get(idOf(2)).Project; one != "third" || two != "new" {
				r.t.Errorf("they are in %q and %q", one, two)
			}
		},
		"sync-file, an edited line": func(r *race) {
			id := raceFile(r, "the line was edited", func(id hippo.ID) { r.other.modify(id, api.Change{Content: new("said here")}) })
			r.wantContent(id, "said here")
			r.f.wantOrder(hippo.Query{Text: "line edited", NoTouch: true}, "the line was edited")
		},
		"sync-file, an edited line of what is forgotten": func(r *race) {
			raceFile(r, "the line was edited", func(id hippo.ID) { r.other.forget(id) })
			r.f.wantOrder(hippo.Query{Text: "line edited", NoTouch: true}, "the line was edited")
		},
		"sync-file, a deleted line": func(r *race) {
			id := raceFile(r, "", func(id hippo.ID) { r.other.modify(id, api.Change{Content: new("said here")}) })
			r.wantContent(id, "said here")
		},
	}
	for name, do := range cases {
		for kind, backend := range map[string]func(*testing.T) driver.Backend{"memstore": newMemstore, "sqlite": newSQLite} {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				slow := &delayed{Backend: backend(t)}
				o := options{models: []embedding.Model{instant(embedtest.NewWords("w"))}}
				o.backend = slow
				r := &race{t: t, f: open(t, o), slow: slow}
				o.backend, o.clock = persistent{slow.Backend}, r.f.clock
				r.other = open(t, o)
				do(r)
			})
		}
	}
}

func newMemstore(*testing.T) driver.Backend { return memstore.New(nil) }

func newSQLite(t *testing.T) driver.Backend {
	t.Helper()
	s, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// raceConsolidation changes a memory that a consolidation has archived while that is undone.
func raceConsolidation(r *race) {
	var ms []*hippo.Memory
	for n := range 12 {
		ms = append(ms, r.f.noted(n, "gateway timeout keepalive frame idle connection upstream proxy retry"))
	}
	r.f.put(ms...)
	c := r.f.consolidate(api.Monthly, false)
	var archived hippo.ID
	for _, a := range c.Actions {
		if a.Kind == api.ActionArchive {
			archived = a.Memory
		}
	}
	if archived.IsZero() {
		r.t.Fatalf("nothing was archived: %+v", c)
	}
	r.wantConflict(r.during(func() { r.other.modify(archived, api.Change{Content: new("said meanwhile")}) }, func() error {
		_, err := memory.Undo(r.t.Context(), r.f.Memories, c.Operation)
		return err
	}))
	r.wantContent(archived, "said meanwhile")
}

// raceImport imports what a source has changed while another process writes, and returns the ID.
func raceImport(r *race, meanwhile func(hippo.ID)) hippo.ID {
	m := turn(1, "", "first of the source")
	m.Source = hippo.Source{Kind: hippo.SourceImport, URI: "file:///notes.md"}
	r.f.put(m)
	changed := m.Clone()
	changed.Content, changed.ContentHash = "second of the source", hippo.Hash{}
	r.wantNoError(r.during(func() { meanwhile(m.ID) }, func() error {
		_, err := transfer.New(r.f.Memories).Import(r.t.Context(), hippo.Calendar{}, func(yield func(*hippo.Memory, error) bool) { yield(changed, nil) }, nil)
		return err
	}))
	return m.ID
}

// raceEntities records two entities of one person, and a place.
func raceEntities(r *race) (from, place hippo.ID) {
	from, _, place = r.f.entity("Ana", "person"), r.f.entity("Anastasia Petrova", "person"), r.f.entity("Rome", "place")
	return from, place
}

func mergeAna(r *race) error {
	_, err := knowledge.MergeEntities(r.t.Context(), r.f.Memories, api.MergeEntities{From: "Ana", Into: "Anastasia Petrova"})
	return err
}

func describe(f *fixture, name, description string) {
	f.t.Helper()
	if _, err := knowledge.ModifyEntity(f.t.Context(), f.Memories, api.ModifyEntity{Entity: name, Description: &description}); err != nil {
		f.t.Fatal(err)
	}
}

// raceFile edits the line of a memory in a file, or deletes it, and reads it back while another process writes.
func raceFile(r *race, line string, meanwhile func(hippo.ID)) hippo.ID {
	path := filepath.Join(r.t.TempDir(), "MEMORY.md")
	m := turn(1, "", "the line as it was")
	m.Pinned = true
	r.f.put(m)
	id := m.ID
	if _, err := syncfile.Sync(r.t.Context(), r.f.Memories, path, syncfile.Options{}); err != nil {
		r.t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	var lines []string
	for l := range strings.Lines(string(b)) {
		if strings.Contains(l, "the line as it was") {
			if line == "" {
				continue
			}
			l = strings.Replace(l, "the line as it was", line, 1)
		}
		lines = append(lines, l)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		r.t.Fatal(err)
	}
	r.wantNoError(r.during(func() { meanwhile(id) }, func() error {
		_, err := syncfile.Sync(r.t.Context(), r.f.Memories, path, syncfile.Options{})
		return err
	}))
	return id
}
