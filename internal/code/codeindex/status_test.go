package codeindex_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The state has when an update began, and why it failed.
func TestTree_Status_Failed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "tree")
	write(t, dir, map[string]string{"a.go": "package a\n"})
	tree := add(t, library(t, t.TempDir()), dir)
	if s := tree.Status(t.Context()); !s.Began.IsZero() || s.Failed != "" {
		t.Errorf("before: %+v", s)
	}
	update(t, tree)
	if s := tree.Status(t.Context()); s.Began.IsZero() || s.Failed != "" || s.Elsewhere {
		t.Errorf("after: %+v", s)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Update(t.Context(), nil); err == nil {
		t.Fatal("a tree that is gone was indexed")
	}
	if s := tree.Status(t.Context()); !strings.Contains(s.Failed, "was deleted") {
		t.Errorf("failed: %+v", s)
	}
}
