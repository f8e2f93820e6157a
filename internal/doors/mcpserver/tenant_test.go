package mcpserver_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// Every tool of every system gives one tenant the same answer, byte for byte but for the IDs, in a store of its own and in one that
// another tenant uses: no count, word or existence of what the other has.
func TestTenants_EveryAnswer(t *testing.T) {
	t.Parallel()
	for _, mine := range []hippo.Scope{
		{Namespace: "a", Rights: hippo.AllRights &^ hippo.RightMetrics &^ hippo.RightAdmin},
		{Projects: []string{"p"}, Project: "p", Rights: hippo.AllRights &^ hippo.RightMetrics &^ hippo.RightAdmin},
	} {
		alone, shared := answersOf(t, mine, false), answersOf(t, mine, true)
		if len(alone) < 100 {
			t.Errorf("only %d calls were tried", len(alone))
		}
		for _, name := range slices.Sorted(maps.Keys(alone)) {
			if alone[name] != shared[name] {
				t.Errorf("%+v: %s\nalone:  %s\nshared: %s", mine, name, alone[name], shared[name])
			}
		}
	}
}

// answersOf returns the answers to calls of all tools about a memory of a tenant, with memories of others before and after it if the
// store is shared.
func answersOf(t *testing.T, mine hippo.Scope, shared bool) map[string]string {
	t.Helper()
	s := newSession(t, memstore.New(nil), time.UTC)
	others := func(n int) {
		for i := range n {
			if !shared {
				return
			}
			o := s.engine.In(hippo.Scope{Namespace: []string{"", "b"}[i%2], Rights: hippo.AllRights})
			m := &hippo.Memory{
				Namespace: []string{"", "b"}[i%2], Project: "other", Content: fmt.Sprintf("The secret plan %d of the heron by the weir", i), Tags: []string{"weir"}, Type: "decision",
				Importance: hippo.Importance{Base: .5}, Trust: hippo.TrustDefault,
			}
			if _, err := memory.Record(t.Context(), o, m); err != nil {
				t.Fatal(err)
			}
		}
	}
	others(6)
	s.serveIn(mine, mcpserver.ToolSystems())
	m := &hippo.Memory{
		ID: hippo.ID{1, 0x94, 0x8f, 15: 1}, Namespace: mine.Namespace, Project: mine.Project, Content: "A secret plan of the weir", Tags: []string{"weir"}, Situation: []string{"planning"},
		Importance: hippo.Importance{Base: .5}, Trust: hippo.TrustDefault,
	}
	if _, err := memory.Record(t.Context(), s.engine.In(mine), m); err != nil {
		t.Fatal(err)
	}
	others(6)
	out := make(map[string]string)
	for _, c := range s.everyCall(t, m.ID.String()) {
		for name, v := range c.args {
			_, isText := v.(string)
			switch {
			case !isText:
			case name == "query" || name == "prompt":
				c.args[name] = "secret plan of the weir"
			case strings.HasSuffix(name, "_after") || strings.HasSuffix(name, "_from"):
				c.args[name] = "2026-02-01T00:00:00Z"
			case strings.HasSuffix(name, "_before") || strings.HasSuffix(name, "_until") || strings.HasSuffix(name, "_at") || name == "timestamp" || name == "as_of":
				c.args[name] = "2026-04-01T00:00:00Z"
			}
		}
		s.clock.set(s.clock.now().Add(time.Second)) // what is new is never as old as something else
		raw := s.call("tools/call", object{"name": c.tool, "arguments": c.args})
		if err := s.engine.Flush(t.Context()); err != nil { // else the counts of uses in later answers depend on the time a call takes
			t.Fatal(err)
		}
		arguments, err := json.Marshal(c.args)
		if err != nil {
			t.Fatal(err)
		}
		out[c.tool+" "+withoutIDs(string(arguments))] = withoutIDs(string(raw))
	}
	return out
}

// toolCall is a tool and its arguments.
type toolCall struct {
	tool string
	args object
}

// everyCall returns calls of all tools about a memory, those that end it last.
func (s *session) everyCall(t *testing.T, id string) (calls []toolCall) {
	t.Helper()
	var r struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(s.call("tools/list", object{}), &r); err != nil {
		t.Fatal(err)
	}
	listed := make(map[string]bool)
	for _, tool := range r.Result.Tools {
		listed[tool.Name] = true
		for _, args := range inputs(t, tool.InputSchema, id) {
			calls = append(calls, toolCall{tool.Name, args})
		}
	}
	catalog, err := mcpserver.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range catalog { // those that only answer
		if !listed[c.Name] {
			calls = append(calls, toolCall{c.Name, object{"query": "plan", "content_hash": id, "id": id}}, toolCall{c.Name, object{"query": "plan"}}, toolCall{c.Name, object{}})
		}
	}
	ends := regexp.MustCompile("forget|delete|reset|clear|cleanup")
	slices.SortStableFunc(calls, func(a, b toolCall) int {
		return cmp.Compare(len(ends.FindString(a.tool)), len(ends.FindString(b.tool)))
	})
	return calls
}

// withoutIDs writes the IDs in a text, whole or short, as one word.
func withoutIDs(text string) string {
	return regexp.MustCompile(`\b([0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{20}|[0-9a-f]{8}|[0-9]{14,17}|[0-9]+\.[0-9]{5,})\b`).ReplaceAllString(strings.ReplaceAll(text, `\n`, "\n"), "ID")
}
