package filelease_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/store/filelease"
)

// helperPrefix makes the test binary take a right and hang, as a process that is killed.
const helperPrefix = "HIPPO_TEST_LEASE_PREFIX"

func TestMain(m *testing.M) {
	if prefix := os.Getenv(helperPrefix); prefix != "" {
		l, err := filelease.New(prefix, time.Now).Lease(context.Background(), "right", time.Hour)
		fmt.Println(l.Held, err)
		time.Sleep(time.Hour) // not select: a process without goroutines ends
	}
	os.Exit(m.Run())
}

// A right ends with its process, and the time until which it was taken stays.
func TestLeases_ofAKilledProcess(t *testing.T) {
	t.Parallel()
	prefix := filepath.Join(t.TempDir(), "store.")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env, cmd.Stderr = append(os.Environ(), helperPrefix+"="+prefix), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "true <nil>\n" {
		t.Fatalf("the process said %q (%v)", line, err)
	}
	l := filelease.New(prefix, time.Now)
	defer l.Close()
	for _, d := range []time.Duration{0, time.Minute} {
		if got, err := l.Lease(t.Context(), "right", d); err != nil || !got.Elsewhere(time.Now()) {
			t.Errorf("for %v: got %+v (%v), want it elsewhere", d, got, err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if got, err := l.Lease(t.Context(), "right", 0); err != nil || got.Elsewhere(time.Now()) {
		t.Errorf("after the kill: got %+v (%v), want it free", got, err)
	}
	got, err := l.Lease(t.Context(), "right", time.Minute)
	if left := time.Until(got.Until); err != nil || !got.Held || left < 50*time.Minute || left > time.Hour {
		t.Errorf("after the kill: got %+v (%v), want it held, and that it was taken for an hour", got, err)
	}
}

// A right that was taken for a time that has passed stays with a process that lives.
func TestLeases_overdue(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	prefix := filepath.Join(t.TempDir(), "store.")
	one, two := filelease.New(prefix, clock), filelease.New(prefix, clock)
	defer two.Close()
	if got, err := one.Lease(t.Context(), "right", time.Minute); err != nil || !got.Held {
		t.Fatalf("got %+v (%v)", got, err)
	}
	now = now.Add(time.Hour)
	for _, d := range []time.Duration{0, time.Minute} {
		if got, err := two.Lease(t.Context(), "right", d); err != nil || !got.Elsewhere(now) {
			t.Errorf("for %v: got %+v (%v), want it elsewhere", d, got, err)
		}
	}
	one.Close()
	if got, err := two.Lease(t.Context(), "right", time.Minute); err != nil || !got.Held || !got.Until.Equal(now.Add(-59*time.Minute)) {
		t.Errorf("got %+v (%v), want it held, and when it was to end", got, err)
	}
}

// What others wrote into a file is no time, and hinders nobody.
func TestLeases_damagedFile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"empty": "", "short": "x2026", "no time": "x" + "not a time, but as long as one is"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prefix := filepath.Join(t.TempDir(), "store.")
			if err := os.WriteFile(prefix+"right.lease", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			l := filelease.New(prefix, time.Now)
			defer l.Close()
			if got, err := l.Lease(t.Context(), "right", time.Minute); err != nil || !got.Held || !got.Until.IsZero() {
				t.Errorf("got %+v (%v), want it held by the first", got, err)
			}
		})
	}
}
