package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/cli"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// TestMain makes the test binary serve as hippo does, for what is measured over MCP.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		os.Exit(cli.Main(context.Background(), os.Args, os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestMCP_measures_the_program(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"", "--take 1"} {
		reports := lines[eval.Report](t, append([]string{"--data", noteSets(t), "--mcp", os.Args[0], "--json"}, strings.Fields(args)...)...)
		if len(reports) != 1 || len(reports[0].Sets) != 2 {
			t.Fatalf("%q: %+v", args, reports)
		}
		r := reports[0].Sets[0].Rows[0]
		if r.System != "mcp" || r.Questions != 2 || r.Hit1 != 1 {
			t.Errorf("%q: %+v", args, r)
		}
		c := r.Confidence
		if c == nil || c.Answerable != 2 || c.Unanswerable != 1 || c.Withheld != 0 || c.Unflagged != 0 ||
			c.Tokens <= 10 || c.UnanswerableTokens <= 0 {
			t.Errorf("%q: %+v", args, c)
		}
	}
}

// TestMCP_records_turns_as_bare_texts of their conversation, in their order.
func TestMCP_records_turns_as_bare_texts(t *testing.T) {
	t.Parallel()
	sets, err := eval.Load(filepath.Join(twoSets(t), "talks"))
	if err != nil {
		t.Fatal(err)
	}
	s := server{command: []string{os.Args[0], "serve"}, wait: time.Minute}
	c, err := s.open(t.Context(), sets[0].Groups[0].Docs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	var out struct {
		Results []struct {
			Insight struct {
				Content, Type string
				Situation     []string
				Source        map[string]any
			}
		}
	}
	r, err := c.call(t.Context(), "hippo_search_insights", map[string]any{"detail": "full", "relevance_range": map[string]any{"min": 0}, "format": "json"})
	if err == nil {
		err = json.Unmarshal([]byte(r.text), &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	for _, h := range out.Results {
		found[h.Insight.Content] = true
		if h.Insight.Type != "" || len(h.Insight.Situation) > 0 || h.Insight.Source["author"] != nil {
			t.Errorf("%+v", h.Insight)
		}
	}
	if len(found) != 2 || !found["A: The red door is open since noon."] || !found["B: I like tea more than coffee. Do you?"] {
		t.Errorf("recorded %v", found)
	}
}

func TestMCP_errors(t *testing.T) {
	t.Parallel()
	if err := run(t.Context(), []string{"--data", noteSets(t), "--mcp", "no-such-program"}, io.Discard, io.Discard); err == nil {
		t.Error("no error for a program that is not there")
	}
	for name, c := range map[string]struct {
		status, found, want string
	}{
		"never_embedded": {`{"models":[{"id":"m","embedded":0,"memories":1}]}`, "u1", "1 documents were not embedded within"},
		"broken_model":   {`{"models":[{"id":"m","embedded":0,"memories":1,"error":"no file"}]}`, "u1", "model m: no file"},
		"other_memory":   {`{"models":[]}`, "u2", "search returned u2, which was not recorded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := fakeServer(t, c.status, c.found)
			err := x.record(t.Context(), &hippo.Memory{Content: "a"})
			if err == nil {
				err = x.embedded(t.Context(), 0)
			}
			if err == nil {
				_, err = x.Search(t.Context(), eval.Request{Text: "a"})
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// fakeServer returns a connection to a server that records every memory as u1, has the given
// status, and finds one memory.
func fakeServer(t *testing.T, status, found string) *client {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "fake", Version: "1"}, nil)
	for name, ids := range map[string][]any{"hippo_record_insight": {"u1"}, "hippo_status": nil, "hippo_search_insights": {found}} {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{
				Meta: mcp.Meta{"hippo": map[string]any{"ids": ids}}, Content: []mcp.Content{&mcp.TextContent{Text: status}},
			}, nil
		})
	}
	at, of := mcp.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), of, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "eval", Version: "1"}, nil).Connect(t.Context(), at, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{session: session, dir: t.TempDir(), names: make(map[string]string)}
	t.Cleanup(func() { _ = c.Close() })
	return c
}
