package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// takeoverClients is how many servers use the one that is killed.
const takeoverClients = 4

// TestCrash_TheSharingProcess kills the process that shares a store while others use it. No call of theirs fails, and
// each acknowledged write is stored once. HIPPO_CRASH_ROUNDS sets how many rounds.
func TestCrash_TheSharingProcess(t *testing.T) {
	t.Parallel()
	rounds := 2
	if n, err := strconv.Atoi(os.Getenv("HIPPO_CRASH_ROUNDS")); err == nil {
		rounds = n
	}
	for i := range rounds {
		kind := []string{"sqlite", "dir"}[i%2]
		if t.Run(fmt.Sprintf("%d-%s", i, kind), func(t *testing.T) { takeover(t, kind, i) }); t.Failed() {
			return
		}
	}
}

func takeover(t *testing.T, kind string, round int) {
	dir := t.TempDir()
	store := kind + ":" + filepath.Join(dir, "memory")
	env := append(environ(dir), "XDG_RUNTIME_DIR="+dir)
	sharing, err := start(t.Context(), dir, env, "hippo", "serve", "--store", store, "--model", "static")
	if err != nil {
		t.Fatal(err)
	}
	if _, bad, err := sharing.call("hippo_status", map[string]any{}); err != nil || bad {
		t.Fatal(bad, err)
	}
	if sockets, err := filepath.Glob(filepath.Join(dir, "hippo", "*.sock")); err != nil || len(sockets) != 1 {
		t.Fatalf("sockets %v, %v; want one", sockets, err)
	}
	clients := make([]*takeoverClient, takeoverClients)
	for n := range clients {
		clients[n] = newTakeoverClient(t, dir, env, store, n)
	}
	var work sync.WaitGroup
	busy := make(chan struct{}, 1000)
	for _, c := range clients {
		work.Go(func() { c.run(t, busy) })
	}
	for range 5 + 7*round%31 { // another moment in each round
		<-busy
	}
	if err := sharing.cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	work.Wait()
	_ = sharing.wait() // killed
	for _, c := range clients {
		if err := c.server.stop(); err != nil {
			t.Error(err)
		}
	}
	checkTakeover(t, dir, store, clients)
}

// takeoverClient is a client of a server that has not opened the store itself.
type takeoverClient struct {
	server   *session
	name     string
	id       string // of the memory that it votes on
	recorded []string
	votes    int
}

func newTakeoverClient(t *testing.T, dir string, env []string, store string, n int) *takeoverClient {
	t.Helper()
	c := &takeoverClient{name: fmt.Sprintf("client %d", n)}
	var m []struct {
		ID string `json:"uuid"`
	}
	if err := json.Unmarshal(run(t, dir, "record", "--json", "--importance", "1", "--store", store, "voted by "+c.name), &m); err != nil {
		t.Fatal(err)
	}
	c.id = m[0].ID
	var err error
	if c.server, err = start(t.Context(), dir, env, "hippo", "serve", "--store", store, "--model", "static"); err != nil {
		t.Fatal(err)
	}
	return c
}

// run records, searches and votes.
func (c *takeoverClient) run(t *testing.T, busy chan<- struct{}) {
	for i := range 12 {
		content := fmt.Sprintf("fact %d of %s", i, c.name)
		for _, call := range []struct {
			tool string
			in   map[string]any
		}{
			{"hippo_record_insight", map[string]any{"content": content, "situation": []string{"testing"}, "importance": 0.5}},
			{"hippo_search_insights", map[string]any{"query": content}},
			{"hippo_reinforce_insight", map[string]any{"downvotes": []string{c.id}}},
		} {
			if out, bad, err := c.server.call(call.tool, call.in); err != nil || bad {
				t.Errorf("%s: call %d of %s: %s %v", c.name, i, call.tool, out, err)
				return
			}
			busy <- struct{}{}
		}
		c.recorded, c.votes = append(c.recorded, content), c.votes+1
	}
}

// checkTakeover looks for each acknowledged write once. A downvote halves the importance, so that it counts the votes.
func checkTakeover(t *testing.T, dir, store string, clients []*takeoverClient) {
	t.Helper()
	count, importance := map[string]int{}, map[string]float64{}
	for line := range strings.Lines(string(run(t, dir, "export", "--store", store))) {
		var m struct {
			ID         string  `json:"uuid"`
			Content    string  `json:"content"`
			Importance float64 `json:"importance"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		count[m.Content]++
		importance[m.ID] = m.Importance
	}
	for _, c := range clients {
		for _, content := range c.recorded {
			if n := count[content]; n != 1 {
				t.Errorf("%q is stored %d times", content, n)
			}
		}
		if got, want := importance[c.id], 1/float64(int(1)<<c.votes); got != want {
			t.Errorf("%s: importance %v after %d votes, want %v", c.name, got, c.votes, want)
		}
	}
}
