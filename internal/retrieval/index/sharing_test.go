package index_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo"
	modelof "github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/store/filelease"
)

// shelf keeps snapshots in RAM, of one form.
type shelf struct {
	mu      sync.Mutex
	files   map[hippo.Revision][]byte
	fetched int
	kept    []hippo.Revision
	// before is called before a snapshot is fetched; nil: nothing is.
	before func(ctx context.Context) error
	fault  error // of Keep
}

func (s *shelf) Newest(_ context.Context, _, _ string, most hippo.Revision) (r hippo.Revision, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for at := range s.files {
		if at <= most {
			r = max(r, at)
		}
	}
	return r, nil
}

func (s *shelf) Fetch(ctx context.Context, _, _ string, r hippo.Revision, to io.Writer) error {
	if s.before != nil {
		if err := s.before(ctx); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fetched++
	_, err := to.Write(s.files[r])
	return err
}

func (s *shelf) Keep(_ context.Context, _, _ string, r hippo.Revision, from *io.SectionReader) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault != nil {
		return s.fault
	}
	b, err := io.ReadAll(from)
	if s.files == nil {
		s.files = make(map[hippo.Revision][]byte)
	}
	s.files[r], s.kept = b, append(s.kept, r)
	return err
}

func (s *shelf) count() (fetched int, kept []hippo.Revision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fetched, slices.Clone(s.kept)
}

// notes returns a source of n memories.
func notes(store string, n int) *source {
	s := newSource(store)
	for i := range n {
		s.put(note(i, fmt.Sprintf("note %d about the ferry", i)))
	}
	return s
}

// leases returns the rights of a process, which are free unless others of the same folder have them.
func leases(t *testing.T, dir string) *filelease.Leases {
	t.Helper()
	l := filelease.New(filepath.Join(dir, "store."), time.Now)
	t.Cleanup(l.Close)
	return l
}

// node returns the options of an index of its own machine, whose file travels.
func node(t *testing.T, s index.Snapshots) *index.Options {
	t.Helper()
	dir := t.TempDir()
	return &index.Options{Path: filepath.Join(dir, "index"), Models: []modelof.Model{whole}, Sharing: &index.Sharing{Snapshots: s, Leases: leases(t, dir)}}
}

// close closes an index that was not opened by a test helper which does.
func closeIndex(t *testing.T, x *index.Index) {
	t.Helper()
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}

// filled returns a shelf with a snapshot of a source, whose memories all have a vector.
func filled(t *testing.T, src *source) *shelf {
	t.Helper()
	s := &shelf{}
	x := open(t, src, node(t, s))
	for embed(src, x, whole, 100) > 0 {
	}
	closeIndex(t, x)
	if _, kept := s.count(); len(kept) == 0 {
		t.Fatal("no snapshot was kept")
	}
	return s
}

// begin opens an index that has not caught up yet.
func begin(t *testing.T, src *source, o *index.Options) *index.Index {
	t.Helper()
	x, err := index.Open(t.Context(), src, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeIndex(t, x) })
	return x
}

// left returns the names of the files in the folder of an index, without those of the rights.
func left(t *testing.T, o *index.Options) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(o.Path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".lease" {
			names = append(names, e.Name())
		}
	}
	return names
}

// A second machine has the index of the first one, with its vectors, and reads nothing but later changes.
func TestSharing(t *testing.T) {
	t.Parallel()
	src := notes("s", 1000)
	shelf := filled(t, src)
	o := node(t, shelf)
	x := begin(t, src, o)
	if st := x.Stats(); st.Memories != 1000 || st.Saved != 1000 {
		t.Fatalf("got %+v, want the 1000 memories of the snapshot", st)
	}
	src.put(note(5000, "another note"))
	catchUp(t, x)
	if have, all := x.Vectors.Embedded(nil, whole.ID); have != 1000 || all != 1001 {
		t.Errorf("%d of %d memories have a vector, want 1000 of 1001", have, all)
	}
	alone := open(t, src, &index.Options{Models: []modelof.Model{whole}})
	for embed(src, alone, whole, 100) > 0 {
	}
	embed(src, x, whole, 1)
	if got, want := cosines(x, whole), cosines(alone, whole); !maps.Equal(got, want) {
		t.Errorf("%d are found, want %d with the same cosines", len(got), len(want))
	}
	closeIndex(t, x)
	if got := left(t, o); !slices.Equal(got, []string{"index", "index.lock"}) {
		t.Errorf("left are %q, want the file and its lock", got)
	}
	if st := begin(t, src, &index.Options{Path: o.Path, Models: o.Models}).Stats(); st.Saved < 1000 {
		t.Errorf("got %+v, want the file to have its place", st)
	}
}

// What is not the snapshot that was asked for, whole and of this store, is not used: the index is built.
func TestSharing_damaged(t *testing.T) {
	t.Parallel()
	src := notes("s", 1000)
	good := filled(t, src).files[1000]
	r := rand.New(rand.NewPCG(1, 2))
	cases := map[string][]byte{
		"empty": nil, "short": good[:10], "header": good[:128], "half": good[:len(good)/2], "all but one byte": good[:len(good)-1], "more": append(slices.Clone(good), 0),
		"other bytes": bytes.Repeat([]byte("not an index"), 1000), "zeros": make([]byte, len(good)),
		"other store": filled(t, notes("other", 1000)).files[1000], "other revision": filled(t, notes("s", 900)).files[900],
	}
	for i := range 40 {
		b := slices.Clone(good)
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		cases[fmt.Sprint("flipped bit ", i)] = b
	}
	for name, b := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := node(t, &shelf{files: map[hippo.Revision][]byte{1000: b}})
			x := begin(t, src, o)
			if st := x.Stats(); st.Memories != 0 {
				t.Fatalf("got %+v, want nothing of a damaged snapshot", st)
			}
			if got := left(t, o); !slices.Equal(got, []string{"index.lock"}) {
				t.Errorf("left are %q, want the lock", got)
			}
			if catchUp(t, x); x.Stats().Memories != 1000 {
				t.Errorf("got %+v, want 1000 memories", x.Stats())
			}
		})
	}
}

// A snapshot that is newer than the store is left where it is: the store was restored.
func TestSharing_newerThanTheStore(t *testing.T) {
	t.Parallel()
	shelf := filled(t, notes("s", 1000))
	before := notes("s", 600)
	x := begin(t, before, node(t, shelf))
	if fetched, _ := shelf.count(); fetched != 0 || x.Stats().Memories != 0 {
		t.Errorf("%d snapshots were fetched, want none: %+v", fetched, x.Stats())
	}
}

// A place that hangs or fails delays an index by a bounded time.
func TestSharing_slow(t *testing.T) {
	t.Parallel()
	good := filled(t, notes("s", 1000)).files
	for name, before := range map[string]func(context.Context) error{
		"hangs":         func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"hears nothing": func(context.Context) error { time.Sleep(time.Hour); return nil },
		"fails":         func(context.Context) error { return errors.New("out of order") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				o := node(t, &shelf{files: good, before: before})
				x := begin(t, notes("s", 1000), o)
				if took := time.Since(start); took > 11*time.Second || x.Stats().Memories != 0 {
					t.Errorf("after %v: %+v, want an empty index after 10 seconds", took, x.Stats())
				}
				catchUp(t, x)
				time.Sleep(time.Hour)
				if got := left(t, o); !slices.Equal(got, []string{"index", "index.lock"}) && !slices.Equal(got, []string{"index.lock"}) {
					t.Errorf("left are %q, want nothing of the snapshot", got)
				}
			})
		})
	}
}

// Of processes that open an index of one machine at the same time, one fetches the file.
func TestSharing_together(t *testing.T) {
	t.Parallel()
	src := notes("s", 1000)
	shelf := filled(t, src)
	o := node(t, shelf)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			x, err := index.Open(t.Context(), src, o)
			if err != nil {
				t.Error(err)
				return
			}
			if st := x.Stats(); st.Memories != 1000 {
				t.Errorf("got %+v, want 1000 memories", st)
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if fetched, _ := shelf.count(); fetched != 1 {
		t.Errorf("%d snapshots were fetched, want one", fetched)
	}
}

// A snapshot is kept when the index has grown by a fifth, in memories or vectors, or after an hour.
func TestSharing_keeps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shelf := &shelf{}
		src := notes("s", 1500)
		x := begin(t, src, node(t, shelf))
		next := 1500
		grow := func(n int) []hippo.Revision {
			for range n {
				src.put(note(next, "one more"))
				next++
			}
			catchUp(t, x)
			synctest.Wait()
			_, kept := shelf.count()
			return kept
		}
		check := func(what string, got, want []hippo.Revision) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Errorf("%s: kept are %v, want %v", what, got, want)
			}
		}
		check("first", grow(0), []hippo.Revision{1500})
		time.Sleep(2 * time.Minute)
		check("299 more", grow(299), []hippo.Revision{1500})
		check("300 more", grow(1), []hippo.Revision{1500, 1800})
		embed(src, x, whole, 300)
		check("at once", grow(0), []hippo.Revision{1500, 1800})
		time.Sleep(2 * time.Minute)
		check("vectors", grow(1), []hippo.Revision{1500, 1800, 1801})
		time.Sleep(2 * time.Minute)
		check("one more", grow(1), []hippo.Revision{1500, 1800, 1801})
		time.Sleep(time.Hour)
		check("nothing new, an hour later", grow(0), []hippo.Revision{1500, 1800, 1801})
		check("an hour later", grow(1), []hippo.Revision{1500, 1800, 1801, 1803})
		y := begin(t, src, node(t, shelf))
		if have, all := y.Vectors.Embedded(nil, whole.ID); have != 300 || all != 1803 {
			t.Errorf("%d of %d have a vector, want 300 of 1803", have, all)
		}
	})
}

// Another process that has the right, and a place that fails, are left alone for a minute.
func TestSharing_keepsLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shelf := &shelf{}
		src, o := notes("s", 1000), node(t, shelf)
		other := leases(t, filepath.Dir(o.Path))
		if got, err := other.Lease(t.Context(), "index", time.Minute); err != nil || !got.Held {
			t.Fatal(got, err)
		}
		x := begin(t, src, o)
		kept := func() int {
			catchUp(t, x)
			x.Touch(nil, 1)
			src.put(note(1, "changed"))
			catchUp(t, x)
			synctest.Wait()
			_, kept := shelf.count()
			return len(kept)
		}
		if n := kept(); n != 0 {
			t.Errorf("%d were kept while another process has the right", n)
		}
		if err := other.Release(t.Context(), "index"); err != nil {
			t.Fatal(err)
		}
		if n := kept(); n != 0 {
			t.Errorf("%d were kept within a minute", n)
		}
		shelf.fault = errors.New("out of order")
		time.Sleep(time.Minute)
		if n := kept(); n != 0 {
			t.Errorf("%d were kept in a place that fails", n)
		}
		shelf.fault = nil
		time.Sleep(time.Minute)
		if n := kept(); n != 1 {
			t.Errorf("%d were kept, want one", n)
		}
	})
}

// A file of another process of this machine, as another store, is not kept for others; readers of other forms ask for theirs.
func TestSharing_readOnly(t *testing.T) {
	t.Parallel()
	src := notes("s", 1000)
	shelf := filled(t, src)
	_, before := shelf.count()
	o := node(t, shelf)
	o.ReadOnly = true
	x := begin(t, src, o)
	catchUp(t, x)
	closeIndex(t, x)
	if fetched, kept := shelf.count(); fetched != 0 || len(kept) != len(before) || len(left(t, o)) != 0 {
		t.Errorf("%d were fetched, %v kept, left are %q; want no change", fetched, kept, left(t, o))
	}
}
