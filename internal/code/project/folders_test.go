package project_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/code/project"
)

// A repository without a remote is known by its folder, one with a remote is not, and a folder name that two have names neither.
func TestCache_Folders(t *testing.T) {
	t.Parallel()
	c := newCache(t)
	local, remote := repository(t), repository(t)
	git(t, remote, "remote", "add", "origin", "https://example.org/owner/one.git")
	name, other := cached(t, c, local).Name, cached(t, c, remote).Name
	folders, base := c.Folders(), filepath.Base(local)
	title := base + " (" + name[:len("local#")+8] + ")"
	if got := folders.Title(name); got != title {
		t.Errorf("got %q for %q, want %q", got, name, title)
	}
	if got := folders.Title(other); got != other {
		t.Errorf("got %q for %q", got, other)
	}
	for _, people := range []string{strings.ToUpper(base), title} {
		if got := folders.Find(people); got != name {
			t.Errorf("by %q: got %q, want %q", people, got, name)
		}
	}
	for of, want := range map[string]string{name: base, other: "example.org/owner/one owner/one one", "attic": "attic", "/srv/a.git#12345678": "a"} {
		if got := strings.Join(folders.Called(of), " "); got != want {
			t.Errorf("%q is called %q, want %q", of, got, want)
		}
	}
	if got := folders.Tree(other); got != remote {
		t.Errorf("the tree of %q is %q, want %q", other, got, remote)
	}
	second := filepath.Join(t.TempDir(), base)
	git(t, t.TempDir(), "init", "-q", second)
	git(t, second, "commit", "-q", "--allow-empty", "-m", "another first")
	cached(t, c, second)
	if got := c.Folders().Find(base); got != "" {
		t.Errorf("of two: got %q", got)
	}
	none := (project.Cache{}).Folders()
	if none.Find(base) != "" || none.Title(name) != name || none.Tree(name) != "" {
		t.Error("a cache without a folder knows something")
	}
}
