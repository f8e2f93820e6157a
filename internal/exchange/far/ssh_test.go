package far_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/exchange/far"
)

// inPlaceOfSSH is the argument with which this test is what ssh and the machine behind it would be, in a mode.
const inPlaceOfSSH = "in-place-of-ssh"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == inPlaceOfSSH {
		os.Exit(ssh(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

// ssh is a machine that does what its mode says.
func ssh(mode string, args []string) int {
	stdio := &far.Stdio{Default: os.Getenv("FAR_DEFAULT"), Expand: func(p string) (string, error) { return p, nil }, Now: time.Now}
	out := io.Writer(os.Stdout)
	text := map[string]string{
		"password": "me@box: Permission denied (publickey,password).",
		"unknown":  "ssh: Could not resolve hostname box: Name or service not known",
		"key":      "Host key verification failed.",
		"off":      "ssh: connect to host box port 22: Connection refused",
		"missing":  "sh: 1: hippo: not found",
		"old":      `error: unknown flag: --stdio`,
	}[mode]
	switch kind, rest, _ := strings.Cut(mode, "="); kind {
	case "args":
		fmt.Fprintf(os.Stderr, "%q", args)
		return 1
	case "hang":
		time.Sleep(time.Minute)
	case "noise":
		fmt.Println("Welcome to box\n\x1b[1mhippo is not far")
	case "endless":
		for line := []byte(strings.Repeat("x", 1<<16)); ; {
			if _, err := out.Write(line); err != nil {
				return 1
			}
		}
	case "chatter":
		fmt.Println("This account is not available.")
		return 1
	case "version":
		fmt.Println("hippo-shelf 9")
		time.Sleep(time.Minute)
	case "only":
		stdio.Only = rest
	case "die":
		out = &dying{os.Stdout, 200}
	case "stop":
		out = &stopping{os.Stdout, 200}
	}
	if text != "" {
		fmt.Fprintln(os.Stderr, text)
		return map[string]int{"missing": 127, "old": 2}[mode] + map[bool]int{true: 255}[mode != "missing" && mode != "old"]
	}
	if err := stdio.Serve(context.Background(), os.Stdin, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// dying ends the program after some bytes.
type dying struct {
	io.Writer
	left int
}

func (d *dying) Write(b []byte) (int, error) {
	if d.left -= len(b); d.left < 0 {
		os.Exit(9)
	}
	return d.Writer.Write(b)
}

// stopping sends nothing more after some bytes.
type stopping struct {
	io.Writer
	left int
}

func (d *stopping) Write(b []byte) (int, error) {
	if d.left -= len(b); d.left < 0 {
		time.Sleep(time.Minute)
	}
	return d.Writer.Write(b)
}

// dial opens a folder through a machine that does what its mode says.
func dial(t *testing.T, mode, path string, patience time.Duration) (*far.Folder, error) {
	t.Helper()
	f, err := far.OpenSSH(t.Context(), far.SSH{
		Command: []string{os.Args[0], inPlaceOfSSH, mode}, Host: "me@box", Path: path, Login: patience, Patience: patience,
	}, filepath.Join(t.TempDir(), "memo"))
	if f != nil {
		t.Cleanup(func() { _ = f.Close() })
	}
	return f, err
}

// What keeps ssh from connecting is said with the way out.
func TestOpenSSH_errors(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"args":     `["me@box" "hippo sync --stdio"]`,
		"password": "ssh me@box: nothing asks for a password here: give the key to ssh-agent",
		"unknown":  "ssh me@box: check the name of the host",
		"key":      "run ssh me@box once in a terminal",
		"off":      "is the machine on",
		"missing":  "hippo is missing there: install it",
		"old":      "the program there is older than this one: update it",
		"chatter":  `it printed "This account is not available."`,
		"endless":  `it printed "xxxx`,
		"hang":     "there was no answer within 1s",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			limit := 20 * time.Second
			if mode == "hang" {
				limit = time.Second
			}
			if _, err := dial(t, mode, "", limit); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
	if _, err := dial(t, "version", "", 20*time.Second); !errors.Is(err, hippo.ErrUnsupported) || !strings.Contains(err.Error(), `has protocol "9"`) {
		t.Errorf("another version: %v", err)
	}
	if _, err := far.OpenSSH(t.Context(), far.SSH{Command: []string{"no-such-ssh"}, Host: "box"}, ""); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "HIPPO_SSH_COMMAND") {
		t.Errorf("no ssh: %v", err)
	}
}

// A shell that prints something before hippo answers does no harm.
func TestOpenSSH_noise(t *testing.T) {
	t.Parallel()
	f, err := dial(t, "noise", t.TempDir(), 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	checkList(t, f, map[string]int64{})
}

// A connection that ends in the midst is an error at once, and one that falls silent after a while. What was written stays whole.
func TestOpenSSH_breaks(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{"die": "the connection ended", "stop": "nothing was heard of it for 1s"} {
		path := t.TempDir()
		f, err := dial(t, mode, path, map[string]time.Duration{"die": 20 * time.Second, "stop": time.Second}[mode])
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.List(t.Context())
		for n := 0; err == nil && n < 9; n++ {
			err = f.Put(t.Context(), fmt.Sprint("keys/", n), []byte("data"))
		}
		if !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "me@box") {
			t.Errorf("%s: got %v, want %q", mode, err, want)
		}
		if _, err := f.List(t.Context()); !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("%s: after it: %v", mode, err)
		}
		for name, size := range mustList(t, path) {
			if size != 4 {
				t.Errorf("%s: %s has %d bytes", mode, name, size)
			}
		}
	}
}

func mustList(t *testing.T, path string) map[string]int64 {
	t.Helper()
	f, err := dial(t, "serve", path, 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	list, err := f.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A call that is canceled ends at once.
func TestOpenSSH_canceled(t *testing.T) {
	t.Parallel()
	f, err := dial(t, "stop", t.TempDir(), 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	for err == nil {
		_, err = f.List(ctx)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// The other end chooses the folder, unless the login is for one.
func TestStdio_folder(t *testing.T) {
	t.Parallel()
	one, other := t.TempDir(), t.TempDir()
	f, err := dial(t, "only="+one, "", 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Put(t.Context(), "format", nil); err != nil {
		t.Fatal(err)
	}
	if list := mustList(t, one); len(list) != 1 {
		t.Errorf("%v", list)
	}
	if f, err = dial(t, "only="+one, other, 20*time.Second); err != nil {
		t.Fatal(err)
	}
	if _, err := f.List(t.Context()); !errors.Is(err, hippo.ErrForbidden) || !strings.Contains(err.Error(), "leave out the path") {
		t.Errorf("got %v", err)
	}
	if f, err = dial(t, "serve", filepath.Join(other, "none ä %41"), 20*time.Second); err != nil {
		t.Fatal(err)
	}
	if _, err := f.List(t.Context()); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "none ä %41") || !strings.Contains(err.Error(), "make the folder first") {
		t.Errorf("got %v", err)
	}
}

func TestStdio_default(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "here")
	t.Setenv("FAR_DEFAULT", path)
	f, err := dial(t, "serve", "", 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	checkList(t, f, map[string]int64{})
	if err := f.Put(t.Context(), "format", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(path, "hippo-sync", "format")); err != nil {
		t.Error(err)
	}
}
