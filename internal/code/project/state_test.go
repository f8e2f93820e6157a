package project_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/code/project"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestStateOf(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	git(t, dir, "checkout", "-q", "-b", "fix/gateway-retry")
	write(t, filepath.Join(dir, "retry.go"), "package x")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "Retry with jitter: at most 3 times")
	write(t, filepath.Join(dir, "retry.go"), "package y")
	inner := filepath.Join(dir, "inner")
	if err := os.Mkdir(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	s := project.StateOf(t.Context(), inner)
	if s.Branch != "fix/gateway-retry" || len(s.Subjects) < 2 || s.Subjects[0] != "Retry with jitter: at most 3 times" || !slices.Equal(s.Changed, []string{"retry.go"}) {
		t.Errorf("got %+v", s)
	}
	tree := filepath.Join(t.TempDir(), "tree")
	git(t, dir, "worktree", "add", "-q", "-b", "other", tree)
	if s := project.StateOf(t.Context(), tree); s.Branch != "other" || len(s.Changed) > 0 {
		t.Errorf("in a worktree: %+v", s)
	}
	if s := project.StateOf(t.Context(), t.TempDir()); s.Text() != "" {
		t.Errorf("without a repository: %+v", s)
	}
}

// A git that hangs leaves out what only git knows.
func TestStateOf_HangingGit(t *testing.T) {
	dir := repository(t)
	git(t, dir, "checkout", "-q", "-b", "topic")
	bin := t.TempDir()
	write(t, filepath.Join(bin, "git"), "#!/bin/sh\nexec sleep 600\n")
	if err := os.Chmod(filepath.Join(bin, "git"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for _, ctx := range []context.Context{ctx, t.Context()} { // the second one has no deadline of its own
		if s := project.StateOf(ctx, dir); s.Branch != "topic" || len(s.Changed) > 0 {
			t.Errorf("got %+v", s)
		}
	}
}

// The root is found in folders below it, through links and in worktrees, without git.
func TestRoot(t *testing.T) {
	dir, err := filepath.EvalSymlinks(repository(t))
	if err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(filepath.Dir(dir), "tree of "+filepath.Base(dir))
	git(t, dir, "worktree", "add", "-q", "-b", "other", tree)
	below, link := filepath.Join(tree, "a", "b"), filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.MkdirAll(below, 0o700), os.Symlink(below, link)); err != nil {
		t.Skip(err) // Windows lets only privileged users create links
	}
	t.Setenv("PATH", t.TempDir())
	for from, want := range map[string]string{dir: dir, below: tree, link: tree} {
		if got, ok := project.Root(from); !ok || got != want {
			t.Errorf("%s: got %q, %t, want %q", from, got, ok, want)
		}
	}
	if got, ok := project.Root(filepath.Join(dir, "nowhere")); ok {
		t.Errorf("a folder that does not exist: got %q", got)
	}
}
