//go:build unix

package sqlitex_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// The variable that makes this test binary another process: what it does, and the path of the file.
const otherVariable = "HIPPO_TEST_OTHER"

// TestOtherProcess is the process of [startOther].
func TestOtherProcess(t *testing.T) {
	role, path, found := strings.Cut(os.Getenv(otherVariable), " ")
	if !found {
		t.Skip("this test is a helper process, which other tests start with an environment variable")
	}
	ready := func() error {
		fmt.Println("ready")
		_, err := bufio.NewReader(os.Stdin).ReadString('\n')
		return err
	}
	var err error
	switch role {
	case "transaction": // holds the lock of the file
		db := open(t, path, &sqlitex.Options{})
		err = db.Update(t.Context(), driver.Durable, func(*sqlitex.Tx) error { return ready() })
	case "log": // leaves a log with data when it is killed
		db := open(t, path, nil)
		if err = add(t.Context(), db, "in the log"); err == nil {
			err = ready()
		}
	case "folder": // holds the lock of the folder
		var dir *os.File
		if dir, err = os.Open(filepath.Dir(path)); err == nil {
			if err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX); err == nil {
				err = ready()
			}
			err = errors.Join(err, dir.Close())
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// startOther starts another process and waits until it has what it is to hold. end lets it go on to its end.
func startOther(t *testing.T, role, path string) (p *os.Process, end func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestOtherProcess$")
	cmd.Env = append(os.Environ(), otherVariable+"="+role+" "+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	said := bufio.NewReader(out)
	if line, err := said.ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	return cmd.Process, func() {
		_, _ = io.WriteString(in, "\n")
		rest, _ := io.ReadAll(said)
		if err := cmd.Wait(); err != nil && !strings.Contains(err.Error(), "killed") {
			t.Errorf("the other process: %v: %s", err, rest)
		}
	}
}

func stop(t *testing.T, p *os.Process) {
	t.Helper()
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(p.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("the other process is not stopped: %v, %v", status, err)
	}
}

// A file that has to be written when it is opened is not waited for longer than the lock of a write: SQLite's own wait is off.
func TestOpen_LockOfAStoppedProcess(t *testing.T) {
	t.Parallel()
	newer := notes()
	newer.Migrations = append(newer.Migrations, "CREATE TABLE other (text TEXT NOT NULL) STRICT")
	for name, o := range map[string]*sqlitex.Options{"migration": {Schema: newer}, "guest": {Guest: guestOf{}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "memory.db")
			db, err := sqlitex.Open(t.Context(), path, &sqlitex.Options{Schema: notes()})
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			other, end := startOther(t, "transaction", path)
			stop(t, other)
			db, err = sqlitex.Open(t.Context(), path, o)
			if !errors.Is(err, hippo.ErrUnavailable) || !sqlitex.Held(err) || !strings.Contains(err.Error(), "holds the lock") {
				t.Errorf("got %v, %v, want that another process holds the lock", db, err)
			}
			if err := other.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			end()
			open(t, path, o)
		})
	}
}

// guestOf is a guest with a table. SQLite must not wait for a lock on its own while the table is made.
type guestOf struct{ sqlitex.Guest }

func (guestOf) Check(ctx context.Context, q sqlitex.Queryer) (ready bool, err error) {
	_, err = sqlitex.First(ctx, q, "SELECT count(*) > 0 FROM sqlite_schema WHERE name = 'guest'", nil, &ready)
	return ready, err
}

func (guestOf) Prepare(tx *sqlitex.Tx) error {
	wait := -1
	if _, err := sqlitex.First(context.Background(), tx, "PRAGMA busy_timeout", nil, &wait); err != nil || wait != 0 {
		return fmt.Errorf("SQLite waits %d ms for a lock, %w", wait, err)
	}
	return tx.Exec("CREATE TABLE guest (text TEXT NOT NULL) STRICT")
}

// A folder that another process keeps locked is not changed: the log of another file in it stays where it is, and the error says
// what to do. When the folder is free the log is moved away.
func TestOpen_FolderStaysLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, next := filepath.Join(dir, "memory.db"), filepath.Join(t.TempDir(), "memory.db")
	writer, gone := startOther(t, "log", path)
	if err := writer.Kill(); err != nil {
		t.Fatal(err)
	}
	gone()
	db, err := sqlitex.Open(t.Context(), next, &sqlitex.Options{Schema: notes()})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(add(t.Context(), db, "in the other file"), db.Close(), os.Rename(next, path)); err != nil {
		t.Fatal(err)
	}
	logs := func() (names []string) {
		names, err := filepath.Glob(path + "-wal*")
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	other, end := startOther(t, "folder", path)
	stop(t, other)
	before := logs()
	for range 2 {
		db, err := sqlitex.Open(t.Context(), path, &sqlitex.Options{Schema: notes()})
		if !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "folder "+dir+" locked") {
			t.Errorf("got %v, %v, want that the folder is locked", db, err)
		}
	}
	if now := logs(); len(before) != 1 || len(now) != 1 || now[0] != before[0] {
		t.Errorf("the logs are %q, were %q", now, before)
	}
	if err := other.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	end()
	texts, err := read(t.Context(), open(t, path, nil))
	if err != nil || len(texts) != 1 || texts[0] != "in the other file" {
		t.Errorf("the file has %q, %v", texts, err)
	}
	if now := logs(); len(now) != 2 {
		t.Errorf("the logs are %q, want that of the file and the one that was moved away", now)
	}
}
