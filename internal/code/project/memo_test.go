package project_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/hippo-memory/hippo/internal/code/project"
)

// A process that asks again and again gets what a new one would get, whatever happens to the repository meanwhile.
func TestMemo(t *testing.T) {
	t.Parallel()
	dir, c := t.TempDir(), newCache(t)
	below := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	memo := &project.Memo{Cache: c}
	run := func(in string, args ...string) func() { return func() { t.Helper(); git(t, in, args...) } }
	remove := func() {
		t.Helper()
		if err := os.RemoveAll(filepath.Join(below, ".git")); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"no repository", func() {}},
		{"no commit", run(dir, "init", "-q")},
		{"a commit", run(dir, "commit", "-q", "--allow-empty", "-m", "one")},
		{"a remote", run(dir, "remote", "add", "origin", "https://example.org/owner/one.git")},
		{"a commit more", run(dir, "commit", "-q", "--allow-empty", "-m", "two")},
		{"the remote is renamed", run(dir, "remote", "set-url", "origin", "https://example.org/owner/two.git")},
		{"a repository below", run(below, "init", "-q")},
		{"a commit below", run(below, "commit", "-q", "--allow-empty", "-m", "below")},
		{"none below", remove},
		{"the remote is removed", run(dir, "remote", "remove", "origin")},
	} {
		step.do()
		for _, folder := range []string{dir, below} {
			ctx := t.Context()
			for range 2 {
				if got, want := memo.Identify(ctx, folder), c.Identify(ctx, folder); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %s: got %+v, want %+v", step.name, folder, got, want)
				}
			}
		}
	}
}
