package cli_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestProcesses lets several servers write to one store at once, each with many
// requests under way: all of them are stored, once, in each kind of store.
func TestProcesses(t *testing.T) {
	t.Parallel()
	const servers, records = 4, 50
	for _, kind := range []string{"sqlite", "dir"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			store := kind + ":" + filepath.Join(dir, "memory")
			failed := make(chan error, servers)
			for n := range servers {
				go func() { failed <- flood(t, dir, store, n, records) }()
			}
			for range servers {
				if err := <-failed; err != nil {
					t.Error(err)
				}
			}
			if got := count(t, dir, store); got != servers*records {
				t.Errorf("%d memories, want %d", got, servers*records)
			}
		})
	}
}

// flood sends all requests before it reads the first answer.
func flood(t *testing.T, dir, store string, n, records int) error {
	s, err := start(t.Context(), dir, environ(dir), "hippo", "serve", "--store", store)
	if err != nil {
		return err
	}
	const first = 100 // above the IDs that the session itself uses
	for i := range records {
		if err := s.send(map[string]any{
			"jsonrpc": "2.0", "id": first + i, "method": "tools/call",
			"params": map[string]any{"name": "hippo_record_insight", "arguments": map[string]any{
				"content": fmt.Sprintf("insight %d of server %d", i, n), "situation": []string{"testing"}, "importance": 0.5,
			}},
		}); err != nil {
			return err
		}
	}
	seen := map[int]bool{}
	for range records {
		r, err := s.read()
		if err != nil {
			return err
		}
		var result struct {
			IsError bool `json:"isError"`
		}
		if err := json.Unmarshal(r.Result, &result); err != nil || result.IsError || seen[*r.ID] {
			return fmt.Errorf("server %d: answer to request %d is %s %s (%w)", n, *r.ID, r.Result, r.Error, err)
		}
		seen[*r.ID] = true
	}
	return s.stop()
}

// count asks the command line how many memories there are.
func count(t *testing.T, dir, store string) int {
	t.Helper()
	var status struct {
		Memories int `json:"memories"`
	}
	if err := json.Unmarshal(run(t, dir, "status", "--json", "--store", store), &status); err != nil {
		t.Fatal(err)
	}
	return status.Memories
}

// run runs hippo in dir, which must succeed, and returns what it printed.
func run(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	return runIn(t, dir, environ(dir), args...)
}

// runIn is run in an environment.
func runIn(t *testing.T, dir string, env []string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "hippo", args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("hippo %v: %v", args, err)
	}
	return out
}
