package app_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
)

// An index is updated in the background: who cannot wait goes, and the update stays. What is stopped can be begun again.
//
//nolint:paralleltest // it sets the directories of the user
func TestCode_Update(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.md"), []byte("# Notes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := app.NewCode(dir, &app.Options{})
	l, err := c.Library()
	if err != nil {
		t.Fatal(err)
	}
	tree, err := l.Add(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := c.Update(ended, tree, false); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("who cannot wait: %v", err)
	}
	r, err := c.Update(t.Context(), tree, false)
	if err != nil || r.Files != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	for s := tree.Status(t.Context()); s.Encodable == 0 || s.Encoded < s.Encodable; s = tree.Status(t.Context()) { // in the background
		time.Sleep(time.Millisecond)
	}
	c.Stop(tree)
	if _, err := l.Forget(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Update(t.Context(), tree, false); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("an index that was forgotten: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Update(t.Context(), tree, false); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// The project is the working tree around the folder; the home directory is none, nor is a folder whose .git is not what git uses.
//
//nolint:paralleltest // it sets the directories of the user
func TestCode_Project(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"HOME", "USERPROFILE"} {
		t.Setenv(name, home)
	}
	for _, dir := range []string{"work/tree/sub", "plain", "empty/.git"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	initRepository(t, filepath.Join(home, "work", "tree"))
	project := func(dir string) string {
		c := app.NewCode(dir, &app.Options{})
		defer func() { _ = c.Close() }() // it opened nothing
		return c.Project()
	}
	tree := filepath.Join(home, "work", "tree")
	for dir, want := range map[string]string{tree: tree, filepath.Join(tree, "sub"): tree, filepath.Join(home, "plain"): "", filepath.Join(home, "empty"): "", "": ""} {
		if got := project(dir); got != want {
			t.Errorf("%s: got %q, want %q", dir, got, want)
		}
	}
	initRepository(t, home)
	if got := project(filepath.Join(home, "plain")); got != "" {
		t.Errorf("a home directory that is a repository: got %q", got)
	}
}

// initRepository makes in a folder what git looks for in a repository.
func initRepository(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}
