package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// webCommand starts and kills servers in scripts: web start ARGS... sets URL and ADDR,
// web follow ADVICE [VALUE...] starts what the latest output advises, web post PATH JSON
// asks it with the token of its first start, web kill ends the latest as a power failure would.
func webCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: web start ARGS... | web follow ADVICE [VALUE...] | web post PATH JSON | web kill")
	}
	servers, ok := ts.Value(webServersKey{}).(map[string]*webServer)
	if !ok {
		ts.Fatalf("no servers")
	}
	switch args[0] {
	case "kill":
		ts.Check(servers[""].kill())
		delete(servers, "")
		return
	case "post":
		token := strings.TrimSpace(ts.ReadFile(filepath.Join(ts.Getenv("XDG_DATA_HOME"), "hippo", "token")))
		a, err := servers[""].ask(context.Background(), "POST", args[1], token, args[2])
		ts.Check(err)
		if a.status >= http.StatusBadRequest {
			ts.Fatalf("%d %s", a.status, a.body)
		}
		_, err = fmt.Fprintf(ts.Stdout(), "%s\n", a.body)
		ts.Check(err)
		return
	}
	env := os.Environ()
	for _, name := range []string{
		"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "PATH", "HIPPO_MODEL", "HIPPO_STORE", "HIPPO_CONFIG", "HIPPO_SURPRISE", "GORACE", "TZ",
	} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	serve := args[1:]
	if args[0] == "follow" {
		serve = copied(ts, args[1:])[1:]
	}
	s, err := startWeb(context.Background(), ts.MkAbs("."), env, serve...)
	ts.Check(err)
	servers[""] = s
	ts.Setenv("URL", s.url)
	ts.Setenv("ADDR", strings.TrimPrefix(s.url, "http://"))
	ts.Defer(func() {
		if servers[""] == s {
			_ = s.kill()
		}
	})
}

type webServersKey struct{}

// fakeCommand starts what answers in place of a server, and sets URL: fake html|old|slow.
func fakeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fake html|old|slow")
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch args[0] {
		case "html":
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>sign in")
		case "old":
			w.Header().Set("Hippo-Outcome", "failure")
			w.Header().Set("Hippo-Protocol", "0000")
			w.Header().Set("Hippo-Version", "0.1.0")
		default:
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}
	}))
	ts.Setenv("URL", s.URL)
	ts.Defer(s.Close)
}

// TestCrash_RemoteServer kills the server of a store while remote clients write to it, and starts it again. Each write
// that was acknowledged is stored once; one that failed says that this is not known.
func TestCrash_RemoteServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := "sqlite:" + filepath.Join(dir, "memory.db")
	env := append(environ(dir), "HIPPO_MODEL=static")
	server, err := startWeb(t.Context(), dir, env, "--http", "127.0.0.1:0", "--store", store)
	if err != nil {
		t.Fatal(err)
	}
	token, err := os.ReadFile(filepath.Join(dir, "home", "data", "hippo", "token"))
	if err != nil {
		t.Fatal(err)
	}
	const clients = 3
	busy, failed := make(chan struct{}, 1000), make([]error, clients)
	all := make([]*remoteWriter, clients)
	var work sync.WaitGroup
	for n := range all {
		all[n] = &remoteWriter{name: fmt.Sprintf("writer %d", n), began: make(chan struct{})}
		work.Go(func() {
			failed[n] = all[n].run(t.Context(), dir, slices.Concat(env, []string{"HIPPO_TOKEN=" + string(token[:len(token)-1])}), server.url, busy)
		})
	}
	for _, w := range all {
		<-w.began // one that begins while the server is down has to try again
	}
	for range 10 {
		<-busy
	}
	if err := server.kill(); err != nil {
		t.Error(err)
	}
	again, err := startWeb(t.Context(), dir, env, "--http", strings.TrimPrefix(server.url, "http://"), "--store", store)
	if err != nil {
		t.Fatal(err)
	}
	work.Wait()
	if err := errors.Join(append(failed, again.kill())...); err != nil {
		t.Error(err)
	}
	count := map[string]int{}
	for line := range strings.Lines(string(run(t, dir, "export", "--store", store))) {
		var m struct {
			Content string `json:"content"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		count[m.Content]++
	}
	for _, w := range all {
		for _, content := range w.acknowledged {
			if count[content] != 1 {
				t.Errorf("%q is stored %d times", content, count[content])
			}
		}
	}
}

// remoteWriter records over a server that may be killed meanwhile.
type remoteWriter struct {
	name         string
	acknowledged []string
	began        chan struct{} // closed at the first one, or at the end
}

// run records until enough is acknowledged.
func (w *remoteWriter) run(ctx context.Context, dir string, env []string, url string, busy chan<- struct{}) error {
	begin := sync.OnceFunc(func() { close(w.began) })
	defer begin()
	s, err := start(ctx, dir, env, "hippo", "serve", "--store", url)
	if err != nil {
		return err
	}
	for i := 0; len(w.acknowledged) < 20; i++ {
		content := fmt.Sprintf("fact %d of %s", i, w.name)
		out, bad, err := s.call("hippo_record_insight", map[string]any{"content": content, "situation": []string{"testing"}, "importance": 0.5})
		switch {
		case err != nil || i > 100:
			return errors.Join(fmt.Errorf("call %d: %w", i, err), s.stop())
		case !bad:
			w.acknowledged = append(w.acknowledged, content)
			begin()
			busy <- struct{}{}
		case !strings.Contains(string(out), "not known"):
			return errors.Join(fmt.Errorf("call %d: %s", i, out), s.stop())
		}
	}
	return s.stop()
}
