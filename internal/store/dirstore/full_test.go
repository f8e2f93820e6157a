package dirstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// TestOpen_FullDisk: a directory on a full disk is read, and a write says that there is no space.
func TestOpen_FullDisk(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	f := &failing{op: "write", err: syscall.ENOSPC, on: true}
	s = p.openWith(p.options().WithFault(f.fault))
	get(t, s, 1)
	err := s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.Put(memory(2)) })
	if !errors.Is(err, hippo.ErrFull) {
		t.Errorf("a write: %v, want %v", err, hippo.ErrFull)
	}
}

// TestProblems_CopyOfASyncProgram: the advice about a copy that a program for synchronisation made takes it in.
func TestProblems_CopyOfASyncProgram(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{" (conflicted copy 2026-01-02)", ".sync-conflict-20260102-101112-ABCDEFG", " 2", "-LAPTOP"} {
		p := newPlace(t)
		s := p.open()
		put(t, s, memory(1))
		name := filepath.Join(p.dir, memory(1).ID.String()+".json")
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		other := strings.TrimSuffix(name, ".json") + mark + ".json"
		if err := os.WriteFile(other, []byte(strings.Replace(string(b), memory(1).Content, "what the other machine wrote", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		list, err := s.Problems(t.Context())
		if err != nil || len(list) != 1 || !strings.Contains(list[0].Err, "rename it to "+filepath.Base(name)) {
			t.Fatalf("%q: %+v, %v", mark, list, err)
		}
		if err := os.Rename(other, name); err != nil {
			t.Fatal(err)
		}
		if err := s.Sync(); err != nil {
			t.Fatal(err)
		}
		noProblems(t, s)
		if got := get(t, s, 1).Content; got != "what the other machine wrote" {
			t.Errorf("%q: the text is %q", mark, got)
		}
	}
}
