package dirstore_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func TestStore_an_edited_file_is_a_new_revision_and_version(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1), memory(2))
	before := head(t, s).Revision
	p.edit(name(1), "insight 1", "insight one")
	rescan(t, s)
	got := get(t, s, 1)
	if got.Content != "insight one" || got.ContentHash != hippo.HashContent("insight one") || got.Version != 2 {
		t.Errorf("memory is %+v", got)
	}
	cs := changes(t, s, before)
	if len(cs) != 1 || cs[0].ID != id(1) || cs[0].Revision != head(t, s).Revision {
		t.Errorf("changes are %+v", cs)
	}
	if strings.Contains(p.read(name(1)), "version") {
		t.Error("the edited file was written again")
	}
	equal(t, "memory after opening again", get(t, p.open(), 1), got)
	p.edit(name(1), `"importance": 0.5`, `"importance": 0.75`)
	rescan(t, s)
	if got := get(t, s, 1); got.Importance.Value != 0.75 {
		t.Errorf("importance is %v", got.Importance)
	}
	noProblems(t, s)
}

func TestStore_files_come_and_go(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.writeOld(name(1), oldText(t, memory(1)))
	s := p.open()
	get(t, s, 1)
	p.write(name(2), text(t, memory(2)))
	before := head(t, s).Revision
	rescan(t, s)
	get(t, s, 2)
	p.remove(name(1))
	rescan(t, s)
	missing(t, s, 1)
	cs := changes(t, s, before)
	if len(cs) != 2 || cs[1].ID != id(1) || cs[1].Memory != nil {
		t.Errorf("changes are %+v", cs)
	}
	if h := head(t, s); h.Memories != 1 {
		t.Errorf("head is %+v", h)
	}
	p.write(name(1), text(t, memory(1)))
	rescan(t, s)
	get(t, s, 1)
}

func TestStore_watches_the_directory(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.openWith(&dirstore.Options{Poll: -1, Debounce: time.Millisecond})
	put(t, s, memory(1))
	p.edit(name(1), "insight 1", "insight one")
	p.write(name(2), text(t, memory(2)))
	p.write("metadata.json", `{"active_day_counter": 7, "last_calendar_date_used": "2025-08-02"}`)
	eventually(t, "edits are seen", func() bool {
		h := head(t, s)
		return h.Memories == 2 && h.Calendar.Day == 7 && get(t, s, 1).Content == "insight one"
	})
	p.remove(name(2))
	eventually(t, "deletion is seen", func() bool { return head(t, s).Memories == 1 })
}

func TestStore_polls_when_it_cannot_watch(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var log syncWriter
	o := dirstore.Options{Poll: 5 * time.Millisecond, Log: slog.New(slog.NewTextHandler(&log, nil))}
	s := p.openWith(o.WithFault(func(op, _ string) error {
		if op == "watch" {
			return syscall.EMFILE
		}
		return nil
	}))
	if n := strings.Count(log.String(), "cannot be watched"); n != 1 {
		t.Errorf("logged %d times:\n%s", n, &log)
	}
	p.write(name(1), text(t, memory(1)))
	eventually(t, "a new file is seen", func() bool { return head(t, s).Memories == 1 })
}

func TestStore_a_half_written_file_is_waited_for(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1))
	whole := strings.Replace(p.read(name(1)), "insight 1", "insight one", 1)
	for _, part := range []string{"", whole[:40]} {
		p.write(name(1), part)
		rescan(t, s)
		if got := get(t, s, 1); got.Content != "insight 1" {
			t.Errorf("content is %q", got.Content)
		}
		ps := problems(t, s)
		if len(ps) != 1 || ps[0].Path != p.path(name(1)) || ps[0].Was != ps[0].Path {
			t.Errorf("problems: %+v", ps)
		}
		p.advance(time.Second)
	}
	p.write(name(1), whole)
	rescan(t, s)
	if got := get(t, s, 1); got.Content != "insight one" {
		t.Errorf("content is %q", got.Content)
	}
	noProblems(t, s)
}

func TestStore_a_corrupt_file_is_quarantined_and_repaired(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var log syncWriter
	o := p.options()
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	s := p.openWith(&o)
	put(t, s, memory(1))
	before := p.read(name(1))
	p.write(name(1), "<<<<<<< HEAD")
	for range 3 {
		rescan(t, s)
		p.advance(3 * time.Second)
	}
	if got := p.read(name(1)); got != before {
		t.Errorf("file is %q", got)
	}
	get(t, s, 1)
	ps := problems(t, s)
	if len(ps) != 1 || ps[0].Was != p.path(name(1)) || !strings.Contains(ps[0].Err, "broken JSON") {
		t.Fatalf("problems: %+v", ps)
	}
	if b, err := os.ReadFile(ps[0].Path); err != nil || string(b) != "<<<<<<< HEAD" {
		t.Errorf("quarantined file is %q, %v", b, err)
	}
	if n := strings.Count(log.String(), "moved to quarantine"); n != 1 || !strings.Contains(log.String(), filepath.Base(ps[0].Path)) {
		t.Errorf("logged %d times:\n%s", n, &log)
	}
	again := p.open()
	equal(t, "memory", get(t, again, 1), get(t, s, 1))
	equal(t, "problems", problems(t, again), ps)
}

func TestStore_a_file_that_was_always_corrupt_is_quarantined_on_opening(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.writeOld(name(1), text(t, memory(1)))
	p.writeOld(name(2), `{"uuid": 1}`)
	p.write(name(3), "\xff\xfe")
	s := p.open()
	if h := head(t, s); h.Memories != 1 {
		t.Errorf("head is %+v", h)
	}
	ps := problems(t, s)
	if len(ps) != 2 || ps[0].Was != p.path(name(2)) || p.exists(name(2)) || ps[1].Path != p.path(name(3)) {
		t.Errorf("problems: %+v", ps)
	}
}

func TestStore_a_file_unreadable_at_opening_is_no_deletion(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1), memory(2))
	known := head(t, s).Revision
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole := p.read(name(1))
	p.write(name(1), whole[:30])
	s = p.open()
	if got := get(t, s, 1); got.Content != "insight 1" {
		t.Errorf("content is %q", got.Content)
	}
	if cs := changes(t, s, known); len(cs) != 0 {
		t.Errorf("changes are %+v", cs)
	}
	p.write(name(1), whole)
	rescan(t, s)
	if got := get(t, s, 1); got.Revision > known {
		t.Errorf("revision is %d, was at most %d", got.Revision, known)
	}
}

func TestStore_writing_over_an_unreadable_file_quarantines_it(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1))
	p.write(name(1), "hands off")
	put(t, s, memory(1))
	ps := problems(t, s)
	if len(ps) != 1 || ps[0].Was != p.path(name(1)) {
		t.Fatalf("problems: %+v", ps)
	}
	if b, err := os.ReadFile(ps[0].Path); err != nil || string(b) != "hands off" {
		t.Errorf("quarantined file is %q, %v", b, err)
	}
}

func TestStore_the_name_of_a_file_may_be_wrong(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.writeOld(name(9), text(t, memory(1)))
	s := p.open()
	get(t, s, 1)
	missing(t, s, 9)
	if ps := problems(t, s); len(ps) != 1 || ps[0].Path != p.path(name(9)) || !strings.Contains(ps[0].Err, id(1).String()) {
		t.Errorf("problems: %+v", ps)
	}
	m := get(t, s, 1)
	m.Pinned = true
	put(t, s, m)
	if !p.exists(name(1)) || !p.exists(name(9)) {
		t.Error("a file is lost")
	}
	put(t, s, memory(9)) // whose name is taken
	s = p.open()
	if !get(t, s, 1).Pinned || get(t, s, 9).Content != "insight 9" {
		t.Error("memories are mixed up")
	}
}

func TestStore_a_name_taken_by_a_memory_without_another_file(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.writeOld(name(9), text(t, memory(1)))
	p.writeOld(name(1), text(t, memory(2)))
	s := p.open()
	put(t, s, memory(9))
	for _, s := range []*dirstore.Store{s, p.open()} {
		for _, n := range []int{1, 2, 9} {
			if got := get(t, s, n); got.Content != fmt.Sprintf("insight %d", n) {
				t.Errorf("memory %d is %q", n, got.Content)
			}
		}
	}
}

func TestStore_two_files_with_one_memory(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.writeOld(name(1), text(t, memory(1)))
	p.writeOld(name(5), strings.Replace(text(t, memory(1)), "insight 1", "a copy", 1))
	s := p.open()
	if got := get(t, s, 1); got.Content != "insight 1" {
		t.Errorf("content is %q", got.Content)
	}
	if ps := problems(t, s); len(ps) != 1 || ps[0].Path != p.path(name(5)) {
		t.Errorf("problems: %+v", ps)
	}
	p.remove(name(1))
	rescan(t, s)
	if got := get(t, s, 1); got.Content != "a copy" {
		t.Errorf("content is %q", got.Content)
	}
	p.write(name(1), text(t, memory(1)))
	rescan(t, s)
	update(t, s, func(tx driver.Tx) error { return tx.Purge(id(1)) })
	for _, s := range []*dirstore.Store{s, p.open()} {
		missing(t, s, 1)
	}
	if ps := problems(t, s); len(ps) != 1 || ps[0].Was != p.path(name(5)) {
		t.Errorf("problems: %+v", ps)
	}
}

func TestStore_a_write_takes_over_an_edit_first(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1), memory(2))
	p.edit(name(1), "insight 1", "insight one")
	p.remove(name(2))
	p.write(name(3), text(t, memory(3)))
	update(t, s, func(tx driver.Tx) error {
		ms, err := tx.Get(id(1), id(2), id(3))
		if err != nil {
			return err
		}
		for _, m := range ms {
			m.Touch(2, 1)
		}
		return tx.Put(ms...)
	})
	if got := get(t, s, 1); got.Content != "insight one" || len(got.Accesses) != 2 {
		t.Errorf("memory is %+v", got)
	}
	missing(t, s, 2)
	if got := get(t, s, 3); len(got.Accesses) != 2 {
		t.Errorf("memory is %+v", got)
	}
}

func TestStore_unknown_keys_survive(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.writeOld(name(1), strings.Replace(text(t, memory(1)), "{", `{"colour": {"r": 1.50},`, 1))
	p.writeOld("metadata.json", `{"theme": "dark", "active_day_counter": 3, "last_calendar_date_used": null}`)
	s := p.open()
	update(t, s, func(tx driver.Tx) error {
		ms, err := tx.Get(id(1))
		if err != nil {
			return err
		}
		ms[0].Importance.Value = 0.75
		if err := tx.SetCalendar(driver.Calendar{Day: 4, Date: "2025-08-03"}); err != nil {
			return err
		}
		return tx.Put(ms...)
	})
	var top map[string]any
	if err := json.Unmarshal([]byte(p.read(name(1))), &top); err != nil {
		t.Fatal(err)
	}
	equal(t, "colour", top["colour"], any(map[string]any{"r": 1.5}))
	equal(t, "importance", top["importance"], any(0.75))
	top = nil
	if err := json.Unmarshal([]byte(p.read("metadata.json")), &top); err != nil {
		t.Fatal(err)
	}
	equal(t, "metadata", top, map[string]any{"theme": "dark", "active_day_counter": 4.0, "last_calendar_date_used": "2025-08-03"})
}

func TestStore_what_the_old_program_drops_is_restored(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s, other := p.open(), p.open()
	m := memory(1)
	m.Pinned, m.Tags, m.Trust = true, []string{"keep"}, hippo.TrustNone
	m.Metadata = map[string]json.RawMessage{"$colour": json.RawMessage(`"red"`)}
	m.ForgottenAt = m.CreatedAt
	put(t, s, m)
	update(t, s, func(tx driver.Tx) error { return tx.SetCalendar(driver.Calendar{Day: 5, Date: "2025-08-09"}) })
	voted := memory(1)
	voted.Importance.Value = 0.75
	voted.Importance.SetAt = voted.Importance.SetAt.Add(time.Hour)
	voted.Accesses = append(voted.Accesses, hippo.Access{Day: 5, Count: 2})
	p.write(name(1), oldText(t, voted))
	rescan(t, s)
	want := m.Clone()
	want.Importance, want.Accesses = voted.Importance, voted.Accesses
	want.Importance.SetDay = 5
	for _, s := range []*dirstore.Store{s, other, p.open()} {
		got := get(t, s, 1)
		want.Revision = got.Revision
		equal(t, "memory", got, want)
	}
	if strings.Count(p.read(name(1)), "colour") != 1 {
		t.Errorf("file is\n%s", p.read(name(1)))
	}
}

func TestStore_a_checkout_of_many_files(t *testing.T) {
	t.Parallel()
	const n = 300
	p := newPlace(t)
	s, other := p.open(), p.open()
	ms := make([]*hippo.Memory, n)
	for i := range ms {
		ms[i] = memory(i)
	}
	put(t, s, ms...)
	before := head(t, s).Revision
	files := make(map[string]string)
	for i := range n / 3 {
		p.remove(name(i))
		p.edit(name(n/3+i), "insight", "older insight")
		files[name(n/3+i)] = p.read(name(n/3 + i))
		files[name(n+i)] = text(t, memory(n+i))
		p.write(name(n+i), files[name(n+i)])
	}
	rescan(t, s)
	if got := len(changes(t, s, before)); got != n {
		t.Errorf("%d changes, want %d", got, n)
	}
	if h := head(t, s); h.Memories != n {
		t.Errorf("head is %+v", h)
	}
	equal(t, "changes seen by the other handle", changes(t, other, 0), changes(t, s, 0))
	for name, want := range files {
		if p.read(name) != want {
			t.Errorf("%s was written again", name)
		}
	}
	now := head(t, s).Revision
	rescan(t, other)
	if head(t, s).Revision != now {
		t.Error("the other handle found the same changes again")
	}
}

func TestStore_leaves_other_things_alone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	elsewhere := newPlace(t)
	elsewhere.write(name(1), text(t, memory(1)))
	p.write("notes.json", "{}")
	if err := os.Symlink(elsewhere.path(name(1)), p.path(name(1))); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(p.path(name(2)), 0o700); err != nil {
		t.Fatal(err)
	}
	s := p.open()
	put(t, s, memory(3))
	if h := head(t, s); h.Memories != 1 {
		t.Errorf("head is %+v", h)
	}
	var ignored []string
	for _, problem := range problems(t, s) {
		ignored = append(ignored, filepath.Base(problem.Path))
		if !strings.Contains(problem.Err, "is ignored") {
			t.Errorf("problem: %+v", problem)
		}
	}
	equal(t, "ignored files", ignored, []string{name(1), name(2), "notes.json"})
	for file, want := range map[string]os.FileMode{
		".": 0o700 | os.ModeDir, ".hippo": 0o700 | os.ModeDir, name(3): 0o600, ".hippo/derived.db": 0o600,
	} {
		if i, err := os.Stat(p.path(file)); err != nil || i.Mode() != want {
			t.Errorf("%s has mode %v, want %v, %v", file, i.Mode(), want, err)
		}
	}
	if p.read(".hippo/.gitignore") != "*\n" || p.read("notes.json") != "{}" {
		t.Error("a file is not as it should be")
	}
}
