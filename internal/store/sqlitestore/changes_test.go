package sqlitestore_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// listed returns n memories with lists of different lengths.
func listed(n int) []*hippo.Memory {
	ms := make([]*hippo.Memory, n)
	for i := range ms {
		m := memory(0)
		binary.BigEndian.PutUint16(m.ID[14:], uint16(i))
		for k := range i % 4 {
			m.Situation = append(m.Situation, fmt.Sprintf("element %d\x00of %d", 9-k, i))
		}
		for k := range i % 3 {
			m.Tags = append(m.Tags, fmt.Sprintf("tag-%d-%d", 9-k, i))
		}
		for k := range i % 5 {
			m.Accesses = append(m.Accesses, hippo.Access{Day: hippo.Day(1 + k), Count: 1 + k})
		}
		if i%7 == 0 {
			m.Metadata, m.EventTime = map[string]json.RawMessage{"a": json.RawMessage(`"b"`)}, time.UnixMicro(int64(i)).UTC()
		}
		ms[i] = m
	}
	return ms
}

func readAll(t *testing.T, s *sqlitestore.Store, since hippo.Revision) []driver.Change {
	t.Helper()
	var list []driver.Change
	for c, err := range s.Changes(t.Context(), since) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

// Changes yields what Get returns, whether the keys of a page follow each other or are scattered.
func TestChanges_pages(t *testing.T) {
	t.Parallel()
	const n = 300 // of 20 KB: two pages
	path := filepath.Join(t.TempDir(), "memory.db")
	s, ms := open(t, path), listed(n)
	for _, m := range ms {
		m.Content = strings.Repeat("long ", 4000)
		m.ContentHash = hippo.HashContent(m.Content)
	}
	if err := s.Write(t.Context(), driver.Lazy, put(ms...)); err != nil {
		t.Fatal(err)
	}
	wantAsGet(t, s, readAll(t, s, 0), n)
	raw(t, path, "UPDATE memory SET revision = revision + 1000 WHERE pk % 4 = 0; UPDATE state SET revision = revision + 1000")
	wantAsGet(t, s, readAll(t, s, n), n/4)
}

// wantAsGet expects n changes, of the memories that Get returns.
func wantAsGet(t *testing.T, s *sqlitestore.Store, changes []driver.Change, n int) {
	t.Helper()
	ids, got := make([]hippo.ID, len(changes)), make([]*hippo.Memory, len(changes))
	for i, c := range changes {
		ids[i], got[i] = c.ID, c.Memory
	}
	want, err := s.Get(t.Context(), ids)
	if d := cmp.Diff(want, got); err != nil || len(want) != n || d != "" {
		t.Errorf("got %d changes, want %d as Get returns them (%v; -want +got):\n%s", len(changes), n, err, d)
	}
}

func clones(ms []*hippo.Memory) []*hippo.Memory {
	out := make([]*hippo.Memory, len(ms))
	for i, m := range ms {
		out[i] = m.Clone()
	}
	return out
}

// An element that is not UTF-8 makes one memory of a page unreadable.
func TestChanges_invalidElement(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	s := open(t, path)
	if err := s.Write(t.Context(), driver.Durable, put(listed(100)...)); err != nil {
		t.Fatal(err)
	}
	raw(t, path, "UPDATE situation SET text = CAST(x'61ff' AS TEXT) WHERE memory = 3 AND pos = 0; UPDATE tag SET text = CAST(x'61ff' AS TEXT) WHERE memory = 6")
	bad := 0
	for i, c := range readAll(t, s, 0) {
		if c.Unreadable == nil {
			continue
		}
		bad++
		if want := map[int]string{2: "situation: not UTF-8", 5: "tags: not UTF-8"}[i]; want == "" || !strings.Contains(c.Unreadable.Error(), want) {
			t.Errorf("change %d: got %v, want %q", i, c.Unreadable, want)
		}
	}
	if bad != 2 {
		t.Errorf("%d memories are unreadable, want 2", bad)
	}
}

// Memories whose lists lie on a damaged page are yielded as unreadable.
func TestChanges_damagedList(t *testing.T) {
	t.Parallel()
	s := open(t, pageDamaged(t, "situation"))
	bad := 0
	changes := readAll(t, s, 0)
	for _, c := range changes {
		switch {
		case c.Unreadable != nil:
			bad++
		case len(c.Memory.Situation) != 1:
			t.Errorf("%v has the situation %q", c.ID, c.Memory.Situation)
		}
	}
	if len(changes) != 100 || bad == 0 {
		t.Errorf("got %d changes, %d of them unreadable; want 100, and some", len(changes), bad)
	}
}

// A row and its lists are of one moment.
func TestChanges_snapshot(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "memory.db"))
	ms := listed(50)
	write := func(n int) error {
		return s.Write(t.Context(), driver.Lazy, func(tx driver.Tx) error {
			list := clones(ms)
			for _, m := range list {
				m.Source.Seq, m.Tags = n, []string{strconv.Itoa(n)}
			}
			return tx.Put(list...)
		})
	}
	if err := write(0); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for n := 1; ; n++ {
			select {
			case <-done:
				return
			default:
			}
			if err := write(n); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 40 {
		for _, c := range readAll(t, s, 0) {
			if m := c.Memory; m == nil || !slices.Equal(m.Tags, []string{strconv.Itoa(m.Source.Seq)}) {
				t.Errorf("a change of version %d has the tags %q", m.Source.Seq, m.Tags)
			}
		}
	}
	close(done)
	writer.Wait()
}
