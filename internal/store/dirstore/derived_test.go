package dirstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

const derived = ".hippo/derived.db"

// closed closes a store now.
func closed(t testing.TB, s *dirstore.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// sql runs a statement on the derived file.
func (p *place) sql(query string, args ...any) {
	p.t.Helper()
	db, err := sqlitex.Open(p.t.Context(), p.path(derived), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	err = db.Update(p.t.Context(), driver.Durable, func(tx *sqlitex.Tx) error { return tx.Exec(query, args...) })
	if err := errors.Join(err, db.Close()); err != nil {
		p.t.Fatal(err)
	}
}

// What has no other copy, such as relations that were learned, stays when the tables of a new program replace those of an earlier one.
// All files are read again: the earlier program may have left out what it did not know.
func TestDerived_earlier_version(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1), memory(2))
	learned, declared := relation(1, 2, hippo.CoRecalled, .5), relation(2, 1, "explains", .25)
	relate(t, s, learned, declared)
	before := get(t, s, 1)
	closed(t, s)
	p.sql("ALTER TABLE tombstone DROP COLUMN removed") // what the latest migration made
	p.sql("PRAGMA user_version = 10001")
	p.sql("UPDATE memory SET content = 'left out by an earlier program' WHERE id = (SELECT memory FROM file WHERE holder LIMIT 1)")
	s = p.open()
	wantRelations(t, s, learned, declared)
	if got := get(t, s, 1); got.Content != before.Content {
		t.Errorf("got %q, want %q", got.Content, before.Content)
	}
	closed(t, s)
	p.sql("PRAGMA user_version = 10002")
	s = p.open()
	wantRelations(t, s, declared)
}

// What is acknowledged stays, whenever .hippo is deleted.
func TestDerived_may_be_deleted_while_processes_write(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	a, b := p.open(), p.open()
	const rounds, each = 8, 10
	var acked [2][]int
	for round := range rounds {
		var wg sync.WaitGroup
		for i, s := range []*dirstore.Store{a, b} {
			wg.Go(func() {
				for n := range each {
					n += (2*round + i) * each
					err := s.Write(context.Background(), driver.Durable, func(tx driver.Tx) error { return tx.Put(memory(n)) })
					if err == nil {
						acked[i] = append(acked[i], n)
					} else {
						t.Logf("write %d: %v", n, err)
					}
				}
			})
		}
		if round%2 == 0 {
			if err := os.Rename(p.path(".hippo"), fmt.Sprintf("%s-%d", p.dir, round)); err != nil {
				t.Error(err)
			}
		} else {
			_ = os.RemoveAll(p.path(".hippo")) // of which a part may be there again
		}
		wg.Wait()
	}
	if 4*(len(acked[0])+len(acked[1])) < 3*2*rounds*each {
		t.Errorf("only %d and %d of %d writes succeeded", len(acked[0]), len(acked[1]), 2*rounds*each)
	}
	for _, s := range []*dirstore.Store{a, b, p.open()} {
		for _, list := range acked {
			for _, n := range list {
				get(t, s, n)
			}
		}
		noProblems(t, s)
	}
}

func TestDerived_damaged_is_rebuilt(t *testing.T) {
	t.Parallel()
	for what, damage := range map[string]func(b []byte) []byte{
		"header":    func(b []byte) []byte { return append([]byte(strings.Repeat("x", 100)), b[100:]...) },
		"pages":     func(b []byte) []byte { return append(b[:4096], make([]byte, len(b)-4096)...) },
		"cut":       func(b []byte) []byte { return b[:len(b)/2] },
		"empty":     func([]byte) []byte { return nil },
		"no_sqlite": func([]byte) []byte { return []byte("these are notes") },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			s := p.open()
			put(t, s, memory(1), memory(2))
			closed(t, s)
			p.write(derived, string(damage([]byte(p.read(derived)))))
			s = p.open()
			get(t, s, 1)
			if h := head(t, s); h.Memories != 2 {
				t.Errorf("head is %+v", h)
			}
			put(t, s, memory(3))
			get(t, p.open(), 3)
			noProblems(t, s)
		})
	}
}

// Every first call after the damage finds it or passes it by; none fails, and a check leaves a sound file.
func TestDerived_damaged_page_is_rebuilt_by_the_call_that_meets_it(t *testing.T) {
	t.Parallel()
	const n = 60 // the memories fill several pages
	calls := map[string]func(s *dirstore.Store) error{
		"add": func(s *dirstore.Store) error {
			return s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.Put(memory(n + 1)) })
		},
		"vectors": func(s *dirstore.Store) error {
			return s.PutVectors(t.Context(), "m", []driver.Vector{{ID: id(n), Text: 1, Values: []float32{1}}})
		},
		"check": func(s *dirstore.Store) error {
			found, err := s.Check(t.Context())
			if len(found) > 0 {
				t.Errorf("check found %v", found)
			}
			return err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			s := p.open()
			for i := range n {
				m := memory(i + 1)
				m.Content += strings.Repeat(" and more", 100)
				m.ContentHash = hippo.HashContent(m.Content)
				put(t, s, m)
			}
			closed(t, s)
			b := []byte(p.read(derived))
			at := strings.LastIndex(string(b), "insight 60 and more")
			if at < 0 {
				t.Fatal("the replica does not have the last memory")
			}
			copy(b[at-at%4096:], strings.Repeat("\xa5", 16))
			p.write(derived, string(b))
			s = p.open()
			if err := call(s); err != nil {
				t.Error(err)
			}
			noProblems(t, s)
			if _, err := s.Check(t.Context()); err != nil {
				t.Error(err)
			}
			get(t, p.open(), n)
			if b := p.read(derived); strings.Contains(b, strings.Repeat("\xa5", 16)) {
				t.Error("the damaged page is still in the file")
			}
		})
	}
}

// The pages of SQLite have no checksums: a damaged text is recognized by its hash.
func TestDerived_a_wrong_text_is_rebuilt(t *testing.T) {
	t.Parallel()
	for what, use := range map[string]func(s *dirstore.Store) error{
		"read": func(s *dirstore.Store) error {
			get(t, s, 1)
			return nil
		},
		"write": func(s *dirstore.Store) error {
			return s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
				ms, err := tx.Get(id(1))
				if err != nil {
					return err
				}
				ms[0].Pinned = true
				return tx.Put(ms...)
			})
		},
	} {
		p := newPlace(t)
		s := p.open()
		put(t, s, memory(1), memory(2))
		closed(t, s)
		p.sql("UPDATE memory SET content = 'insighd 1' WHERE content = 'insight 1'")
		s = p.open()
		if err := use(s); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		put(t, s, memory(3))
		for _, s := range []*dirstore.Store{s, p.open()} {
			for n := 1; n <= 3; n++ {
				if got := get(t, s, n); got.Content != memory(n).Content || got.Pinned != (what == "write" && n == 1) {
					t.Errorf("%s: memory is %+v", what, got)
				}
			}
			noProblems(t, s)
		}
	}
}

// A copy that lost its last commits, as by a crash of the machine, does not give out their
// revisions again.
func TestDerived_revisions_that_were_lost_are_skipped(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1))
	closed(t, s)
	before := p.read(derived)
	s = p.open()
	m := memory(3)
	put(t, s, memory(2), m)
	closed(t, s)
	p.write(derived, before)
	s = p.open()
	if cs := changes(t, s, m.Revision); len(cs) != 2 {
		t.Errorf("%d changes above revision %d, want 2", len(cs), m.Revision)
	}
}

// Neither the size nor the time of a file have to differ.
func TestDerived_an_edit_that_keeps_size_and_time_is_seen(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1))
	for _, open := range []bool{true, false} {
		i, err := os.Stat(p.path(name(1)))
		if err != nil {
			t.Fatal(err)
		}
		from, to := "insight 1", "insight x"
		if !open {
			from, to = to, "insight y"
			closed(t, s)
		}
		p.edit(name(1), from, to)
		if err := os.Chtimes(p.path(name(1)), i.ModTime(), i.ModTime()); err != nil {
			t.Fatal(err)
		}
		if open {
			rescan(t, s)
		} else {
			s = p.open()
		}
		if got := get(t, s, 1); got.Content != to {
			t.Errorf("content is %q, want %q", got.Content, to)
		}
	}
}

// A file that was changed in the same moment of the file system's clock in which it was
// read has the same stamp afterwards. It is read again; others are not.
func TestDerived_an_edit_in_the_moment_of_reading_is_seen(t *testing.T) {
	t.Parallel()
	for _, recent := range []bool{true, false} {
		p := newPlace(t)
		s := p.open()
		put(t, s, memory(1))
		closed(t, s)
		p.edit(name(1), "insight 1", "insight x")
		size, mtime, changed, inode, hash := dirstore.Stamp(t, p.path(name(1)))
		p.sql("UPDATE file SET size = ?, mtime = ?, changed = ?, inode = ?, recent = ?", size, mtime, changed, inode, recent)
		p.sql("UPDATE directory SET hash = ?", hash)
		want := "insight 1"
		if recent {
			want = "insight x"
		}
		if got := get(t, p.open(), 1); got.Content != want {
			t.Errorf("recent %t: content is %q, want %q", recent, got.Content, want)
		}
	}
}

func TestStore_the_directory_is_replaced_while_it_is_open(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.openWith(&dirstore.Options{Poll: -1, Debounce: time.Millisecond})
	put(t, s, memory(1))
	aside := p.dir + "-aside"
	if err := os.Rename(p.dir, aside); err != nil {
		t.Fatal(err)
	}
	_, err := s.Head(t.Context())
	werr := s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.Put(memory(2)) })
	for _, err := range []error{err, werr} {
		if !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "put it back") {
			t.Errorf("got error %v", err)
		}
	}
	p.write(name(3), text(t, memory(3)))
	missing(t, s, 1)
	get(t, s, 3)
	put(t, s, memory(4))
	get(t, p.open(), 4)
	p.write(name(5), text(t, memory(5)))
	eventually(t, "the new directory is watched", func() bool { return head(t, s).Memories == 3 })
}

func TestStore_a_newer_format_is_refused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(name(1), text(t, memory(1)))
	const newer = `{"format": 2, "active_day_counter": 3}`
	p.write("metadata.json", newer)
	_, err := dirstore.Open(t.Context(), p.dir, nil)
	if !errors.Is(err, hippo.ErrUnsupported) || !strings.Contains(err.Error(), "format version 2") {
		t.Errorf("got error %v", err)
	}
	if p.read("metadata.json") != newer || p.read(name(1)) != text(t, memory(1)) {
		t.Error("a file was changed")
	}
	p.write("metadata.json", `{"format": 1, "active_day_counter": 3}`)
	s := p.open()
	setCalendar(t, s, driver.Calendar{Day: 4, Date: "2025-08-04"})
	if got := p.read("metadata.json"); !strings.Contains(got, `"format": 1`) {
		t.Errorf("metadata.json is %s", got)
	}
	p.write("metadata.json", newer)
	err = s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.Put(memory(2)) })
	if !errors.Is(err, hippo.ErrUnsupported) || p.exists(name(2)) {
		t.Errorf("a write returned %v", err)
	}
}

// A memory that no program of ours would have written can be read, changed and written.
func TestStore_a_hostile_file_is_a_memory_as_any_other(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(name(1), strings.Replace(text(t, memory(1)), "insight 1", `x\u001b]52;c;eA==\u0007\u001b[2J`, 1))
	deep := strings.Repeat("[", 2500) + strings.Repeat("]", 2500)
	p.write(name(2), strings.Replace(text(t, memory(2)), "{", `{"q":`+deep+",", 1))
	s := p.open()
	for n := 1; n <= 2; n++ {
		m := get(t, s, n)
		if err := m.Validate(); err != nil {
			t.Errorf("memory %d: %v", n, err)
		}
		m.Importance.Value = 0.75
		put(t, s, m)
		if got := get(t, p.open(), n); got.Importance.Value != 0.75 || got.Content != m.Content {
			t.Errorf("memory is %+v", got)
		}
	}
	if got := get(t, s, 2).Metadata["$q"]; string(got) != deep {
		t.Errorf("metadata are %.40s", got)
	}
	if !json.Valid([]byte(p.read(name(2)))) {
		t.Error("the file is not JSON")
	}
}
