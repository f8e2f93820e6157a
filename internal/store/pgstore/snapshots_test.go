package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

func keepSnapshot(t testing.TB, s *pgstore.Store, store, form string, r hippo.Revision, content []byte) {
	t.Helper()
	if err := s.Snapshots().Keep(t.Context(), store, form, r, section(content)); err != nil {
		t.Fatal(err)
	}
}

func section(b []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b)))
}

func checkSnapshot(t *testing.T, s *pgstore.Store, store, form string, r hippo.Revision, want []byte) {
	t.Helper()
	var got bytes.Buffer
	if err := s.Snapshots().Fetch(t.Context(), store, form, r, &got); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("revision %d: got %d bytes (%v), want the %d that were kept", r, got.Len(), err, len(want))
	}
}

func checkNewest(t *testing.T, s *pgstore.Store, store, form string, most, want hippo.Revision) {
	t.Helper()
	if got, err := s.Snapshots().Newest(t.Context(), store, form, most); got != want || err != nil {
		t.Errorf("newest up to %d: got %d (%v), want %d", most, got, err, want)
	}
}

const highest = ^hippo.Revision(0)

// A snapshot of any size comes back as it was kept, and is that of its tenant, store, form and revision.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	db := openDB(t, pgtest.URL(t))
	s, other := open(t, db, "x"), open(t, db, "y")
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	for i, size := range []int{1, 1<<20 - 1, 1 << 20, 4<<20 - 1, 4 << 20, 4<<20 + 1, 9<<20 + 17} {
		content, at := random(size), hippo.Revision(10*(i+1))
		keepSnapshot(t, s, "id", "15-a", at, content)
		checkSnapshot(t, s, "id", "15-a", at, content)
		content = random(size/2 + 1)
		keepSnapshot(t, s, "id", "15-a", at, content)
		checkSnapshot(t, s, "id", "15-a", at, content)
	}
	checkNewest(t, s, "id", "15-a", highest, 70)
	checkNewest(t, s, "id", "15-a", 69, 60)
	checkNewest(t, s, "id", "15-a", 59, 0)
	checkNewest(t, s, "id", "15-b", highest, 0)
	checkNewest(t, s, "another", "15-a", highest, 0)
	checkNewest(t, other, "id", "15-a", highest, 0)
	wants(t, "fetch", s.Snapshots().Fetch(t.Context(), "id", "15-a", 50, io.Discard), hippo.ErrNotFound, "no snapshot of revision 50")
}

// What stays are two of the form, one of another, and nothing of a store that had the tenant before, or of changes that were lost.
func TestSnapshots_old(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := open(t, openDB(t, url), "x")
	list := func() []string {
		return texts(t, url, "SELECT concat_ws(' ', store, form, revision) FROM hippo.snapshot WHERE part = 0 ORDER BY store, form, revision")
	}
	keepSnapshot(t, s, "before", "15-a", 99, []byte("x"))
	for _, at := range []hippo.Revision{1, 2, 3} {
		keepSnapshot(t, s, "id", "14-a", at, []byte("x"))
	}
	for _, at := range []hippo.Revision{5, 6, 7, 8} {
		keepSnapshot(t, s, "id", "15-a", at, []byte("x"))
	}
	if got, want := list(), []string{"id 14-a 3", "id 15-a 7", "id 15-a 8"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	keepSnapshot(t, s, "id", "15-a", 6, []byte("x"))
	if got, want := list(), []string{"id 14-a 3", "id 15-a 6"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// failing reads some bytes of a file that ends too early.
type failing struct{ err error }

func (f failing) ReadAt(b []byte, at int64) (int, error) {
	if at >= 6<<20 {
		return 0, f.err
	}
	return len(b), nil
}

// A snapshot is kept whole or not at all.
func TestSnapshots_half(t *testing.T) {
	t.Parallel()
	s := open(t, openDB(t, pgtest.URL(t)), "x")
	keepSnapshot(t, s, "id", "15-a", 5, []byte("former"))
	fault := errors.New("out of order")
	for _, at := range []hippo.Revision{5, 6} {
		if err := s.Snapshots().Keep(t.Context(), "id", "15-a", at, io.NewSectionReader(failing{fault}, 0, 8<<20)); !errors.Is(err, fault) {
			t.Errorf("got %v, want %v", err, fault)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Snapshots().Keep(ctx, "id", "15-a", 7, section(make([]byte, 8<<20))); err == nil {
		t.Error("want an error after the end of the context")
	}
	checkNewest(t, s, "id", "15-a", highest, 5)
	checkSnapshot(t, s, "id", "15-a", 5, []byte("former"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := s.Snapshots().Newest(t.Context(), "id", "15-a", highest)
	for what, err := range map[string]error{"newest": err, "keep": s.Snapshots().Keep(t.Context(), "id", "15-a", 8, section([]byte("x"))), "fetch": s.Snapshots().Fetch(t.Context(), "id", "15-a", 5, io.Discard)} {
		wants(t, fmt.Sprint(what, " of a closed store"), err, hippo.ErrUnavailable, "closed")
	}
}

// BenchmarkSnapshots keeps and fetches files of the sizes that the index of 1,000 and 10,000 memories has.
func BenchmarkSnapshots(b *testing.B) {
	db := openDB(b, pgtest.URL(b))
	for _, mib := range []int{4, 45} {
		content := make([]byte, mib<<20)
		for i := range content {
			content[i] = byte(i * i >> 7)
		}
		s := open(b, db, fmt.Sprint(mib))
		b.Run(fmt.Sprint("keep/", mib), func(b *testing.B) {
			for b.Loop() {
				keepSnapshot(b, s, "id", "15-a", 1, content)
			}
		})
		b.Run(fmt.Sprint("fetch/", mib), func(b *testing.B) {
			keepSnapshot(b, s, "id", "15-a", 1, content)
			file, err := os.Create(filepath.Join(b.TempDir(), "file"))
			if err != nil {
				b.Fatal(err)
			}
			defer file.Close() //nolint:errcheck // a benchmark
			for b.Loop() {
				if _, err := file.Seek(0, io.SeekStart); err != nil {
					b.Fatal(err)
				}
				if err := s.Snapshots().Fetch(b.Context(), "id", "15-a", 1, file); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
