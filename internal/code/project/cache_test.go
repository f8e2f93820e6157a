package project_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/project"
)

func cached(t *testing.T, c project.Cache, dir string) project.Identity {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return c.Identify(ctx, dir)
}

func newCache(t *testing.T) project.Cache {
	t.Helper()
	return project.Cache{Dir: filepath.Join(t.TempDir(), "cache")}
}

// The cache gives the identity that git gives, and remembers what the repository was called before.
func TestCache(t *testing.T) {
	t.Parallel()
	dir, c := repository(t), newCache(t)
	local := identify(t, dir)
	for range 2 {
		if got := cached(t, c, dir); got.Name != local || len(got.Former) > 0 || got.Folder != "name" {
			t.Errorf("got %+v, want %q", got, local)
		}
	}
	names := []string{local}
	for _, url := range []string{"https://example.org/owner/one.git", "https://example.org/other/one.git"} {
		if len(names) == 1 {
			git(t, dir, "remote", "add", "origin", url)
		} else {
			git(t, dir, "remote", "set-url", "origin", url)
		}
		got := cached(t, c, dir)
		if want := identify(t, dir); got.Name != want || !slices.Equal(got.Former, names) {
			t.Errorf("%s: got %+v, want %q, before %q", url, got, want, names)
		}
		names = append([]string{got.Name}, names...)
	}
	if got := cached(t, c, t.TempDir()); got.Name != "" {
		t.Errorf("without a repository %+v", got)
	}
	c.Dir = filepath.Join(dir, "HEAD", "x") // it cannot be written
	if got := cached(t, c, dir); got.Name != names[0] {
		t.Errorf("without a folder: got %+v", got)
	}
}

// The first commit that a repository was known by stays its mark, whatever is checked out, and the remote that it was known by,
// while it has it: that of a fork may be beside it.
func TestCache_Stays(t *testing.T) {
	t.Parallel()
	for what, change := range map[string][][]string{
		"amended":  {{"commit", "-q", "--amend", "--allow-empty", "-m", "other"}},
		"orphaned": {{"checkout", "-q", "--orphan", "pages"}, {"commit", "-q", "--allow-empty", "-m", "pages"}},
		"forked":   {{"remote", "rename", "origin", "upstream"}, {"remote", "add", "origin", "https://github.com/me/name"}},
	} {
		dir, c := repository(t), newCache(t)
		git(t, dir, "remote", "add", "origin", "https://github.com/owner/name")
		want := cached(t, c, dir)
		for _, args := range change {
			git(t, dir, args...)
		}
		git(t, dir, "config", "x.y", what) // the settings are another file now
		if got := cached(t, c, dir); got.Name != want.Name || !strings.HasPrefix(got.Name, "github.com/owner/name#") {
			t.Errorf("%s: got %+v, want %q", what, got, want.Name)
		}
	}
}

// Another repository in the place of one that was removed has nothing of it.
func TestCache_AnotherInItsPlace(t *testing.T) {
	t.Parallel()
	dir, c := repository(t), newCache(t)
	git(t, dir, "remote", "add", "origin", "https://github.com/owner/name")
	cached(t, c, dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "another one")
	git(t, dir, "remote", "add", "origin", "https://github.com/owner/another")
	if got := cached(t, c, dir); !strings.HasPrefix(got.Name, "github.com/owner/another#") || len(got.Former) > 0 {
		t.Errorf("got %+v", got)
	}
}

// A repository that gets its first commit was its folder before.
func TestCache_FirstCommit(t *testing.T) {
	t.Parallel()
	dir, c := t.TempDir(), newCache(t)
	git(t, dir, "init", "-q")
	before := cached(t, c, dir)
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	got := cached(t, c, dir)
	if !strings.HasPrefix(before.Name, "folder#") || !strings.HasPrefix(got.Name, "local#") || !slices.Equal(got.Former, []string{before.Name}) {
		t.Errorf("got %+v, before %+v", got, before)
	}
}

// What was in a worktree or a repository that is gone belongs to its project still.
func TestCache_GoneFolders(t *testing.T) {
	t.Parallel()
	dir, c := repository(t), newCache(t)
	within, beside, below := filepath.Join(dir, "trees", "in"), filepath.Join(t.TempDir(), "out"), filepath.Join(dir, "sub")
	git(t, dir, "worktree", "add", "-q", "-b", "a", within)
	git(t, dir, "worktree", "add", "-q", "-b", "b", beside)
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	want := cached(t, c, dir).Name
	for _, d := range []string{within, beside, below, dir} {
		cached(t, c, d)
		if err := os.RemoveAll(d); err != nil {
			t.Fatal(err)
		}
		for _, gone := range []string{d, filepath.Join(d, "deep", "er")} {
			if got := cached(t, c, gone); got.Name != want {
				t.Errorf("%s: got %+v, want %q", gone, got, want)
			}
		}
	}
	if got := cached(t, c, filepath.Join(t.TempDir(), "never", "seen")); got.Name != hippo.Unassigned {
		t.Errorf("a folder that nobody knew: got %+v", got)
	}
}
