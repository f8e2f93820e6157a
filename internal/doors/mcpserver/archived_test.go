package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// archive archives all memories of a store, as a consolidation does.
func (s *session) archive(b driver.Backend) {
	s.t.Helper()
	err := b.Write(s.t.Context(), driver.Durable, func(tx driver.Tx) error {
		for c, err := range b.Changes(s.t.Context(), 0) {
			if err != nil {
				return err
			}
			m := c.Memory.Clone()
			m.ArchivedAt = s.clock.now()
			if err := tx.Put(m); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// A file that a consolidation has archived is a file as before.
func TestArchived_Files(t *testing.T) {
	t.Parallel()
	b := memstore.New(nil)
	s := startHippo(t, b)
	const path = "/memories/notes.md"
	create := step{object{"command": "create", "path": path, "file_text": "one"}, "File created successfully at: " + path}
	s.steps([]step{create})
	s.archive(b)
	s.steps([]step{
		{object{"command": "view", "path": path}, "Here's the content of " + path + " with line numbers:\n     1\tone"},
		{create.args, "Error: File " + path + " already exists"},
		{object{"command": "str_replace", "path": path, "old_str": "one", "new_str": "two"}, "The memory file has been edited.\n     1\ttwo"},
		{object{"command": "delete", "path": path}, "Successfully deleted " + path},
		create,
	})
}

// What is archived, and a search still finds, is deleted with the rest.
func TestArchived_Deletions(t *testing.T) {
	t.Parallel()
	const text = "The Job Queue drains"
	for i, x := range []exchange{
		{"delete_memory", object{"tags": "a"}, `"deleted_count":1`},
		{"delete_memory", object{"before": "2027-01-01"}, `"deleted_count":1`},
		{"delete_memory", object{"memory_type": "note"}, `"deleted_count":1`},
		{"hippo_forget", object{"content_hash": rawHash(text)}, `"deleted":1`},
		{"memory_delete", object{"tags": "a"}, "Deleted 1 memories"},
		{"memory_delete", object{"before": "2027-01-01"}, "Deleted 1 memories"},
		{"delete_by_tag", object{"tags": "a"}, "Deleted 1 memories"},
		{"delete_by_timeframe", object{"start_date": "2026-01-01", "end_date": "2026-12-31"}, "Deleted 1 memories"},
		{"delete_before_date", object{"before_date": "2027-01-01"}, "Deleted 1 memories"},
	} {
		t.Run(fmt.Sprint(i, x.tool), func(t *testing.T) {
			t.Parallel()
			b := memstore.New(nil)
			s := startHippo(t, b)
			s.remember(text, object{"tags": "a", "memory_type": "note"})
			s.archive(b)
			if got := s.must(x.tool, x.args, nil).Text; !strings.Contains(got, x.want) {
				t.Errorf("%v: got %s, want %s", x.args, got, x.want)
			}
		})
	}
}

// A directory gets another path as one operation: an end in its midst leaves all of its files where they were.
func TestMemoryTool_RenamesAtOnce(t *testing.T) {
	t.Parallel()
	b := memstore.New(nil)
	s := startHippo(t, b)
	for _, name := range []string{"a", "b", "sub/c"} {
		path := "/memories/old/" + name
		s.steps([]step{{object{"command": "create", "path": path, "file_text": name}, "File created successfully at: " + path}})
	}
	// Two programs made this one at once.
	err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
		for c, err := range b.Changes(t.Context(), 0) {
			if err != nil {
				return err
			}
			if c.Memory.Content == "a" {
				m := c.Memory.Clone()
				m.ID[15]++
				return tx.Put(m)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.steps([]step{{object{"command": "rename", "old_path": "/memories/old", "new_path": "/memories/new"}, "Successfully renamed /memories/old to /memories/new"}})
	page, err := memory.Operations(t.Context(), s.engine.In(hippo.LocalScope("")), api.Operations{})
	if err != nil || len(page.Operations) != 1 {
		t.Fatalf("%+v (%v), want one operation", page, err)
	}
	s.steps([]step{
		{object{"command": "view", "path": "/memories/old"}, "The path /memories/old does not exist. Please provide a valid path."},
		{object{"command": "view", "path": "/memories/new/sub/c"}, "Here's the content of /memories/new/sub/c with line numbers:\n     1\tsub/c"},
		{object{"command": "delete", "path": "/memories/new"}, "Successfully deleted /memories/new"},
		{object{"command": "view", "path": "/memories/new"}, "The path /memories/new does not exist. Please provide a valid path."},
	})
}

// A dry run changes nothing, so that a caller who may only read has it; an issuer is not asked for another token.
func TestClaudeHippo_DryRunOfReaders(t *testing.T) {
	t.Parallel()
	s := startHippo(t, memstore.New(nil))
	r := s.remember("counted", object{"tags": "a"})
	open := func(context.Context) (*engine.Engine, error) { return s.engine, nil }
	routes := mcpserver.Routes(open, &mcpserver.Options{Tools: []string{"claude-hippo"}, Now: s.clock.now})
	c := serveHTTP(t, httpd.New(routes, httpd.Options{Tokens: knownCallers(callers()), Metadata: "https://memory.example.org/.well-known/oauth-protected-resource"}))
	call := func(tool string, args object) (int, string) {
		body, err := json.Marshal(object{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": object{"name": tool, "arguments": args}})
		if err != nil {
			t.Fatal(err)
		}
		q := c.request(t, http.MethodPost, string(body))
		q.Header.Set("Authorization", "Bearer reader")
		return c.do(t, q)
	}
	for tool, args := range map[string]object{"hippo_forget": {"id": r.ID}, "delete_memory": {"tags": "a"}} {
		if code, answer := call(tool, args); code != http.StatusOK || !strings.Contains(answer, "[forbidden]") {
			t.Errorf("%s: %d %s", tool, code, answer)
		}
		args["dry_run"] = true
		if code, answer := call(tool, args); code != http.StatusOK || !strings.Contains(answer, `\"deleted\":1,\"dry_run\":true`) {
			t.Errorf("%s with dry_run: %d %s", tool, code, answer)
		}
	}
	if code, _ := call("hippo_remember", object{"content": "x"}); code != http.StatusForbidden {
		t.Errorf("hippo_remember: %d", code)
	}
}
