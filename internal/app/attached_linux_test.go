package app_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/mcpserver"
	"github.com/hippo-memory/hippo/internal/script"
	"github.com/hippo-memory/hippo/internal/script/sandbox"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == script.ChildArgument {
		os.Exit(sandbox.Child(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// mcpClient is a client of a server in this process, which asks and waits.
type mcpClient struct {
	t  *testing.T
	in io.Writer
	r  *bufio.Reader
	id int
}

func (c *mcpClient) request(method string, params any) json.RawMessage {
	c.t.Helper()
	c.id++
	if err := json.NewEncoder(c.in).Encode(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params}); err != nil {
		c.t.Fatal(err)
	}
	for {
		line, err := c.r.ReadBytes('\n')
		if err != nil {
			c.t.Fatal(err)
		}
		var reply struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal(line, &reply); err != nil {
			c.t.Fatal(err)
		}
		if reply.ID == c.id {
			return reply.Result
		}
	}
}

// listed is a tool with its schema.
type listed struct {
	Name        string `json:"name"`
	InputSchema struct {
		Properties map[string]struct {
			Type any   `json:"type"`
			Enum []any `json:"enum"`
		} `json:"properties"`
		Required []string `json:"required"`
	} `json:"inputSchema"`
}

// arguments returns some that are required: words for a text, a list of them, a number.
func (l *listed) arguments() map[string]any {
	out := make(map[string]any)
	for _, name := range l.InputSchema.Required {
		p := l.InputSchema.Properties[name]
		switch {
		case len(p.Enum) > 0:
			out[name] = p.Enum[0]
		case p.Type == "array":
			out[name] = []string{"gateway"}
		case p.Type == "number", p.Type == "integer":
			out[name] = 0.5
		case p.Type == "boolean":
			out[name] = false
		case name == "program", name == "code":
			out[name] = `search("gateway")`
		default:
			out[name] = "gateway"
		}
	}
	return out
}

// held is what a process holds: bytes of the heap, mappings and descriptors.
type held struct{ heap, maps, descriptors, goroutines int }

func holds(t *testing.T) held {
	t.Helper()
	for range 4 {
		runtime.GC()
		runtime.Gosched()
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return held{int(m.HeapAlloc), strings.Count(string(maps), ".index"), len(fds), runtime.NumGoroutine()}
}

// No tool leaves memory, mappings, descriptors or goroutines behind in a process that uses the store of another one.
func TestAttached_leavesNothing(t *testing.T) {
	c := shared(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := []string{exe, script.ChildArgument}
	serve := func() *app.Sharing {
		o := &app.Options{Verbs: []engine.Verb{script.New(command).Verb(nil)}}
		s := app.NewSharing(c, o, app.SharingOptions{Listens: true})
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	one := serve()
	e, err := one.Engine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		record(t, e, "the gateway retries with jitter")
	}
	client := attach(t, serve(), command)
	var list struct {
		Tools []listed `json:"tools"`
	}
	if err := json.Unmarshal(client.request("tools/list", nil), &list); err != nil || len(list.Tools) < 9 {
		t.Fatalf("%d tools, %v", len(list.Tools), err)
	}
	const warm, calls = 20, 100
	for i := range list.Tools {
		x := &list.Tools[i]
		call := func() { client.request("tools/call", map[string]any{"name": x.Name, "arguments": x.arguments()}) }
		for range warm {
			call()
		}
		if r := client.request("tools/call", map[string]any{"name": "hippo_run", "arguments": map[string]any{"program": "1"}}); strings.Contains(string(r), `"isError":true`) {
			t.Fatalf("a program fails: %s", r)
		}
		before := holds(t)
		for range calls {
			call()
		}
		after := holds(t)
		if after.maps > before.maps+2 || after.descriptors > before.descriptors+4 || after.goroutines > before.goroutines+8 || after.heap > before.heap+before.heap/4+8<<20 {
			t.Errorf("%s: %+v before %d calls, %+v after them", x.Name, before, calls, after)
		}
	}
}

// attach returns a client of a server with all tools, over a store.
func attach(t *testing.T, s *app.Sharing, command []string) *mcpClient {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	names, err := mcpserver.ParseTools("all")
	if err != nil {
		t.Fatal(err)
	}
	server := mcpserver.New(s.Engine, &mcpserver.Options{Tools: names, Programs: script.New(command)})
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(t.Context(), inR, outW) }()
	t.Cleanup(func() {
		_ = inW.Close()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) { // the end of the test
			t.Error(err)
		}
	})
	client := &mcpClient{t: t, in: inW, r: bufio.NewReader(outR)}
	client.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	})
	_, _ = io.WriteString(inW, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return client
}
