package folder_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/folder"
)

// git runs a command as a person does, or skips the test if it is missing.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=person", "-c", "user.email=p@localhost"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		t.Fatal("the test needs git")
	}
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}

func bare(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "--quiet", "--bare")
	return dir
}

func open(t *testing.T, url string) *folder.Git {
	t.Helper()
	g, err := folder.OpenGit(context.Background(), url, filepath.Join(t.TempDir(), "copy"))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGit(t *testing.T) {
	t.Parallel()
	keeps(t, open(t, bare(t)))
	keeps(t, open(t, "file://"+filepath.ToSlash(bare(t))))
}

// Several machines send at once, again and again. Nothing of any of them is lost.
func TestGit_at_once(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	url := bare(t)
	const machines, rounds = 3, 4
	var wg sync.WaitGroup
	for m := range machines {
		g := open(t, url)
		wg.Go(func() {
			for n := range rounds {
				name := func(n int) string { return fmt.Sprintf("r/%d/%d", m, n) }
				_, err := g.List(ctx)
				err = errors.Join(err, g.Put(ctx, name(n), []byte(name(n))))
				if n > 1 {
					err = errors.Join(err, g.Remove(ctx, name(n-2)))
				}
				if err = errors.Join(err, g.Commit(ctx)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	list, err := open(t, url).List(ctx)
	if err != nil || len(list) != 2*machines {
		t.Errorf("%v, %v", list, err)
	}
}

// The ref lies in the repository that a person works in. Nothing of that changes, whatever the person has set.
func TestGit_leaves_the_repository_alone(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	git(t, dir, "init", "--quiet", "--initial-branch=main")
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "a"), []byte("a"), 0o600), os.WriteFile(filepath.Join(dir, "b"), []byte("b"), 0o600)); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", "a")
	git(t, dir, "commit", "--quiet", "-m", "one")
	git(t, dir, "add", "b")
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	state := func() string {
		return git(t, dir, "status", "--porcelain=v2", "--branch") + git(t, dir, "for-each-ref", "refs/heads", "refs/tags", "refs/remotes") + git(t, dir, "diff", "--cached")
	}
	before := state()
	t.Setenv("HOME", t.TempDir()) // no name, no settings
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_DIR", filepath.Join(dir, ".git")) // as in a hook of git
	t.Setenv("GIT_INDEX_FILE", filepath.Join(dir, ".git", "index"))
	t.Setenv("GIT_WORK_TREE", dir)
	g := open(t, dir)
	if _, err := g.List(ctx); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(g.Put(ctx, "format", []byte("x")), g.Commit(ctx)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"} {
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	if after := state(); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	if out := git(t, dir, "log", "--format=%an %s", "refs/hippo/sync/shelf"); out != "hippo hippo sync\n" {
		t.Errorf("got %q", out)
	}
}

// The copy may be lost, and the ref may be deleted or go back: that is seen, and what is written next goes on top of it.
func TestGit_goes_back(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	url := bare(t)
	a, b := open(t, url), open(t, url)
	put := func(g *folder.Git, name string) map[string]int64 {
		t.Helper()
		list, err := g.List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(g.Put(ctx, name, []byte(name)), g.Commit(ctx)); err != nil {
			t.Fatal(err)
		}
		return maps.Clone(list)
	}
	put(a, "one")
	old := strings.TrimSpace(git(t, url, "rev-parse", "refs/hippo/sync/shelf"))
	put(b, "two")
	put(a, "three")
	git(t, url, "update-ref", "refs/hippo/sync/shelf", old)
	if list := put(b, "four"); len(list) != 1 {
		t.Errorf("after it went back: %v", list)
	}
	git(t, url, "update-ref", "-d", "refs/hippo/sync/shelf")
	if list := put(a, "five"); len(list) != 0 {
		t.Errorf("after it was deleted: %v", list)
	}
	if list := put(open(t, url), "six"); len(list) != 1 {
		t.Errorf("a new copy: %v", list)
	}
}

func TestGit_errors(t *testing.T) {
	ctx := context.Background()
	if _, err := folder.OpenGit(ctx, "--upload-pack=x", t.TempDir()); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("an option: %v", err)
	}
	none := open(t, filepath.Join(t.TempDir(), "none"))
	if _, err := none.List(ctx); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "none") {
		t.Errorf("a repository that is missing: %v", err)
	}
	g := open(t, bare(t))
	short, cancel := context.WithTimeout(ctx, time.Nanosecond)
	defer cancel()
	if _, err := g.List(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a deadline: %v", err)
	}
	refusing := bare(t)
	if err := os.WriteFile(filepath.Join(refusing, "hooks", "pre-receive"), []byte("#!/bin/sh\necho no room >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := open(t, refusing)
	_, err := r.List(ctx)
	if err = errors.Join(err, r.Put(ctx, "x", nil)); err != nil {
		t.Fatal(err)
	}
	if err := r.Commit(ctx); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "no room") {
		t.Errorf("a repository that refuses: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := folder.OpenGit(ctx, "x", t.TempDir()); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "install") {
		t.Errorf("git is missing: %v", err)
	}
	if _, err := g.List(ctx); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "install") {
		t.Errorf("git is missing later: %v", err)
	}
}
