package snapshots_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/index/snapshots"
)

// place is what both implementations have.
type place interface {
	index.Snapshots
	Remove(ctx context.Context, store string) error
}

// places calls a test with each implementation; list returns the names of what it has.
func places(t *testing.T, test func(t *testing.T, p place, list func() []string)) {
	t.Helper()
	t.Run("folder", func(t *testing.T) {
		t.Parallel()
		dir := filepath.Join(t.TempDir(), "a", "b")
		test(t, snapshots.NewFolder(dir), func() (out []string) {
			_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					out = append(out, strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(dir)+"/"))
				}
				return nil
			})
			return out
		})
	})
	t.Run("bucket", func(t *testing.T) {
		t.Parallel()
		s := newService(t)
		test(t, s.bucket(t, "team/"), func() (out []string) {
			for _, key := range s.Keys() {
				out = append(out, strings.TrimPrefix(key, "team/"))
			}
			return out
		})
	})
}

// keep keeps a snapshot whose content says what it is.
func keep(t *testing.T, p place, store, form string, r hippo.Revision, content string) {
	t.Helper()
	if err := p.Keep(t.Context(), store, form, r, io.NewSectionReader(strings.NewReader(content), 0, int64(len(content)))); err != nil {
		t.Fatal(err)
	}
}

func fetch(t *testing.T, p place, store, form string, r hippo.Revision) (string, error) {
	t.Helper()
	var b bytes.Buffer
	err := p.Fetch(t.Context(), store, form, r, &b)
	return b.String(), err
}

func checkNewest(t *testing.T, p place, store, form string, most, want hippo.Revision) {
	t.Helper()
	if got, err := p.Newest(t.Context(), store, form, most); got != want || err != nil {
		t.Errorf("newest up to %d of store %q, form %s: got %d (%v), want %d", most, store, form, got, err, want)
	}
}

const highest = ^hippo.Revision(0)

// What was kept is found by store, form and revision, and nothing else is.
func TestKeep(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, p place, list func() []string) {
		checkNewest(t, p, "one", "15-a", highest, 0)
		if _, err := fetch(t, p, "one", "15-a", 7); !errors.Is(err, hippo.ErrNotFound) {
			t.Errorf("got %v, want not found", err)
		}
		keep(t, p, "one", "15-b", 50, "other form")
		keep(t, p, "one", "15-a", 7, "seven")
		keep(t, p, "two", "15-a", 9, "nine")
		keep(t, p, "one", "15-a", 100, "hundred")
		checkNewest(t, p, "one", "15-a", highest, 100)
		checkNewest(t, p, "one", "15-a", 100, 100)
		checkNewest(t, p, "one", "15-a", 99, 7)
		checkNewest(t, p, "one", "15-a", 6, 0)
		checkNewest(t, p, "one", "15-b", highest, 50)
		checkNewest(t, p, "two", "15-a", highest, 9)
		checkNewest(t, p, "three", "15-a", highest, 0)
		for r, want := range map[hippo.Revision]string{7: "seven", 100: "hundred"} {
			if got, err := fetch(t, p, "one", "15-a", r); got != want || err != nil {
				t.Errorf("revision %d: got %q (%v), want %q", r, got, err, want)
			}
		}
		keep(t, p, "one", "15-a", 100, "with vectors")
		if got, err := fetch(t, p, "one", "15-a", 100); got != "with vectors" || err != nil {
			t.Errorf("got %q (%v), want what was kept in its place", got, err)
		}
		keep(t, p, "one", "15-a", 60, "of a store that lost changes")
		checkNewest(t, p, "one", "15-a", highest, 60)
		checkNewest(t, p, "one", "15-a", 59, 7)
		if err := p.Remove(t.Context(), "one"); err != nil {
			t.Fatal(err)
		}
		if got := list(); !slices.Equal(got, []string{"two/15-a-00000000000000000009.index"}) {
			t.Errorf("left are %q, want that of the other store", got)
		}
	})
}

// The two newest snapshots of a form stay, and the newest one of the other forms.
func TestKeep_removesOld(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, p place, list func() []string) {
		for _, r := range []hippo.Revision{1, 2, 3} {
			keep(t, p, "s", "14-a", r, "old form")
			keep(t, p, "s", "14-b", r, "older form")
		}
		keep(t, p, "other", "15-a", 1, "other store")
		for r := range hippo.Revision(12) {
			keep(t, p, "s", "15-a", r+5, "new form")
		}
		want := []string{"other/15-a-00000000000000000001.index", "s/14-a-00000000000000000003.index", "s/15-a-00000000000000000015.index", "s/15-a-00000000000000000016.index"}
		got := list()
		slices.Sort(got)
		got = slices.DeleteFunc(got, func(s string) bool { return s == "s/14-b-00000000000000000003.index" })
		if len(got) == 3 { // either of the two
			got = slices.Insert(got, 1, want[1])
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// Whatever a store is called, it has a folder of its own, inside of the place.
func TestKeep_names(t *testing.T) {
	t.Parallel()
	stores := []string{"", ".", "..", "../x", "a/b", "a", "A b", "x\x00y", "ü", strings.Repeat("long", 200), "-", "store.a", "a?b#c", "%2e%2e"}
	places(t, func(t *testing.T, p place, list func() []string) {
		for _, s := range stores {
			keep(t, p, s, "15-a", 1, "of "+s)
		}
		if got := list(); len(got) != len(stores) {
			t.Errorf("got %q, want one for each of %d stores", got, len(stores))
		}
		for _, s := range stores {
			if got, err := fetch(t, p, s, "15-a", 1); got != "of "+s || err != nil {
				t.Errorf("store %q: got %q (%v)", s, got, err)
			}
		}
	})
}

// A context that has ended ends everything.
func TestPlaces_ended(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, p place, list func() []string) {
		keep(t, p, "s", "15-a", 1, "text")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Newest(ctx, "s", "15-a", highest); err == nil {
			t.Error("newest: want an error")
		}
		if err := p.Fetch(ctx, "s", "15-a", 1, io.Discard); err == nil {
			t.Error("fetch: want an error")
		}
		if err := p.Keep(ctx, "s", "15-a", 2, io.NewSectionReader(strings.NewReader("text"), 0, 4)); err == nil {
			t.Error("keep: want an error")
		}
		if got := list(); len(got) != 1 {
			t.Errorf("got %q, want the first one alone", got)
		}
	})
}

// Files that are no snapshots are left alone, and what a process has left that was killed goes after a day.
func TestFolder_otherFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := snapshots.NewFolder(dir)
	keep(t, p, "s", "15-a", 1, "text")
	for name, age := range map[string]time.Duration{"notes.txt": 0, "15-a-2.index": 0, "15-a-0000000000000000000x.index": 0, ".tmp-1": time.Hour, ".tmp-2": 48 * time.Hour} {
		path := filepath.Join(dir, "s", name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	keep(t, p, "s", "15-a", 3, "text")
	checkNewest(t, p, "s", "15-a", highest, 3)
	var got []string
	entries, err := os.ReadDir(filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	want := []string{".tmp-1", "15-a-00000000000000000001.index", "15-a-00000000000000000003.index", "15-a-0000000000000000000x.index", "15-a-2.index", "notes.txt"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
