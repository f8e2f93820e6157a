package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/store/drivertest"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

// TestCrash_Nodes kills one of two servers of a database after the other while clients write to both, and starts it again. Half of the
// clients repeat on the other server what failed; what was acknowledged is stored once, and nothing is stored twice.
func TestCrash_Nodes(t *testing.T) {
	t.Parallel()
	url, dir := pgtest.URL(t), t.TempDir()
	token := strings.TrimSpace(string(run(t, dir, "token", "create", "--namespace", "crash", "writer", "--right", "write", "--store", url)))
	f := &fleet{url: url, token: token, answers: [2]chan struct{}{make(chan struct{}, 100), make(chan struct{}, 100)}}
	for i := range f.nodes {
		f.start(t, i, filepath.Join(dir, fmt.Sprint("node", i)))
	}
	const clients = 8
	var all [clients]nodeWriter
	var work sync.WaitGroup
	ctx, end := context.WithCancel(t.Context())
	for i := range all {
		all[i] = nodeWriter{name: fmt.Sprint("client ", i), repeats: i%2 == 0}
		work.Go(func() { all[i].run(ctx, f, i) })
	}
	for round := range drivertest.Rounds(3) {
		f.await(t, round%2, 20)
		if err := f.nodes[round%2].Load().kill(); err != nil {
			t.Error(err)
		}
		f.start(t, round%2, filepath.Join(dir, fmt.Sprint("node", round%2)))
	}
	f.await(t, 0, 20)
	end()
	work.Wait()
	for i := range f.nodes {
		if err := f.nodes[i].Load().kill(); err != nil {
			t.Error(err)
		}
	}
	stored := map[string]int{}
	for line := range strings.Lines(string(run(t, dir, "export", "--namespace", "crash", "--store", url))) {
		var m struct {
			Content string `json:"content"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		stored[m.Content]++
	}
	var acknowledged, lost, unknown int
	for i := range all {
		acknowledged += len(all[i].acknowledged)
		unknown += all[i].unknown
		lost += len(slices.DeleteFunc(all[i].acknowledged, func(content string) bool { return stored[content] > 0 }))
		if all[i].refused != nil {
			t.Error(all[i].refused)
		}
	}
	doubled := 0
	for _, n := range stored {
		doubled += n - 1
	}
	if lost > 0 || doubled > 0 || acknowledged == 0 {
		t.Errorf("%d of %d acknowledged memories are lost, %d are there twice", lost, acknowledged, doubled)
	}
	t.Logf("%d acknowledged, %d requests without an answer", acknowledged, unknown)
}

// fleet are two servers of a database.
type fleet struct {
	url, token string
	nodes      [2]atomic.Pointer[webServer]
	answers    [2]chan struct{} // that acknowledge something
}

func (f *fleet) start(t *testing.T, i int, dir string) {
	t.Helper()
	s, err := startWeb(t.Context(), filepath.Dir(dir), append(environ(dir), "HIPPO_MODEL=static"), "--http", "127.0.0.1:0", "--store", f.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.kill() })
	f.nodes[i].Store(s)
	for len(f.answers[i]) > 0 { // those of the one before it
		<-f.answers[i]
	}
}

// await waits until a server has acknowledged n memories.
func (f *fleet) await(t *testing.T, i, n int) {
	t.Helper()
	for range n {
		select {
		case <-f.answers[i]:
		case <-time.After(patience):
			t.Fatal("nothing is acknowledged")
		}
	}
}

// nodeWriter records until its context ends.
type nodeWriter struct {
	name         string
	repeats      bool // on the other server
	acknowledged []string
	unknown      int   // requests that had no answer
	refused      error // a request that had a bad one
}

// run records at one server and the other in turns.
func (w *nodeWriter) run(ctx context.Context, f *fleet, at int) {
	content, known := "", true
	for i := 0; ctx.Err() == nil && w.refused == nil; i++ {
		if known || !w.repeats {
			content = fmt.Sprintf("fact %d of %s", i, w.name)
		}
		at = 1 - at%2
		a, err := f.nodes[at].Load().ask(ctx, http.MethodPost, "/api/v1/memories", f.token, fmt.Sprintf(`{"content": %q, "situation": ["testing"]}`, content), "Idempotency-Key", content)
		known = err == nil
		switch {
		case ctx.Err() != nil:
		case err != nil:
			w.unknown++
		case a.status == http.StatusOK, a.status == http.StatusCreated:
			w.acknowledged = append(w.acknowledged, content)
			select {
			case f.answers[at] <- struct{}{}:
			default: // the test waits for fewer
			}
		default:
			w.refused = fmt.Errorf("%s: %d %s", content, a.status, a.body)
		}
	}
}
