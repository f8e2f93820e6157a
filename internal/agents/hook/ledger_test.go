package hook_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/hippo-memory/hippo/internal/agents/hook"
)

// A damaged ledger is begun again; one that another hook holds is waited for.
func TestLedger(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.run(hook.SessionStart, "claude-code", nil)
	paths, err := filepath.Glob(filepath.Join(f.StateDir, "sessions", "*.json"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("ledgers %v (%v)", paths, err)
	}
	if err := os.WriteFile(paths[0], []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := f.run(hook.SessionStart, "claude-code", nil); !strings.Contains(out, "linter") {
		t.Errorf("got %q", out)
	}
	// Hooks at once: one injects, and the others find it in the ledger.
	f.LockTimeout = time.Minute
	results := make(chan string, 8)
	for range cap(results) {
		go func() {
			out, err := f.try(hook.SessionStart, "claude-code", object{"session_id": "together"})
			results <- fmt.Sprint(len(out) > 0, err)
		}()
	}
	injected := 0
	for range cap(results) {
		switch r := <-results; r {
		case "true <nil>":
			injected++
		case "false <nil>":
		default:
			t.Error(r)
		}
	}
	if injected != 1 {
		t.Errorf("%d of %d hooks of a session injected, want 1", injected, cap(results))
	}
}

// A hook that does not get the lock of the ledger in time injects nothing.
func TestLedger_Locked(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.run(hook.SessionStart, "claude-code", object{"source": "startup"})
	locks, err := filepath.Glob(filepath.Join(f.StateDir, "sessions", "*.lock"))
	if err != nil || len(locks) != 1 {
		t.Fatalf("locks %v (%v)", locks, err)
	}
	lock := flock.New(locks[0])
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatalf("not locked: %v", err)
	}
	f.LockTimeout = time.Nanosecond
	out, err := f.try(hook.SessionStart, "claude-code", object{"source": "compact"})
	if out != "" || err == nil || !strings.HasPrefix(err.Error(), "ledger: locked by another process") {
		t.Errorf("printed %q (%v)", out, err)
	}
	f.LockTimeout = time.Minute
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if out := f.run(hook.SessionStart, "claude-code", object{"source": "compact"}); !strings.Contains(out, "linter") {
		t.Errorf("after it was unlocked: %q", out)
	}
}

// Old ledgers are deleted when a session begins.
func TestLedger_Prune(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.run(hook.SessionStart, "claude-code", object{"session_id": "old"})
	paths, _ := filepath.Glob(filepath.Join(f.StateDir, "sessions", "*"))
	for _, p := range paths {
		if err := os.Chtimes(p, noon().AddDate(0, -1, 0), noon().AddDate(0, -1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	f.run(hook.SessionStart, "claude-code", object{"session_id": "new"})
	for _, p := range paths {
		if _, err := os.Stat(p); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there", filepath.Base(p))
		}
	}
}

// The lock of a session that goes on for weeks stays, though only its ledger is written again.
func TestLedger_PruneKeepsLocks(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.run(hook.SessionStart, "claude-code", object{"session_id": "long"})
	locks, _ := filepath.Glob(filepath.Join(f.StateDir, "sessions", "*.lock"))
	if len(locks) != 1 {
		t.Fatalf("locks %v", locks)
	}
	if err := os.Chtimes(locks[0], noon().AddDate(0, -1, 0), noon().AddDate(0, -1, 0)); err != nil {
		t.Fatal(err)
	}
	f.run(hook.SessionStart, "claude-code", object{"session_id": "new"})
	if _, err := os.Stat(locks[0]); err != nil {
		t.Error(err)
	}
}
