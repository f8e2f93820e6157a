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

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/project"
)

func TestNormalise(t *testing.T) {
	t.Parallel()
	const want = "github.com/owner/name"
	for _, url := range []string{
		"https://github.com/owner/name.git", "https://github.com/owner/name/", "git@github.com:owner/name.git",
		"ssh://git@GitHub.com:22/owner/name.git", "https://github.com/Owner/NAME", "ssh://git@ssh.github.com:443/owner/name.git", "https://www.github.com/owner/name", "https://user:secret@github.com/owner/name", "git://github.com/owner/name",
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
	return project.Identify(ctx, dir).Name
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	if err := exec.CommandContext(t.Context(), "git").Err; err != nil {
		t.Skipf("the test needs a repository, and git cannot make one: %v", err)
	}
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

// A folder in no repository has no project. What is unknown has the name of its place, or said to be unassigned: it is never
// that of nothing.
func TestIdentify_Unknown(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	git(t, empty, "init", "-q")
	if got := identify(t, empty); !strings.HasPrefix(got, "folder#") {
		t.Errorf("no commit: got %q", got)
	}
	git(t, empty, "remote", "add", "origin", "git@github.com:owner/name.git")
	if got := identify(t, empty); got != "github.com/owner/name" {
		t.Errorf("no commit and a remote: got %q", got)
	}
	if got := identify(t, t.TempDir()); got != "" {
		t.Errorf("no repository: got %q", got)
	}
	if got := identify(t, filepath.Join(t.TempDir(), "gone")); got != hippo.Unassigned {
		t.Errorf("no directory: got %q", got)
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

// The settings of git and of SSH say what an address means.
func TestIdentify_Settings(t *testing.T) {
	dir, home := repository(t), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, ".ssh", "config"), "# mine\nHost other\n  HostName example.org\nHost github-* !github-none\n  HostName github.com\n")
	write(t, filepath.Join(home, ".gitconfig"), "[user]\n\tname = me\n[url \"https://github.com/\"]\n\tinsteadOf = gh:\n")
	for url, want := range map[string]string{
		"github-work:owner/name.git": "github.com/owner/name#", "git@github-work:owner/name": "github.com/owner/name#",
		"ssh://github-work/owner/name": "github.com/owner/name#", "gh:owner/name": "github.com/owner/name#",
		"github-none:owner/name": "github-none/owner/name#", "https://github-work/owner/name": "github-work/owner/name#",
	} {
		git(t, dir, "config", "remote.origin.url", url)
		if got := identify(t, dir); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
	write(t, filepath.Join(dir, ".git", "config"), "[core]\n\tbare = false\n[remote \"origin\"] ; here\n  URL = \"https://example.org/a b/c.git\" # quoted\n  url = https://example.org/second\n")
	if got := identify(t, dir); !strings.HasPrefix(got, "example.org/a b/c#") {
		t.Errorf("got %q", got)
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
	dir := repository(t)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if got := project.Identify(ctx, dir); !strings.HasPrefix(got.Name, "folder#") {
		t.Errorf("got %q, want the place", got.Name)
	}
}

func TestIdentify_WithoutGit(t *testing.T) {
	dir := repository(t)
	git(t, dir, "remote", "add", "origin", "git@github.com:owner/name.git")
	t.Setenv("PATH", t.TempDir())
	if got := identify(t, dir); got != "github.com/owner/name" {
		t.Errorf("got %q, want the remote", got)
	}
}

// A repository of another user, as a volume in a container is, is read all the same.
func TestIdentify_ForeignOwner(t *testing.T) {
	dir := repository(t)
	want := identify(t, dir)
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	if got := identify(t, dir); got != want || !strings.HasPrefix(got, "local#") {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What an editor or a hook of git sets in the environment is about another repository.
func TestIdentify_Environment(t *testing.T) {
	dir, other := repository(t), repository(t)
	want := identify(t, dir)
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	if got := identify(t, dir); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A home folder under version control is not the project of what lies in it.
func TestIdentify_Home(t *testing.T) {
	home := repository(t)
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	notes := filepath.Join(home, "notes")
	if err := os.Mkdir(notes, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := identify(t, notes); got != "" {
		t.Errorf("in a folder of the home folder: got %q", got)
	}
	if got := identify(t, home); !strings.HasPrefix(got, "local#") {
		t.Errorf("in the home folder: got %q", got)
	}
	if !project.IsTop(home) || !project.IsTop(filepath.VolumeName(home)+string(filepath.Separator)) || project.IsTop(notes) {
		t.Error("the home folder and the top are not recognised")
	}
}

// A clone of a folder of this machine is the project of that folder; one of a bare repository, which others push to, has its path.
func TestIdentify_CloneOfAFolder(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	git(t, dir, "remote", "add", "origin", "git@github.com:owner/name.git")
	clone, bare, of := filepath.Join(t.TempDir(), "clone"), filepath.Join(t.TempDir(), "server.git"), filepath.Join(t.TempDir(), "of")
	git(t, dir, "clone", "-q", dir, clone)
	if got, want := identify(t, clone), identify(t, dir); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	git(t, dir, "clone", "-q", "--bare", dir, bare)
	git(t, bare, "remote", "remove", "origin")
	git(t, dir, "clone", "-q", bare, of)
	if got := identify(t, of); !strings.HasPrefix(got, filepath.ToSlash(bare)+"#") && !strings.HasPrefix(got, bare+"#") {
		t.Errorf("of a bare repository: got %q", got)
	}
}
