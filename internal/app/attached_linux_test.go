package app_test

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/doors/script"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

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

// call calls a tool, which must not refuse it.
func (c *mcpClient) call(tool string, arguments json.RawMessage) json.RawMessage {
	c.t.Helper()
	r := c.request("tools/call", map[string]any{"name": tool, "arguments": arguments})
	if strings.Contains(string(r), `"isError":true`) {
		c.t.Fatalf("%s fails: %s", tool, r)
	}
	return r
}

// caller makes the arguments of calls by the rows of testdata/calls.json, one for each tool: $N is another number in each call,
// $UUID, $OTHER, $HASH and $OTHERHASH are of memories that no call has seen, $NOTE is the hash of such a note of a mistake, and
// $TREE is a source tree.
type caller struct {
	t      *testing.T
	e      *engine.Engine
	client *mcpClient
	rows   map[string]json.RawMessage
	tree   string
	code   *app.Code
	n      int
}

// fresh returns a memory that no call has seen.
func (c *caller) fresh() *hippo.Memory {
	c.t.Helper()
	c.n++
	m := &hippo.Memory{Content: fmt.Sprintf("pipe number %d is fresh", c.n), Importance: hippo.Importance{Base: 0.5}}
	if _, err := memory.Record(c.t.Context(), c.e.In(hippo.LocalScope("")), m); err != nil {
		c.t.Fatal(err)
	}
	return m
}

func (c *caller) arguments(tool string) json.RawMessage {
	c.t.Helper()
	text := string(c.rows[tool])
	if tool == "delete_project" {
		c.index()
	}
	c.n++
	values := []string{"$TREE", c.tree}
	if strings.Contains(text, "$UUID") || strings.Contains(text, "$HASH") {
		m := c.fresh()
		values = append(values, "$UUID", m.ID.String(), "$HASH", hex.EncodeToString(m.ContentHash[:]))
	}
	if strings.Contains(text, "$OTHER") {
		m := c.fresh()
		values = append(values, "$OTHERHASH", hex.EncodeToString(m.ContentHash[:]), "$OTHER", m.ID.String())
	}
	if strings.Contains(text, "$NOTE") {
		r := c.client.call("mistake_note_add", c.arguments("mistake_note_add"))
		_, hash, _ := strings.Cut(string(r), "hash: ")
		values = append(values, "$NOTE", hash[:2*len(hippo.Hash{})])
	}
	values = append(values, "$N", strconv.Itoa(c.n)) // the others begin alike
	return json.RawMessage(strings.NewReplacer(values...).Replace(text))
}

// index indexes the source tree.
func (c *caller) index() {
	c.t.Helper()
	l, err := c.code.Library()
	if err != nil {
		c.t.Fatal(err)
	}
	tree, err := l.Add(c.t.Context(), c.tree)
	if err == nil {
		_, err = tree.Update(c.t.Context(), false)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// held is what a process holds: bytes of the heap, mappings and descriptors.
type held struct{ heap, maps, descriptors, goroutines int }

func holds(t *testing.T) held {
	t.Helper()
	for range 4 {
		runtime.GC()
		runtime.Gosched()
	}
	mapped, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return held{int(m.HeapAlloc), strings.Count(string(mapped), ".index"), len(fds), runtime.NumGoroutine()}
}

// settles is how long goroutines that a call began may run after it.
const settles = 5 * time.Second

// wholeStore are tools that read all memories in each call, and are called less.
const wholeStore = "hippo_session_summary memory_cleanup memory_conflicts"

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
	calls := newCaller(t, e)
	calls.client = attach(t, serve(), &mcpserver.Options{Programs: script.New(command), Code: calls.code})
	var list struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(calls.client.request("tools/list", nil), &list); err != nil {
		t.Fatal(err)
	}
	for _, x := range list.Tools {
		if calls.rows[x.Name] == nil {
			t.Errorf("testdata/calls.json has no row for %s", x.Name)
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(calls.rows)) {
		warm, counted := 20, 100
		if testing.Short() || strings.Contains(wholeStore, tool) {
			warm, counted = 5, 20
		}
		call := func() { calls.client.call(tool, calls.arguments(tool)) }
		for range warm {
			call()
		}
		before := holds(t)
		for range counted {
			call()
		}
		after := holds(t)
		for until := time.Now().Add(settles); after.goroutines > before.goroutines+8 && time.Now().Before(until); after = holds(t) {
			time.Sleep(10 * time.Millisecond) // what writes and embeds behind the last calls
		}
		calls.index() // one of them deletes it
		if after.maps > before.maps+2 || after.descriptors > before.descriptors+4 || after.goroutines > before.goroutines+8 || after.heap > before.heap+before.heap/4+8<<20 {
			t.Errorf("%s: %+v before %d calls, %+v after them", tool, before, counted, after)
		}
	}
}

// newCaller returns a caller with a small source tree. The indexes of the test are its own.
func newCaller(t *testing.T, e *engine.Engine) *caller {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	c := &caller{t: t, e: e, tree: filepath.Join(t.TempDir(), "tree")}
	b, err := os.ReadFile(filepath.Join("testdata", "calls.json"))
	if err == nil {
		err = json.Unmarshal(b, &c.rows)
	}
	if err == nil {
		err = os.Mkdir(c.tree, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(c.tree, "a.go"), []byte("package a\n\n// Gateway listens.\nfunc Gateway() { other() }\n\nfunc other() {}\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.code = app.NewCode(c.tree, &app.Options{CodeModel: config.Model{Name: config.Static}})
	t.Cleanup(func() { _ = c.code.Close() })
	c.index()
	return c
}

// attach returns a client of a server with all tools, over a store.
func attach(t *testing.T, s *app.Sharing, o *mcpserver.Options) *mcpClient {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	var err error
	if o.Tools, err = mcpserver.ParseTools("all"); err != nil {
		t.Fatal(err)
	}
	server := mcpserver.New(s.Engine, o)
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
