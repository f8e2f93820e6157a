package mcpserver_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// A memory says which of the files that it names its working tree does not have any more.
func TestFilesThatAreGone(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "internal"), 0o700); err != nil {
		t.Fatal(err)
	}
	pool := filepath.Join(root, "internal", "pool.go")
	if err := os.WriteFile(pool, []byte("package pool\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := connectAs(t, memstore.New(nil), time.UTC, &mcpserver.Options{Project: func(context.Context, mcpserver.Workspace) []project.Identity {
		return []project.Identity{{Name: "orchard", Tree: root}}
	}})
	s.hello()
	id := s.record("Retries wait in internal/pool.go, and/or in the client/server; see https://example.com/internal/x.go", .5)
	const note = "internal/pool.go is not in the working tree"
	shows := func(want bool, tool string, args object) {
		t.Helper()
		text := s.must(tool, args, nil).Text
		if strings.Contains(text, note) != want || strings.Count(text, "not in the working tree") > 1 {
			t.Errorf("%s: %q, want the note: %v", tool, text, want)
		}
	}
	search, get := object{"query": "where do retries wait"}, object{"ids": []string{id}}
	shows(false, "hippo_search_insights", search)
	shows(false, "hippo_get", get)
	if err := os.Remove(pool); err != nil {
		t.Fatal(err)
	}
	shows(true, "hippo_search_insights", search)
	shows(true, "hippo_get", get)
	shows(false, "hippo_get", object{"ids": []string{id}, "as_of": "2026-03-01T12:00:01Z"})
}
