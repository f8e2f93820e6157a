package cli

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestUI: the link that is printed leads to the memories, once, and the server ends with its context.
func TestUI(t *testing.T) {
	store := "sqlite:" + filepath.Join(t.TempDir(), "memory.db")
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	args := func(rest ...string) []string {
		return append([]string{"hippo", "--store", store, "--share", "off"}, rest...)
	}
	none := func(any) bool { return false }
	first := &shell{in: strings.NewReader(""), out: io.Discard, errw: io.Discard, now: time.Now, isTerminal: none}
	if code := first.run(t.Context(), args("record", "the gateway is down", "--importance", "0.5")); code != 0 {
		t.Fatalf("record: %d", code)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	done := make(chan int)
	go func() {
		second := &shell{in: strings.NewReader(""), out: io.Discard, errw: in, now: time.Now, isTerminal: none}
		code := second.run(ctx, args("ui", "--no-browser"))
		_ = in.Close()
		done <- code
	}()
	lines, link := bufio.NewScanner(out), ""
	for link == "" && lines.Scan() {
		_, link, _ = strings.Cut(lines.Text(), "it works once: ")
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Jar: jar}
	base := link[:strings.Index(link, "/ui/")]
	for _, step := range []struct {
		url, want string
		status    int
	}{
		{base + "/", "Sign in", http.StatusUnauthorized},
		{link, "Signed in", http.StatusOK},
		{base + "/", "the gateway is down", http.StatusOK},
		{base + "/ui/settings", "administer", http.StatusOK},
		{link, "used already", http.StatusForbidden},
	} {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, step.url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != step.status || !strings.Contains(string(body), step.want) {
			t.Errorf("%s: %d (%v), want %d with %q in\n%s", step.url, res.StatusCode, err, step.status, step.want, body)
		}
	}
	cancel()
	if code := <-done; code != 0 {
		t.Errorf("it ends with %d", code)
	}
}
