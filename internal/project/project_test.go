package project_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/project"
)

func TestNormalise(t *testing.T) {
	t.Parallel()
	const want = "github.com/owner/name"
	for _, url := range []string{
		"https://github.com/owner/name.git", "https://github.com/owner/name/", "git@github.com:owner/name.git",
		"ssh://git@GitHub.com:22/owner/name.git", "https://user:secret@github.com/owner/name", "git://github.com/owner/name",
	} {
		if got := project.Normalise(url); got != want {
			t.Errorf("%s: got %s, want %s", url, got, want)
		}
	}
	if got := project.Normalise("ssh://git@[2001:db8::1]:22/owner/name"); got != "[2001:db8::1]/owner/name" {
		t.Errorf("got %s for a numeric host", got)
	}
	if got := project.Normalise("/srv/git/name.git"); got != "/srv/git/name.git" {
		t.Errorf("got %s for a local path", got)
	}
}

// patience is long enough for git on a machine that does much else.
const patience = time.Minute

func identify(t *testing.T, dir string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return project.Identify(ctx, dir)
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// repository makes one with a commit.
func repository(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "name")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "first "+dir)
	return dir
}

func TestIdentify(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	local := identify(t, dir)
	if !strings.HasPrefix(local, "local#") || len(local) != len("local#")+12 {
		t.Errorf("got %q without a remote", local)
	}
	git(t, dir, "remote", "add", "origin", "git@github.com:owner/name.git")
	id := identify(t, dir)
	if !strings.HasPrefix(id, "github.com/owner/name#") {
		t.Errorf("got %q with a remote", id)
	}
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(t.TempDir(), "elsewhere")
	git(t, dir, "worktree", "add", "-q", tree, "-b", "branch")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "second")
	for what, d := range map[string]string{"subdirectory": sub, "worktree": tree, "after a commit": dir} {
		if got := identify(t, d); got != id {
			t.Errorf("%s: got %q, want %q", what, got, id)
		}
	}
	git(t, dir, "remote", "rename", "origin", "upstream")
	git(t, dir, "remote", "add", "zoo", "git@github.com:zoo/name.git")
	if got := identify(t, dir); got != id {
		t.Errorf("got %q without an origin, want that of the first remote, %q", got, id)
	}
	git(t, dir, "remote", "add", "origin", "git@github.com:owner/name.git")
	fork := filepath.Join(t.TempDir(), "name")
	git(t, dir, "clone", "-q", dir, fork)
	git(t, fork, "remote", "set-url", "origin", "git@github.com:other/name.git")
	if got := identify(t, fork); got == id || !strings.HasPrefix(got, "github.com/other/name#") {
		t.Errorf("a fork is %q, the original %q", got, id)
	}
}

func TestIdentify_None(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	git(t, empty, "init", "-q")
	for what, dir := range map[string]string{"no commit": empty, "no repository": t.TempDir(), "no directory": "/nowhere/at/all"} {
		if got := identify(t, dir); got != "" {
			t.Errorf("%s: got %q, want none", what, got)
		}
	}
}

// A history that is merged in does not change which project it is.
func TestIdentify_MergedHistory(t *testing.T) {
	t.Parallel()
	dir, other := repository(t), repository(t)
	id := identify(t, dir)
	git(t, dir, "fetch", "-q", other)
	git(t, dir, "merge", "-q", "--allow-unrelated-histories", "-m", "both", "FETCH_HEAD")
	if got := identify(t, dir); got != id {
		t.Errorf("got %q after the merge, want %q", got, id)
	}
}

// A shallow clone has a first commit that moves: only the remote counts.
func TestIdentify_Shallow(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "second")
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, dir, "clone", "-q", "--depth=1", "file://"+filepath.ToSlash(dir), clone)
	git(t, clone, "remote", "set-url", "origin", "https://me:secret@github.com/owner/name.git")
	if got := identify(t, clone); got != "github.com/owner/name" {
		t.Errorf("got %q", got)
	}
}

// A git that hangs, with a child that holds its output, does not hang the caller.
func TestIdentify_SlowGit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a script is no program there")
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n/bin/sleep 60\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if got := project.Identify(ctx, t.TempDir()); got != "" {
		t.Errorf("got %q, want none", got)
	}
}

func TestIdentify_WithoutGit(t *testing.T) {
	dir := repository(t)
	t.Setenv("PATH", t.TempDir())
	if got := identify(t, dir); got != "" {
		t.Errorf("got %q, want none", got)
	}
}
