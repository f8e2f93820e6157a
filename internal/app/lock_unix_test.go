//go:build unix

package app_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// The variable that makes this test binary a writer of a store: its kind, its path, and how many memories each of several callers
// writes at a time; with 0 it holds the lock until a line comes.
const writerVariable = "HIPPO_TEST_WRITER"

// TestWriterProcess is the process of [startWriter].
func TestWriterProcess(t *testing.T) {
	fields := strings.Split(os.Getenv(writerVariable), " ")
	if len(fields) != 4 {
		t.Skip("this test is a helper process, which other tests start with an environment variable")
	}
	s, err := openStore(t.Context(), config.Store{Kind: fields[0], Path: fields[1]})
	if err != nil {
		t.Fatal(err)
	}
	writes, first := mustNumber(t, fields[2]), mustNumber(t, fields[3])
	if writes == 0 {
		err = s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
			fmt.Println("locked")
			if err := tx.Put(numbered(first)); err != nil {
				return err
			}
			_, err := bufio.NewReader(os.Stdin).ReadString('\n')
			return err
		})
	} else {
		fmt.Println("open")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // all begin together
		err = writeAtOnce(t.Context(), s, first, writes)
	}
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
}

// callers are those of a process that write at the same time, so that it wants the lock again as soon as it has released it.
const callers = 4

func writeAtOnce(ctx context.Context, s driver.Backend, first, writes int) error {
	errs := make([]error, callers)
	var running sync.WaitGroup
	for c := range callers {
		running.Go(func() {
			for n := range writes {
				m := numbered(first + c*writes + n)
				errs[c] = errors.Join(errs[c], s.Write(ctx, driver.Durable, func(tx driver.Tx) error { return tx.Put(m) }))
			}
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

func mustNumber(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func numbered(n int) *hippo.Memory {
	text := fmt.Sprintf("memory %d", n)
	at := time.Unix(1e9, 0).UTC()
	id := hippo.ID{0: 1, 6: 0x70, 8: 0x80, 13: 1, 14: byte(n >> 8), 15: byte(n)}
	return &hippo.Memory{ID: id, Content: text, ContentHash: hippo.HashContent(text), CreatedAt: at, UpdatedAt: at, Version: 1}
}

// writerProcess is another process that writes.
type writerProcess struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startWriter starts one and waits until it is ready.
func startWriter(t *testing.T, c config.Store, writes, first int) *writerProcess {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := &writerProcess{Cmd: exec.Command(self, "-test.run=^TestWriterProcess$")}
	w.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d %d", writerVariable, c.Kind, c.Path, writes, first))
	in, err := w.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := w.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.in, w.out = in, bufio.NewReader(out)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Process.Kill() })
	if line, err := w.out.ReadString('\n'); err != nil || line != "locked\n" && line != "open\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	return w
}

// end lets it go on to its end.
func (w *writerProcess) end(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(w.in, "\n"); err != nil {
		t.Error(err)
	}
	rest, _ := io.ReadAll(w.out)
	if err := w.Wait(); err != nil {
		t.Errorf("the other process: %v: %s", err, rest)
	}
}

func storesOf(t *testing.T, test func(t *testing.T, c config.Store)) {
	for _, kind := range []string{"sqlite", "dir", "shared"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, config.Store{Kind: kind, Path: filepath.Join(t.TempDir(), "store")})
		})
	}
}

// While a process that is stopped holds the lock of a store, reads go on and writes fail with its number. They are not carried out
// later.
func TestStore_LockOfAStoppedProcess(t *testing.T) {
	t.Parallel()
	storesOf(t, func(t *testing.T, c config.Store) {
		ctx := t.Context()
		open := func() *engine.Engine { return openEngine(t, c) }
		e := open()
		if _, err := memory.Record(ctx, local(e), &hippo.Memory{Content: "a zebra crossed"}); err != nil {
			t.Fatal(err)
		}
		other := startWriter(t, c, 0, 1)
		if err := other.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(other.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
			t.Fatalf("the other process is not stopped: %v, %v", status, err)
		}
		for name, e := range map[string]*engine.Engine{"open before": e, "opened now": open()} {
			a, err := query.Search(ctx, local(e), hippo.Query{Text: "zebra"})
			if err != nil || len(a.Hits) != 1 {
				t.Errorf("%s: a search found %+v, %v", name, a, err)
			}
			for _, text := range []string{"not stored", "not stored either"} {
				_, err = memory.Record(ctx, local(e), &hippo.Memory{Content: text})
				if !errors.Is(err, hippo.ErrUnavailable) {
					t.Errorf("%s: a record returned %v, want that the store is unavailable", name, err)
				}
				if want := fmt.Sprintf("process %d (", other.Process.Pid); runtime.GOOS == "linux" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "stopped")) {
					t.Errorf("%s: a record returned %v, want %q and that it is stopped", name, err, want)
				}
			}
			if _, err := query.Search(ctx, local(e), hippo.Query{Text: "zebra"}); err != nil {
				t.Errorf("%s: a second search: %v", name, err)
			}
		}
		if err := other.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		other.end(t)
		if _, err := memory.Record(ctx, local(e), &hippo.Memory{Content: "stored again"}); err != nil {
			t.Errorf("a record when the lock is free: %v", err)
		}
		h := headOf(t, c)
		if h.Memories != 3 {
			t.Errorf("%d memories, want the first one, that of the other process, and the last one", h.Memories)
		}
	})
}

// Eight processes that want the lock all the time all get it.
func TestStore_WritersTakeTurns(t *testing.T) {
	t.Parallel()
	const processes, writes = 8, 12
	storesOf(t, func(t *testing.T, c config.Store) {
		headOf(t, c) // it exists
		var all []*writerProcess
		for p := range processes {
			all = append(all, startWriter(t, c, writes, p*callers*writes))
		}
		var running sync.WaitGroup
		for _, w := range all {
			running.Go(func() { w.end(t) })
		}
		running.Wait()
		if h := headOf(t, c); h.Memories != processes*callers*writes {
			t.Errorf("%d memories, want %d", h.Memories, processes*callers*writes)
		}
	})
}

func headOf(t *testing.T, c config.Store) driver.Head {
	t.Helper()
	s, err := openStore(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	h, err := s.Head(t.Context())
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return h
}

// openEngine opens a store as a process does that does not share it.
func openEngine(t *testing.T, c config.Store) *engine.Engine {
	t.Helper()
	e, err := app.Open(t.Context(), config.Config{Store: c}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}
