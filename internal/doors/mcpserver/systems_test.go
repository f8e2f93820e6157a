package mcpserver_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// serveIn serves the engine of a session again, in a scope and with the tools of some systems.
func (s *session) serveIn(scope hippo.Scope, systems []string) {
	s.t.Helper()
	s.serve(mcpserver.New(func(context.Context) (*engine.Engine, error) { return s.engine, nil }, &mcpserver.Options{
		Now: s.clock.now, Tools: systems, Scope: func(context.Context) hippo.Scope { return scope },
	}))
	s.hello()
}

// listed returns the names of the tools in the list.
func (s *session) listed() []string {
	s.t.Helper()
	var r struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema struct{ Type string }
			}
		}
	}
	if err := json.Unmarshal(s.call("tools/list", object{}), &r); err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, t := range r.Result.Tools {
		if t.InputSchema.Type != "object" {
			s.t.Errorf("%s: its schema is of type %q", t.Name, t.InputSchema.Type)
		}
		out = append(out, t.Name)
	}
	return out
}

// --tools says what is listed, and all names answer all the same.
func TestTools_Listed(t *testing.T) {
	t.Parallel()
	own := start(t).listed()
	for _, tc := range []struct {
		systems          string
		own, other, size int
	}{
		{"hippo", 0, -1, len(own)},
		{"memory-service", -1, 0, 21},
		{"memory-service,hippo", 21, 0, 21 + len(own)},
		{"hippo,memory-service", 0, len(own), 21 + len(own)},
		{"claude-hippo", -1, -1, 11},
		{"claude-hippo,hippo", 11, -1, 11 + len(own) - 1}, // hippo_forget is that of claude-hippo
		{"memory-service,claude-hippo", -1, 0, 21 + 7},    // four names are older ones of memory-service
		{"graph", -1, -1, 2},
		{"code", -1, -1, 1},
		{"memory-mcp", -1, -1, 13},
		{"all", 0, len(own) + 2 + 1, 21 + len(own) + 6 + 2 + 1 + 10}, // three names are older ones of memory-service
	} {
		systems, err := mcpserver.ParseTools(tc.systems)
		if err != nil {
			t.Fatal(err)
		}
		s := connect(t, memstore.New(nil))
		s.end()
		s.serveIn(hippo.LocalScope(""), systems)
		got := s.listed()
		index := [3]int{slices.Index(got, own[0]), slices.Index(got, "memory_store"), len(got)}
		if diff := cmp.Diff([3]int{tc.own, tc.other, tc.size}, index); diff != "" {
			t.Errorf("%s: %s", tc.systems, diff)
		}
		s.must("hippo_status", object{}, nil)
		s.must("memory_store", object{"content": "x"}, nil)
		s.must("retrieve_memory", object{"query": "x"}, nil)
		if o := s.tool("no_such_tool", object{}); o.Protocol == nil {
			t.Errorf("got %+v", o)
		}
	}
	if _, err := mcpserver.ParseTools("hippo,klingon"); hippo.CodeOf(err) != hippo.CodeInvalid {
		t.Errorf("got %v", err)
	}
}
