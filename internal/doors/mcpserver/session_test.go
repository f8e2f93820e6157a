package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// session is a client of a server in this process, with a clock that the test
// moves.
type session struct {
	t      *testing.T
	engine *engine.Engine
	clock  clock
	in     *io.PipeWriter
	out    *bufio.Reader
	id     int
	done   chan error
	http   *httpClient // nil: in and out
}

// clock is a clock that a test sets while the server reads it.
type clock struct{ at atomic.Pointer[time.Time] }

func (c *clock) now() time.Time { return *c.at.Load() }

func (c *clock) set(t time.Time) { c.at.Store(&t) }

// backends are what a session may run on.
func backends() map[string]func(t *testing.T, dir string) driver.Backend {
	return map[string]func(t *testing.T, dir string) driver.Backend{
		"memory": func(*testing.T, string) driver.Backend { return memstore.New(nil) },
		"sqlite": func(t *testing.T, dir string) driver.Backend {
			t.Helper()
			b, err := sqlitestore.Open(t.Context(), filepath.Join(dir, "memory.db"), nil)
			if err != nil {
				t.Fatal(err)
			}
			return b
		},
		"dir": func(t *testing.T, dir string) driver.Backend {
			t.Helper()
			b, err := dirstore.Open(t.Context(), dir, &dirstore.Options{NoWatch: true})
			if err != nil {
				t.Fatal(err)
			}
			return b
		},
	}
}

// start returns a session on an empty store in RAM, after initialize.
func start(t *testing.T) *session {
	t.Helper()
	return startOn(t, memstore.New(nil))
}

func startOn(t *testing.T, b driver.Backend) *session {
	t.Helper()
	s := connect(t, b)
	s.hello()
	return s
}

// initialize is how a client begins.
const initialize = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
	`"clientInfo":{"name":"test","version":"1"}}}`

// hello begins a session.
func (s *session) hello() {
	s.t.Helper()
	s.line(initialize)
	s.reply()
	s.line(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// connect returns a session before initialize.
func connect(t *testing.T, b driver.Backend) *session {
	t.Helper()
	return connectIn(t, b, time.UTC)
}

// connectIn returns a session of a user in a zone, before initialize.
func connectIn(t *testing.T, b driver.Backend, zone *time.Location) *session {
	t.Helper()
	return connectAs(t, b, zone, &mcpserver.Options{})
}

func connectAs(t *testing.T, b driver.Backend, zone *time.Location, o *mcpserver.Options) *session {
	t.Helper()
	s := newSession(t, b, zone)
	o.Version, o.Store, o.Now, o.Session = "v1.2.3", "memory:", s.clock.now, "mcp-test"
	s.serve(mcpserver.New(func(context.Context) (*engine.Engine, error) { return s.engine, nil }, o))
	return s
}

// newSession returns a session on an engine that nobody serves.
func newSession(t *testing.T, b driver.Backend, zone *time.Location) *session {
	t.Helper()
	return newSessionWith(t, b, zone, nil)
}

// newSessionWith is [newSession] with a model of tokens.
func newSessionWith(t *testing.T, b driver.Backend, zone *time.Location, tokens embed.TokenEmbedder) *session {
	t.Helper()
	s := &session{t: t, done: make(chan error, 1)}
	s.clock.set(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	s.engine = enginetest.Open(t, enginetest.Options{Backend: b, Zone: zone, Config: engine.Config{Now: s.clock.now, Tokens: tokens}})
	t.Cleanup(s.end)
	return s
}

func (s *session) serve(server *mcpserver.Server) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	s.in, s.out = toServer, bufio.NewReaderSize(fromServer, 1<<20)
	go func() {
		err := server.Serve(context.Background(), in, out)
		s.done <- err
		_ = out.Close()
	}()
}

// end closes the input and waits for the server.
func (s *session) end() {
	s.t.Helper()
	if s.in == nil {
		return
	}
	_ = s.in.Close()
	if _, err := io.Copy(io.Discard, s.out); err != nil {
		s.t.Error(err)
	}
	if err := <-s.done; err != nil {
		s.t.Errorf("serve: %v", err)
	}
	s.in = nil
}

func (s *session) line(text string) {
	s.t.Helper()
	if s.http != nil {
		s.http.send(s.t, text)
		return
	}
	if _, err := io.WriteString(s.in, text+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// reply reads the next message of the server.
func (s *session) reply() json.RawMessage {
	s.t.Helper()
	if s.http != nil {
		return s.http.reply(s.t)
	}
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		s.t.Fatal(err)
	}
	return line
}

// call sends a request and returns its reply.
func (s *session) call(method string, params any) json.RawMessage {
	s.t.Helper()
	s.id++
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params})
	if err != nil {
		s.t.Fatal(err)
	}
	s.line(string(b))
	return s.reply()
}

// outcome is what a tool answered: its text, and its structured content or else what _meta says.
type outcome struct {
	Text string
	// Note is the second text.
	Note    string
	Data    json.RawMessage
	IsError bool
	// Protocol is the JSON-RPC error, if there is one.
	Protocol json.RawMessage
}

type object = map[string]any

// tool calls a tool, whatever comes of it.
func (s *session) tool(name string, args any) outcome {
	s.t.Helper()
	raw := s.call("tools/call", object{"name": name, "arguments": args})
	var r struct {
		Error  json.RawMessage
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
			IsError           bool
			Meta              struct{ Hippo json.RawMessage } `json:"_meta"`
		}
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		s.t.Fatalf("%v: %s", err, raw)
	}
	o := outcome{Data: r.Result.StructuredContent, IsError: r.Result.IsError, Protocol: r.Error}
	if o.Data == nil {
		o.Data = r.Result.Meta.Hippo
	}
	if len(r.Result.Content) > 0 {
		o.Text = r.Result.Content[0].Text
		// Clients that read the first text as JSON want an object. Programs of claude-hippo want the lists that it answers.
		lists := name == "hippo_recall" || name == "retrieve_memory"
		if !lists && !strings.HasPrefix(o.Text, "{") && json.Valid([]byte(o.Text)) {
			s.t.Errorf("%s: the first text is JSON, and no object: %s", name, o.Text)
		}
	}
	if len(r.Result.Content) > 1 {
		o.Note = r.Result.Content[1].Text
	}
	return o
}

// must calls a tool that has to succeed, and if to is not nil, asks for its structured content and
// reads that.
func (s *session) must(name string, args object, to any) outcome {
	s.t.Helper()
	if to != nil {
		args = maps.Clone(args)
		args["format"] = "json"
		if name == "hippo_search_insights" {
			args["max_tokens"] = 100_000
		}
	}
	o := s.tool(name, args)
	if o.IsError || o.Protocol != nil {
		s.t.Fatalf("%s(%v): %s %s", name, args, o.Text, o.Protocol)
	}
	if to != nil {
		if err := json.Unmarshal(o.Data, to); err != nil {
			s.t.Fatalf("%v: %s", err, o.Data)
		}
	}
	return o
}

func (s *session) record(content string, importance float64, situation ...string) string {
	s.t.Helper()
	s.clock.set(s.clock.now().Add(time.Millisecond))
	var r struct{ UUID string }
	if len(situation) == 0 {
		situation = []string{"testing"}
	}
	s.must("hippo_record_insight", object{"content": content, "situation": situation, "importance": importance}, &r)
	return r.UUID
}

// answer is the structured content of a search.
type answer struct {
	Results      []result
	Total        int            `json:"total_count"`
	Returned     int            `json:"returned_count"`
	Distribution map[string]int `json:"relevance_distribution"`
	Day          int            `json:"active_day"`
	Next         int            `json:"next_offset"`
}

// result is one hit in full detail.
type result struct {
	Insight struct {
		UUID              string
		Content           string
		Situation         []string
		Importance        float64
		CreatedAt         string   `json:"created_at"`
		BaseImportance    *float64 `json:"base_importance"`
		CurrentImportance float64  `json:"current_importance"`
		ModifiedAt        string   `json:"importance_modified_at"`
		Accesses          [][2]int `json:"daily_access_counts"`
		Version           int
	}
	Relevance         float64
	DaysSinceCreated  float64 `json:"days_since_created"`
	DaysSinceModified float64 `json:"days_since_importance_modified"`
	Signals           struct{ Recency, Frequency, Importance, Context, Words, Coverage float64 }
}

// search searches with the ranker of the original, and shows all there is.
func (s *session) search(query string, more object) answer {
	s.t.Helper()
	args := object{"query": query, "ranker": "insight", "explain": true, "detail": "full"}
	maps.Copy(args, more)
	var a answer
	s.must("hippo_search_insights", args, &a)
	return a
}

func (a answer) contents() []string {
	var out []string
	for _, r := range a.Results {
		out = append(out, r.Insight.Content)
	}
	return out
}

// live lets n active days pass: days on which something else is looked up.
func (s *session) live(n int) {
	s.t.Helper()
	for range n {
		s.clock.set(s.clock.now().AddDate(0, 0, 1))
		s.search("zzzunheardof", nil)
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6 {
		t.Errorf("%s: got %.6f, want %.6f", what, got, want)
	}
}

// insight is the relevance of an insight whose last access was some active days
// ago, with n accesses in the last thirty active days.
func insight(daysAgo, n int, importance float64) float64 {
	return .30*math.Exp(-.05*float64(daysAgo)) + .20*float64(n)/300 + .35*importance + .15
}

// decay is what importance shrinks to in some active days.
func decay(importance float64, days int) float64 { return importance * math.Pow(.9, float64(days)) }

func fresh(importance float64) float64 { return insight(0, 1, importance) }

func first(t *testing.T, a answer) float64 {
	t.Helper()
	if len(a.Results) == 0 {
		t.Fatal("nothing found")
	}
	return a.Results[0].Relevance
}

func uuidAt(i int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i) }
