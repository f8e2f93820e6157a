package cli_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// While the system cannot read the file of a store, an open server answers that the disk may be failing. It does not call that
// damage or a fault of its own, and it goes on when the disk does.
func TestServe_FailingDisk(t *testing.T) {
	t.Parallel()
	if exec.CommandContext(t.Context(), "strace", "-V").Run() != nil {
		t.Skip("strace, which makes system calls fail, is not installed")
	}
	for _, kind := range []string{"sqlite", "shared", "dir"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s, err := start(t.Context(), dir, environ(dir), "hippo", "serve", "--share", "off", "--store", kind+":"+filepath.Join(dir, "memory"))
			if err != nil {
				t.Fatal(err)
			}
			record := func(text string) (string, bool) {
				result, failed, err := s.call("hippo_record_insight", map[string]any{"content": text, "situation": []string{"testing"}})
				if err != nil {
					t.Fatal(err)
				}
				return string(result), failed
			}
			for n := range 200 { // more than the caches of SQLite hold
				if answer, failed := record(strings.Repeat("a zebra crossed the road ", 100) + strconv.Itoa(n)); failed {
					t.Fatal(answer)
				}
			}
			mend := failReads(t, s.cmd.Process.Pid)
			calls := map[string]map[string]any{"hippo_search_insights": {"query": "zebra"}, "hippo_record_insight": {"content": "a lion", "situation": []string{"testing"}}, "hippo_status": {}}
			for tool, arguments := range calls {
				answer, failed, err := s.call(tool, arguments)
				if err != nil {
					t.Fatal(err)
				}
				if text := string(answer); failed && (!strings.Contains(text, "unavailable") || strings.Contains(text, "corrupt")) || strings.Contains(text, "is damaged") {
					t.Errorf("%s: %.500s", tool, answer)
				}
			}
			mend()
			if answer, failed := record("written when the disk works again"); failed {
				t.Error(answer)
			}
			if out := run(t, dir, "check", "--store", kind+":"+filepath.Join(dir, "memory")); !strings.Contains(string(out), "sound") {
				t.Errorf("%s", out)
			}
			if err := s.stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// failReads makes all reads of a process at an offset fail until end is called.
func failReads(t *testing.T, pid int) (end func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "strace", "-f", "-e", "trace=pread64", "-e", "inject=pread64:error=EIO", "-p", strconv.Itoa(pid))
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	if !lines.Scan() || !strings.Contains(lines.Text(), "attached") {
		_ = cmd.Wait()
		t.Skipf("strace may not attach to a process: %s", lines.Text())
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for lines.Scan() { // it must not wait for a reader
		}
	}()
	return func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-drained
		_ = cmd.Wait()
	}
}
