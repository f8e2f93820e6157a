package app_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

const (
	drains   = "package queue\n\ntype Pool struct{ size int }\n\nfunc (p *Pool) Drain() { p.size = 0 }\n"
	delivers = "package mail\n\ntype Courier struct{ sent int }\n\nfunc (c *Courier) Deliver() { c.sent = 0 }\n"
)

// repository makes a repository with two committed files, in directories of the test.
func repository(t *testing.T) (dir string) {
	t.Helper()
	if err := exec.CommandContext(t.Context(), "git").Err; err != nil {
		t.Skipf("the test needs a repository, and git cannot make one: %v", err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	dir = t.TempDir()
	change(t, dir, "queue/drain.go", drains)
	change(t, dir, "mail/send.go", delivers)
	for _, args := range [][]string{
		{"init", "-q", "-b", "trunk"},
		{"add", "."},
		{"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "Begin"},
	} {
		if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	return dir
}

func change(t *testing.T, dir, path, text string) {
	t.Helper()
	path = filepath.Join(dir, filepath.FromSlash(path))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// indexCode indexes a folder for the user of the test.
func indexCode(t *testing.T, dir string) {
	t.Helper()
	l, err := app.OpenCode(&app.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := l.Add(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = tree.Update(t.Context(), false)
	if err = errors.Join(err, l.Close()); err != nil {
		t.Fatal(err)
	}
}

// The work in progress has what changed files define, if they are indexed.
func TestWorkIn(t *testing.T) { // it sets the directories of the user
	dir := repository(t)
	change(t, dir, "queue/drain.go", drains+"\n// Changed.\n")
	want := api.Work{State: "trunk drain.go Begin", Files: []string{"queue/drain.go"}}
	if d := cmp.Diff(want, app.WorkIn(t.Context(), dir)); d != "" {
		t.Errorf("no index (-want +got):\n%s", d)
	}
	indexCode(t, dir)
	want.Names = []string{"queue.Pool", "queue.Pool.Drain", "queue.Pool.size"}
	for _, from := range []string{dir, filepath.Join(dir, "mail")} {
		if d := cmp.Diff(want, app.WorkIn(t.Context(), from)); d != "" {
			t.Errorf("from %s (-want +got):\n%s", from, d)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if w := app.WorkIn(ended, dir); w.Files != nil {
		t.Errorf("nothing waits beyond the end: %+v", w)
	}
	if d := cmp.Diff(api.Work{}, app.WorkIn(t.Context(), t.TempDir())); d != "" {
		t.Errorf("no repository: %s", d)
	}
}

// Of two insights that are equally worth knowing, the one that names what a changed file defines comes first, also if it
// is the older one of many.
func TestContext_ChangedCode(t *testing.T) { // it sets the directories of the user
	dir := repository(t)
	indexCode(t, dir)
	e, err := app.Open(t.Context(), config.Config{Store: config.Store{Kind: "memory"}, Model: config.Model{Name: config.NoModel}}, &app.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	m := e.In(hippo.LocalScope("p"))
	record := func(text string) {
		t.Helper()
		if _, err := memory.Record(t.Context(), m, &hippo.Memory{Content: text, Project: "p", Trust: hippo.TrustDefault, Importance: hippo.Importance{Base: .5}}); err != nil {
			t.Fatal(err)
		}
	}
	const pool, courier = "Pool.Drain must end before the process does", "Courier.Deliver must end before the process does"
	record(pool)
	record(courier)
	for i := range 60 {
		record(fmt.Sprintf("Note %d: %s is of no use to anybody here", i, strings.Repeat("x", i+1)))
	}
	first := func() string {
		t.Helper()
		w := app.WorkIn(t.Context(), dir)
		w.State = "" // so that nothing but the names decides
		b, err := query.Context(t.Context(), m, briefing.Query{Work: w})
		if err != nil || len(b.Items) == 0 {
			t.Fatalf("%+v, %v", b, err)
		}
		if text := b.Items[0].Memory.Content; slices.Contains([]string{pool, courier}, text) {
			return text
		}
		return ""
	}
	if got := first(); got != "" {
		t.Errorf("nothing has changed: %q", got)
	}
	change(t, dir, "queue/drain.go", drains+"\n// Changed.\n")
	if got := first(); got != pool {
		t.Errorf("the queue has changed: %q", got)
	}
	change(t, dir, "queue/drain.go", drains)
	change(t, dir, "mail/send.go", delivers+"\n// Changed.\n")
	if got := first(); got != courier {
		t.Errorf("the mail has changed: %q", got)
	}
}
