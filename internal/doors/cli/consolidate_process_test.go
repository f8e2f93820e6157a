package cli_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// notes writes notes of two topics, each twice, as lines of an export, 60 days old.
func notes(n int) string {
	var b strings.Builder
	topics := []string{"gateway timeout keepalive frame idle connection", "invoice ledger export currency tax rounding"}
	at := time.Now().AddDate(0, 0, -60).UTC()
	for i := range n {
		text := fmt.Sprintf("%s note%d", topics[i%2], i/4*2+i%2)
		fmt.Fprintf(&b, `{"content":%q,"situation":["testing"],"importance":0.3,"created_at":%q}`+"\n", text, at.Add(time.Duration(i)*time.Minute).Format(time.RFC3339))
	}
	return b.String()
}

// TestConsolidate_Processes: of several processes that consolidate a store at once each does the whole of its plan or leaves what
// another one has done. Nothing is done twice, and the undo of all brings everything back.
func TestConsolidate_Processes(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"sqlite", "dir"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			store := kind + ":" + filepath.Join(dir, "memory")
			load := exec.CommandContext(t.Context(), "hippo", "import", "--store", store, "-")
			load.Dir, load.Env, load.Stdin = dir, environ(dir), strings.NewReader(notes(120))
			if out, err := load.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			const processes = 3
			failed := make(chan error, processes)
			for range processes {
				go func() {
					c := exec.CommandContext(t.Context(), "hippo", "consolidate", "--horizon", "weekly", "--no-share", "--store", store)
					c.Dir, c.Env = dir, environ(dir)
					out, err := c.CombinedOutput()
					if err != nil {
						err = fmt.Errorf("%w: %s", err, out)
					}
					failed <- err
				}()
			}
			for range processes {
				if err := <-failed; err != nil {
					t.Error(err)
				}
			}
			once(t, dir, store)
		})
	}
}

// once checks that a consolidation was done once, and undoes it.
func once(t *testing.T, dir, store string) {
	t.Helper()
	var left struct {
		Linked     int `json:"linked"`
		Summarised int `json:"summarised"`
	}
	if err := json.Unmarshal(run(t, dir, "consolidate", "--dry-run", "--json", "--store", store), &left); err != nil || left.Linked+left.Summarised != 0 {
		t.Errorf("left to do: %+v (%v)", left, err)
	}
	summaries := make(map[string]int)
	for line := range strings.Lines(string(run(t, dir, "export", "--store", store))) {
		var m struct{ Content, Type string }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if m.Type == "summary" {
			summaries[m.Content]++
		}
	}
	if len(summaries) == 0 {
		t.Error("there is no summary")
	}
	for text, n := range summaries {
		if n != 1 {
			t.Errorf("recorded %d times: %s", n, text)
		}
	}
	var log []struct {
		UUID string `json:"uuid"`
		Verb string `json:"verb"`
	}
	if err := json.Unmarshal(run(t, dir, "log", "--json", "--store", store), &log); err != nil || len(log) == 0 {
		t.Fatalf("%d operations (%v)", len(log), err)
	}
	for _, o := range log {
		if o.Verb == "import" {
			continue
		}
		run(t, dir, "undo", o.UUID, "--store", store)
	}
	if got := count(t, dir, store); got != 120 {
		t.Errorf("after the undo %d memories, want 120", got)
	}
}
