package userdir_test

import (
	"path/filepath"
	"testing"

	"github.com/hippo-memory/hippo/internal/base/userdir"
)

//nolint:paralleltest // it sets the environment
func TestCache(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE"} {
		t.Setenv(name, home)
	}
	t.Setenv("XDG_CACHE_HOME", "")
	standard := userdir.Cache()
	if !filepath.IsAbs(standard) {
		t.Errorf("the cache is at %q, which is relative", standard)
	}
	for given, want := range map[string]string{
		filepath.Join(home, "c"): filepath.Join(home, "c"),
		"~/c":                    filepath.Join(home, "c"),
		"$HOME/c":                filepath.Join(home, "c"),
		"relative":               standard,
		"~other/c":               standard,
	} {
		t.Setenv("XDG_CACHE_HOME", given)
		if got := userdir.Cache(); got != want {
			t.Errorf("XDG_CACHE_HOME=%s: %s, want %s", given, got, want)
		}
	}
}
