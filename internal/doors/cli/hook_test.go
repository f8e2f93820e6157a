package cli_test

import (
	"bytes"
	"database/sql"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gofrs/flock"
)

// hookCase is a hook in a folder with a store, in which something is wrong.
type hookCase struct {
	// spoil makes it wrong, and returns more of the environment.
	spoil func(t *testing.T, dir string) []string
	stdin func(dir string) io.Reader
	// timeout is how long the hook may take; empty: longer than it needs.
	timeout string
	// log is what hook.log says; prints: the hook prints something nevertheless.
	log    string
	prints bool
}

// endless never ends, and gives nothing.
type endless struct{ done <-chan struct{} }

func (e endless) Read([]byte) (int, error) {
	<-e.done
	return 0, io.EOF
}

func hookInput(transcript string) func(string) io.Reader {
	return func(dir string) io.Reader {
		return strings.NewReader(`{"session_id":"s","cwd":"` + dir + `","transcript_path":"` + strings.ReplaceAll(transcript, "DIR", dir) + `","source":"startup"}`)
	}
}

// A hook ends, and with exit code 0, whatever hangs: git and the lock of the ledger are given up, and anything else
// when its time is over.
func TestHook_Deadline(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("it has no named pipes of this kind, and no scripts named git")
	}
	nothing := func(*testing.T, string) []string { return nil }
	for name, c := range map[string]hookCase{
		"stdin never ends":   {nothing, func(string) io.Reader { return endless{t.Context().Done()} }, "50ms", "no answer within 50ms", false},
		"locked store":       {lockStore, hookInput(""), "50ms", "no answer within 50ms", false},
		"locked ledger":      {lockLedger, hookInput(""), "", "ledger: locked", false},
		"git hangs":          {hangGit, hookInput(""), "", "", true},
		"no folder for logs": {blockState, hookInput(""), "", "", false},
		"transcript is a named pipe": {func(t *testing.T, dir string) []string {
			if err := exec.CommandContext(t.Context(), "mkfifo").Err; err != nil {
				t.Skipf("it needs a named pipe: %v", err)
			}
			if out, err := exec.CommandContext(t.Context(), "mkfifo", filepath.Join(dir, "pipe")).CombinedOutput(); err != nil {
				t.Fatalf("mkfifo: %v %s", err, out)
			}
			return nil
		}, hookInput("DIR/pipe"), "", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

// run runs the hook. One that never ends is ended by the time limit of the test.
func (c *hookCase) run(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "record", "Use tabs in Go files", "--type", "convention", "--project", "none", "--model", "static")
	env := append(environ(dir), c.spoil(t, dir)...)
	if c.timeout != "" {
		env = append(env, hookTimeoutName+"="+c.timeout)
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "hippo", "hook", "session-start", "--client", "claude-code")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &out, &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = io.Copy(in, c.stdin(dir))
		_ = in.Close()
	}()
	if err := cmd.Run(); err != nil {
		t.Errorf("ended with %v", err)
	}
	log, _ := os.ReadFile(filepath.Join(dir, "home", "state", "hippo", "hook.log"))
	if errs.Len() > 0 {
		t.Errorf("printed %q on stderr", &errs)
	}
	if (out.Len() > 0) != c.prints || !bytes.Contains(log, []byte(c.log)) || c.log == "" && len(log) > 0 {
		t.Errorf("printed %q; the log, which should have %q: %s", &out, c.log, log)
	}
}

// lockStore keeps the database of the default store locked against readers.
func lockStore(t *testing.T, dir string) []string {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "home", "data", "hippo", "memory.db"))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	for _, q := range []string{"PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "CREATE TABLE x (y)"} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	return nil
}

// lockLedger holds the ledger of the session.
func lockLedger(t *testing.T, dir string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "hippo", "hook", "session-start", "--client", "claude-code")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, environ(dir), hookInput("")(dir)
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	locks, err := filepath.Glob(filepath.Join(dir, "home", "state", "hippo", "sessions", "*.lock"))
	if err != nil || len(locks) != 1 {
		t.Fatalf("locks %v (%v)", locks, err)
	}
	lock := flock.New(locks[0])
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatalf("not locked: %v", err)
	}
	t.Cleanup(func() { _ = lock.Close() })
	return nil
}

// hangGit puts a git that never ends before the other one, and makes a repository.
func hangGit(t *testing.T, dir string) []string {
	t.Helper()
	bin := filepath.Join(dir, "bin")
	err := errors.Join(
		os.MkdirAll(filepath.Join(dir, ".git"), 0o700), os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/topic\n"), 0o600),
		os.WriteFile(filepath.Join(dir, ".git", "config"), nil, 0o600), os.Mkdir(bin, 0o700),
		os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\nexec sleep 600\n"), 0o700),
	)
	if err != nil {
		t.Fatal(err)
	}
	return []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}
}

// blockState puts a file where the folder of the ledgers and of the log belongs.
func blockState(t *testing.T, dir string) []string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "home", "state"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return nil
}
