package project_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/project"
)

// A repository without a remote is known by its folder, one with a remote is not, and a folder name that two have names neither.
func TestCache_Folders(t *testing.T) {
	t.Parallel()
	c := newCache(t)
	local, remote := repository(t), repository(t)
	git(t, remote, "remote", "add", "origin", "https://example.org/owner/one.git")
	name, other := cached(t, c, local).Name, cached(t, c, remote).Name
	folders := c.Folders()
	if got := project.Title(name, folders); got != filepath.Base(local)+" ("+name[:len("local#")+8]+")" {
		t.Errorf("got %q for %q", got, name)
	}
	if got := project.Title(other, folders); got != other {
		t.Errorf("got %q for %q", got, other)
	}
	if got := project.OfFolder(strings.ToUpper(filepath.Base(local)), folders); got != name {
		t.Errorf("by the folder: got %q, want %q", got, name)
	}
	folders["local#000000000000"] = filepath.Base(local)
	if got := project.OfFolder(filepath.Base(local), folders); got != "" {
		t.Errorf("of two: got %q", got)
	}
	if got := (project.Cache{}).Folders(); len(got) > 0 {
		t.Errorf("without a cache: got %v", got)
	}
}
