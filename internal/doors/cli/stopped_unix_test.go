//go:build unix

package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
)

// A server whose store another process has open goes on when that process is stopped, as by Ctrl-Z or a debugger. What it asked
// for is carried out once, also after the other process runs again.
func TestServe_FirstProcessStopped(t *testing.T) {
	t.Parallel()
	note := func(text string) map[string]any {
		return map[string]any{"content": text, "situation": []string{"testing"}, "importance": .5}
	}
	for name, first := range map[string]struct {
		tool      string
		arguments func(id string) map[string]any
	}{
		"search":  {"hippo_search_insights", func(string) map[string]any { return map[string]any{"query": "zebra"} }},
		"record":  {"hippo_record_insight", func(string) map[string]any { return note("recorded meanwhile") }},
		"vote":    {"hippo_reinforce_insight", func(id string) map[string]any { return map[string]any{"upvotes": []string{id}} }},
		"modify":  {"hippo_modify_insight", func(id string) map[string]any { return map[string]any{"id": id, "content": "a zebra, changed"} }},
		"program": {"hippo_run", func(string) map[string]any { return map[string]any{"program": `search("zebra")`} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			store := "sqlite:" + filepath.Join(dir, "memory.db")
			serve := func() *session {
				s, err := start(t.Context(), dir, environ(dir), "hippo", "serve", "--store", store)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			one, two := serve(), serve()
			call := func(s *session, tool string, arguments map[string]any) string {
				result, failed, err := s.call(tool, arguments)
				if err != nil || failed {
					t.Fatalf("%s: %s, %v", tool, result, err)
				}
				return string(result)
			}
			call(one, "hippo_search_insights", map[string]any{"query": "zebra"}) // it is the first
			id := regexp.MustCompile(`[0-9a-f]{8}`).FindString(call(two, "hippo_record_insight", note("a zebra crossed")))
			stopBetweenWrites(t, one, filepath.Join(dir, "memory.db-shm"))
			call(two, first.tool, first.arguments(id))
			call(two, "hippo_record_insight", note("recorded later"))
			if err := one.cmd.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			call(one, "hippo_record_insight", note("recorded at last")) // it has carried out by then what it was sent before
			var list []struct {
				Feedback []json.RawMessage `json:"feedback"`
			}
			out := run(t, dir, "list", "--json", "--store", store)
			if err := json.Unmarshal(out, &list); err != nil {
				t.Fatalf("%s: %v", out, err)
			}
			want := 3
			if name == "record" {
				want++
			}
			if len(list) != want {
				t.Errorf("%d memories, want %d: %s", len(list), want, out)
			}
			votes := 0
			for i := range list {
				votes += len(list[i].Feedback)
			}
			if voted := name == "vote" || name == "modify"; voted != (votes == 1) {
				t.Errorf("%d votes after one %s: %s", votes, name, out)
			}
			if err := two.stop(); err != nil {
				t.Error(err)
			}
			if err := one.stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// stopBetweenWrites stops a server while it does not hold the lock of its store for writing: nobody else could write then. The
// lock is byte 120 of the file of the shared memory. Source: the chapter on the format of WAL files of SQLite.
func stopBetweenWrites(t *testing.T, s *session, sharedMemory string) {
	t.Helper()
	f, err := os.Open(sharedMemory)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it is only asked for locks
	for {
		if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		var status syscall.WaitStatus // the process runs on for a moment, and may take the lock
		if _, err := syscall.Wait4(s.cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
			t.Fatalf("the server is not stopped: %v, %v", status, err)
		}
		held := syscall.Flock_t{Type: syscall.F_WRLCK, Start: 120, Len: 1}
		if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &held); err != nil {
			t.Fatal(err)
		}
		if held.Type == syscall.F_UNLCK {
			return
		}
		if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
}
