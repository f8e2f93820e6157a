package dirstore_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// vote changes one memory and keeps what it was, as a vote does.
func vote(tx driver.Tx) error {
	m := memory(1)
	m.Pinned = true
	return errors.Join(tx.Put(m), keep(tx, 2, 1))
}

// wantVote checks that a vote is there with its history, or neither.
func wantVote(t *testing.T, s *dirstore.Store, done bool) {
	t.Helper()
	if got := get(t, s, 1).Pinned; got != done {
		t.Errorf("the memory is changed: %t, want %t", got, done)
	}
	if done {
		wantHistory(t, s, 1, 2, 1)
	} else {
		wantHistory(t, s, 1, 1)
	}
	noProblems(t, s)
}

// votable returns a place with a memory that was changed once.
func votable(t *testing.T) *place {
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1), memory(2))
	update(t, s, func(tx driver.Tx) error { return keep(tx, 1, 1) })
	return p
}

// TestCrash_between_the_steps_of_a_vote kills a writer before each change of the disk by a vote.
func TestCrash_between_the_steps_of_a_vote(t *testing.T) {
	t.Parallel()
	outcomes := map[bool]int{}
	for at, acked := 0, false; !acked; at++ {
		p := votable(t)
		c, out := child(t, p, "vote "+strconv.Itoa(at), 0)
		said, err := io.ReadAll(out)
		if err != nil || c.Wait() == nil {
			t.Fatalf("change %d: the writer was not killed: %s (%v)", at, said, err)
		}
		acked = string(said) == "committed <nil>\n"
		s := p.open()
		done := get(t, s, 1).Pinned
		if acked && !done || !acked && len(said) > 0 {
			t.Fatalf("change %d: the commit is done: %t, and the writer said %q", at, done, said)
		}
		wantVote(t, s, done)
		if left := p.leftovers(); len(left) != 0 {
			t.Errorf("change %d: temporary files: %v", at, left)
		}
		outcomes[done]++
	}
	if outcomes[false] < 4 || outcomes[true] < 4 {
		t.Errorf("%d crashes undid the vote, %d did not", outcomes[false], outcomes[true])
	}
}

// imageAt returns a place with the files as they are at the nth change of this kind by a write, as a
// crash of the machine might leave them. The replica is not among them.
func imageAt(t *testing.T, write func(driver.Tx) error, kind string, nth int) *place {
	t.Helper()
	p, image := votable(t), newPlace(t)
	s := p.openWith(p.options().WithFault(func(op, _ string) error {
		if op != kind {
			return nil
		}
		if nth--; nth != 0 {
			return nil
		}
		return errors.Join(os.RemoveAll(image.dir), os.CopyFS(image.dir, os.DirFS(p.dir)))
	}))
	update(t, s, write)
	replica, err := filepath.Glob(image.path(".hippo/derived.db*"))
	if err != nil || nth > 0 {
		t.Fatalf("%d changes are missing (%v)", nth, err)
	}
	for _, path := range replica {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	return image
}

// The journal is flushed beside the files that it names: one of them may be lost with the machine.
func TestCrash_of_the_machine_loses_a_file_that_was_not_flushed(t *testing.T) {
	t.Parallel()
	for what, lose := range map[string]func(path string) error{
		"nothing": nil,
		"file":    os.Remove,
		"content": func(path string) error { return os.Truncate(path, 0) },
		"end":     func(path string) error { return os.Truncate(path, 100) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			for lost := range 2 {
				p := imageAt(t, vote, "journaled", 1)
				files := p.leftovers()
				if len(files) != 2 {
					t.Fatalf("the files to rename are %v", files)
				}
				if lose != nil {
					if err := lose(files[lost]); err != nil {
						t.Fatal(err)
					}
				}
				s := p.open()
				wantVote(t, s, lose == nil)
				if lose != nil {
					update(t, s, vote)
				}
				wantVote(t, p.open(), true)
				if left := p.leftovers(); len(left) != 0 {
					t.Errorf("temporary files: %v", left)
				}
			}
		})
	}
}

// A commit that began to replace files is finished, also if another program put back one of them.
func TestCrash_of_the_machine_between_renames(t *testing.T) {
	t.Parallel()
	wantVote(t, imageAt(t, vote, "rename", 2).open(), true)

	p := imageAt(t, func(tx driver.Tx) error {
		m := memory(2)
		m.Pinned = true
		return errors.Join(vote(tx), tx.Put(m), keep(tx, 2, 2))
	}, "rename", 3)
	p.write(name(1), text(t, memory(1)))
	s := p.open()
	if get(t, s, 1).Pinned || !get(t, s, 2).Pinned {
		t.Error("the memories are not those in the files")
	}
	wantHistory(t, s, 1, 2, 1)
	wantHistory(t, s, 2, 2)
	noProblems(t, s)
}

// A crash of the machine may bring back a journal that was cleared: nothing follows from it.
func TestCrash_of_the_machine_brings_back_a_journal(t *testing.T) {
	t.Parallel()
	journal := imageAt(t, vote, "journaled", 1).read(".hippo/journal")
	if !strings.Contains(journal, `"after":[`) {
		t.Fatalf("the journal is %s", journal)
	}
	for what, later := range map[string]func(t *testing.T, s *dirstore.Store){
		"at once": func(*testing.T, *dirstore.Store) {},
		"after a purge": func(t *testing.T, s *dirstore.Store) {
			update(t, s, func(tx driver.Tx) error { return tx.Purge(id(1)) })
		},
		"after the vote was taken back": func(t *testing.T, s *dirstore.Store) { put(t, s, memory(1)) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := votable(t)
			s := p.open()
			update(t, s, vote)
			later(t, s)
			before := files(t, p)
			p.write(".hippo/journal", journal)
			s = p.open()
			put(t, s, memory(2))
			if after := files(t, p); !slices.Equal(before, after) {
				t.Errorf("the files were\n%v\nand are\n%v", before, after)
			}
			if p.read(".hippo/journal") != "" {
				t.Error("the journal is not cleared")
			}
		})
	}
}

// files returns names and contents of the files of a directory, but not those in .hippo.
func files(t *testing.T, p *place) (all []string) {
	t.Helper()
	for _, pattern := range []string{"*.json", "*.jsonl", "history/*"} {
		paths, err := filepath.Glob(p.path(pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, filepath.Base(path)+": "+string(b))
		}
	}
	return all
}

// A change waits for the disk twice: for the files with the journal, and for the folders. Only a
// commit that removes files waits for the end of its journal.
func TestWrite_flushes(t *testing.T) {
	t.Parallel()
	const temp = "sync temp"
	for what, tc := range map[string]struct {
		write func(tx driver.Tx) error
		want  []string
	}{
		"vote":   {vote, []string{"sync .hippo/journal", temp, temp, "rename", "rename", "sync .", "sync .hippo", "sync history"}},
		"purge":  {func(tx driver.Tx) error { return tx.Purge(id(1)) }, []string{"sync .hippo/journal", "remove", "remove", "sync .", "sync .hippo", "sync history", "sync .hippo/journal"}},
		"record": {func(tx driver.Tx) error { return tx.Put(memory(3)) }, []string{temp, "rename", "sync ."}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := votable(t)
			var mu sync.Mutex
			var ops []string
			s := p.openWith(p.options().WithFault(func(op, name string) error {
				mu.Lock()
				defer mu.Unlock()
				switch {
				case op == "sync" && strings.HasPrefix(name, ".hippo/tmp-"):
					ops = append(ops, temp)
				case op == "sync":
					ops = append(ops, op+" "+name)
				case op == "rename", op == "remove":
					ops = append(ops, op)
				}
				return nil
			}))
			mu.Lock()
			ops = nil
			mu.Unlock()
			update(t, s, tc.write)
			mu.Lock()
			defer mu.Unlock()
			sortRuns(ops)
			if !slices.Equal(ops, tc.want) {
				t.Errorf("got %q, want %q", ops, tc.want)
			}
		})
	}
}

// sortRuns sorts what was flushed side by side. The end of a journal is no part of that.
func sortRuns(ops []string) {
	from := 0
	for i, op := range ops {
		if !strings.HasPrefix(op, "sync ") || i > 0 && op == "sync .hippo/journal" && slices.Contains(ops[:i], op) {
			slices.Sort(ops[from:i])
			from = i + 1
		}
	}
	slices.Sort(ops[from:])
}

// The files of a commit may be larger than one memory.
func TestCrash_with_a_large_file(t *testing.T) {
	t.Parallel()
	p := imageAt(t, vote, "rename", 2)
	p.write(historyFile(1), strings.Repeat("x", 9<<20))
	s := p.open()
	put(t, s, memory(3))
	if !get(t, s, 1).Pinned {
		t.Error("the commit is not finished")
	}
}
