package mcpserver_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// A search asks insights and code together; a line of code has its mark and no id.
func TestSearch_Sources(t *testing.T) {
	t.Parallel()
	c := newCode(t)
	c.index(t, goTree())
	s := startWithCode(t, c, nil)
	s.hello()
	id := s.record("Pool.Wait blocks until the queue is drained, so give the queue a deadline", .5)
	both := object{"query": "wait until the queue is drained", "sources": "memory,code"}
	got := s.must("hippo_search_insights", both, nil).Text
	for _, want := range []string{"of ", "1 insight, code ", "\n" + id[len(id)-8:] + " ", "\n[code] pool/pool.go:6 .", " Pool.Wait: // Wait blocks until the queue is drained."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if c.followed.Load() != 1 {
		t.Error("the index is not kept up to date")
	}
	both["detail"] = "full"
	if got = s.must("hippo_search_insights", both, nil).Text; !strings.Contains(got, "func (p *Pool) Wait() { helper() }") {
		t.Errorf("full: %q", got)
	}
	if got = s.must("hippo_search_insights", object{"query": "drained", "sources": []string{"code"}}, nil).Text; strings.Contains(got, id[len(id)-8:]) || !strings.Contains(got, "[code] pool/pool.go:6") {
		t.Errorf("code only: %q", got)
	}
	if got = s.must("hippo_search_insights", object{"query": "drained"}, nil).Text; strings.Contains(got, "[code]") {
		t.Errorf("by default: %q", got)
	}
	both["limit"] = 1
	if got = s.must("hippo_search_insights", both, nil).Text; !strings.Contains(got, ", next offset 1") {
		t.Errorf("first page: %q", got)
	}
}

// As JSON each result says its source.
func TestSearch_SourcesJSON(t *testing.T) {
	t.Parallel()
	c := newCode(t)
	c.index(t, goTree())
	s := startWithCode(t, c, nil)
	s.hello()
	s.record("Pool.Wait blocks until the queue is drained", .5)
	var out struct {
		Results []struct {
			Source    string
			Relevance float64
			Memory    *struct{ Insight struct{ Content string } }
			Code      *struct {
				Path      string
				FirstLine int `json:"first_line"`
				Relevance float64
				Text      string
			}
		}
		TotalCount    int `json:"total_count"`
		InsightCount  int `json:"insight_count"`
		CodeCount     int `json:"code_count"`
		ReturnedCount int `json:"returned_count"`
	}
	s.must("hippo_search_insights", object{"query": "wait until drained", "sources": "code, memory", "format": "json"}, &out)
	seen := make(map[string]int)
	for _, r := range out.Results {
		seen[r.Source]++
		switch {
		case r.Source == "memory" && (r.Memory == nil || r.Memory.Insight.Content == "" || r.Code != nil), r.Source == "code" && (r.Memory != nil || r.Code == nil || r.Code.Relevance <= r.Relevance || r.Code.Text != ""):
			t.Errorf("%+v", r)
		}
	}
	if seen["memory"] != 1 || seen["code"] == 0 || out.ReturnedCount != len(out.Results) || out.TotalCount != out.InsightCount+out.CodeCount {
		t.Errorf("%+v", out)
	}
}

// What a search shows of code is no insight.
func TestSources_CodeIsNoInsight(t *testing.T) {
	t.Parallel()
	s := start(t)
	for tool, args := range map[string]object{
		"hippo_reinforce_insight": {"upvotes": []string{"pool/pool.go:7"}}, "hippo_forget": {"uuids": []string{"[code] pool/pool.go:7"}},
		"hippo_modify_insight": {"uuid": "/src/a b/pool.go:7", "content": "x"}, "hippo_get": {"ids": []string{"Makefile:12"}},
	} {
		if o := s.tool(tool, args); !o.IsError || !strings.Contains(o.Text, "is a place in code") {
			t.Errorf("%s: %+v", tool, o)
		}
	}
}

// Code that cannot take part is said in a line; trees of other projects do not exist for the caller.
func TestSearch_SourcesWithoutCode(t *testing.T) {
	t.Parallel()
	plain := start(t)
	plain.record("The queue is drained at noon", .5)
	both := object{"query": "queue", "sources": "memory,code"}
	if got := plain.must("hippo_search_insights", both, nil).Text; !strings.Contains(got, "\nnote: code takes no part: ") || !strings.Contains(got, "drained at noon") {
		t.Errorf("%q", got)
	}
	for _, args := range []object{{"query": "queue", "sources": "code"}, {"query": "queue", "sources": "mail"}, {"sources": "code"}, {"query": "queue", "sources": "code,memory", "ranker": "bm25"}} {
		if o := plain.tool("hippo_search_insights", args); !o.IsError {
			t.Errorf("%v: %+v", args, o)
		}
	}
	if o := plain.tool("hippo_search_insights", object{"query": "queue", "sources": "mail"}); !strings.Contains(o.Text, "sources") || !strings.Contains(o.Text, "must be some of memory, code") {
		t.Errorf("%+v", o)
	}
	plain.must("hippo_search_insights", object{"query": "queue", "sources": nil}, nil)
	c := newCode(t)
	c.index(t, goTree())
	s := newSession(t, memstore.New(nil), time.UTC)
	s.serve(mcpserver.New(func(context.Context) (*engine.Engine, error) { return s.engine, nil }, &mcpserver.Options{
		Now: s.clock.now, Code: c, Scope: func(context.Context) hippo.Scope {
			return hippo.Scope{Projects: []string{"other"}, Rights: hippo.AllRights}
		},
	}))
	s.hello()
	if got := s.must("hippo_search_insights", both, nil).Text; !strings.Contains(got, "no source tree of these projects is indexed") || strings.Contains(got, c.root) {
		t.Errorf("%q", got)
	}
}
