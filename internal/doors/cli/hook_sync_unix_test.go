//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// syncedHome is a home folder whose default store syncs.
type syncedHome struct {
	t   *testing.T
	dir string
	env []string
}

func newSyncedHome(t *testing.T) *syncedHome {
	t.Helper()
	h := &syncedHome{t: t, dir: t.TempDir()}
	h.env = append(environ(h.dir), "HIPPO_MODEL=static", "HIPPO_SYNC_EVERY=1m", "HIPPO_BACKGROUND=on", spawnName+"=on")
	t.Cleanup(h.end)
	return h
}

// asked is the file with the process IDs of commands that hang.
func (h *syncedHome) asked() string { return filepath.Join(h.dir, "asked") }

// end ends the processes that hooks have started for the store, and those that they wait for.
func (h *syncedHome) end() {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		out, err := exec.Command("pgrep", "-f", "hippo.*"+regexp.QuoteMeta(h.dir)).Output()
		hanging, _ := os.ReadFile(h.asked())
		for text := range strings.FieldsSeq(string(out) + " " + string(hanging)) {
			if pid, err := strconv.Atoi(text); err == nil {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if err != nil {
			return // there are no more
		}
	}
	h.t.Error("processes of hooks do not end")
}

// poll waits until something is so.
func (h *syncedHome) poll(what string, so func() bool) {
	h.t.Helper()
	pause := time.NewTicker(10 * time.Millisecond)
	defer pause.Stop()
	for end := time.Now().Add(patience); !so(); <-pause.C {
		if time.Now().After(end) {
			h.t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

func (h *syncedHome) run(args ...string) string {
	h.t.Helper()
	return string(runIn(h.t, h.dir, h.env, args...))
}

// hook runs a hook, and returns what it prints.
func (h *syncedHome) hook(event string) string {
	h.t.Helper()
	in, err := json.Marshal(map[string]string{"session_id": "s", "cwd": h.dir, "source": "startup"})
	if err != nil {
		h.t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(h.t.Context(), "hippo", "hook", event, "--client", "claude-code")
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = h.dir, h.env, bytes.NewReader(in), &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		h.t.Fatalf("%s: %v %s", event, err, &errs)
	}
	if log, _ := os.ReadFile(filepath.Join(h.dir, "home", "state", "hippo", "hook.log")); len(log) > 0 {
		h.t.Errorf("%s: hook.log has %s", event, log)
	}
	return out.String()
}

// until waits until the memories have a text. A command may run before each attempt.
func (h *syncedHome) until(text string, before ...string) {
	h.t.Helper()
	h.poll(text, func() bool {
		if len(before) > 0 {
			h.run(before...)
		}
		return strings.Contains(h.run("list", "--all"), text)
	})
}

// A session begins with what other machines have written, and what it taught is sent when it ends, with no server.
func TestHook_Sync(t *testing.T) {
	t.Parallel()
	a, b, drop := newSyncedHome(t), newSyncedHome(t), t.TempDir()
	a.run("record", "the heron stands in the water", "--type", "convention", "--project", "none")
	a.run("sync", "init", drop, "--name", "a")
	b.run("record", "the crane dances", "--type", "convention", "--project", "none")
	b.run("sync", "join", strings.Fields(a.run("sync", "invite"))[3], drop, "--name", "b")
	a.run("sync", "now")
	a.run("record", "the ibis wades", "--type", "convention", "--project", "none")
	a.run("sync", "now")
	at := time.Now().Add(-time.Hour) // the last sync was not a moment ago
	if err := os.Chtimes(filepath.Join(b.dir, "home", "data", "hippo", "memory.db.sync", "lock"), at, at); err != nil {
		t.Fatal(err)
	}
	if out := b.hook("session-start"); !strings.Contains(out, "crane dances") {
		t.Errorf("the session begins with %q", out)
	}
	b.until("the ibis wades")
	b.run("record", "the gull flies", "--type", "convention", "--project", "none")
	b.hook("session-end")
	a.until("the gull flies", "sync", "now")
}

// hangingCarrier makes the store sync by a repository, and returns the environment in which git hangs when it asks the repository; called
// reports whether it has.
func (h *syncedHome) hangingCarrier() (env []string, called func() bool) {
	h.t.Helper()
	found := exec.CommandContext(h.t.Context(), "git")
	if found.Err != nil {
		h.t.Fatalf("the test needs git: %v", found.Err)
	}
	git := found.Path
	repository, bin := filepath.Join(h.dir, "memory.git"), filepath.Join(h.dir, "bin")
	if out, err := exec.CommandContext(h.t.Context(), git, "init", "--quiet", "--bare", repository).CombinedOutput(); err != nil {
		h.t.Fatalf("%v %s", err, out)
	}
	h.run("record", "the heron stands in the water", "--type", "convention", "--project", "none")
	h.run("sync", "init", "git:"+repository, "--name", "a")
	script := "#!/bin/sh\ncase \"$*\" in *ls-remote*) echo $$ >>'" + h.asked() + "'; exec sleep 600;; esac\nexec '" + git + "' \"$@\"\n"
	if err := errors.Join(os.Mkdir(bin, 0o700), os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700)); err != nil {
		h.t.Fatal(err)
	}
	at := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(h.dir, "home", "data", "hippo", "memory.db.sync", "lock"), at, at); err != nil {
		h.t.Fatal(err)
	}
	return append(h.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH")), func() bool {
		_, err := os.Stat(h.asked())
		return err == nil
	}
}

// Hooks answer although the carrier hangs: the time that they may take, a minute here, is not used up.
func TestHook_SyncHangs(t *testing.T) {
	t.Parallel()
	h := newSyncedHome(t)
	env, called := h.hangingCarrier()
	h.env = env
	if out := h.hook("session-start"); !strings.Contains(out, "heron stands") {
		t.Errorf("the session begins with %q", out)
	}
	h.poll("a hook syncs", called)
	h.hook("stop")
	h.hook("session-end")
}

// A server answers although the carrier hangs, and ends when somebody ends it.
func TestServe_SyncHangs(t *testing.T) {
	t.Parallel()
	h := newSyncedHome(t)
	env, called := h.hangingCarrier()
	s, err := startWeb(t.Context(), h.dir, env, "--http", "127.0.0.1:0", "--sync-every", "100ms")
	if err != nil {
		t.Fatal(err)
	}
	h.poll("the server syncs", called)
	token, err := os.ReadFile(filepath.Join(h.dir, "home", "data", "hippo", "token"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.ask(t.Context(), http.MethodPost, "/api/v1/memories", strings.TrimSpace(string(token)), `{"content":"the ibis wades"}`)
	if err != nil || a.status != http.StatusCreated {
		t.Errorf("%d %s (%v)", a.status, a.body, err)
	}
	if err := s.end(syscall.SIGTERM); err != nil {
		t.Errorf("ended with %v: %s", err, s.log())
	}
}
