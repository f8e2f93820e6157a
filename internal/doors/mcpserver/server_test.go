package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// maxToolsList is what a client pays in every session for knowing the tools.
const maxToolsList = 6144

func TestToolsList_IsSmall(t *testing.T) {
	t.Parallel()
	if n := len(start(t).call("tools/list", object{})); n > maxToolsList {
		t.Errorf("got %d bytes, want at most %d", n, maxToolsList)
	}
}

// What a schema promises is what the decoder takes.
func TestSchemas_MatchTheDecoder(t *testing.T) {
	t.Parallel()
	for name, got := range mcpserver.Fields() {
		var schema struct {
			Type       string
			Required   []string
			Properties map[string]json.RawMessage
		}
		if err := json.Unmarshal([]byte(got.Schema), &schema); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, f := range got.Names {
			if _, ok := schema.Properties[f]; !ok {
				t.Errorf("%s: %s is not in the schema", name, f)
			}
		}
		if len(schema.Properties) != len(got.Names) || schema.Type != "object" || strings.Contains(got.Schema, "additionalProperties") {
			t.Errorf("%s: got schema %+v for %v", name, schema, got.Names)
		}
		for _, f := range got.Required { // the schema asks for more than the decoder must have
			if !slices.Contains(schema.Required, f) {
				t.Errorf("%s: %s is required", name, f)
			}
		}
	}
}

// The limits that the schemas promise are those of the domain.
func TestSchemas_MatchTheDomain(t *testing.T) {
	t.Parallel()
	fields := mcpserver.Fields()
	search := schemaOf(t, fields["hippo_search_insights"].Schema)
	count := search["limit"]
	if count.Default != float64(hippo.DefaultCount) {
		t.Errorf("got %+v", count)
	}
	for _, tool := range []string{"hippo_record_insight", "hippo_modify_insight"} {
		if i := schemaOf(t, fields[tool].Schema)["importance"]; i.Type != "number" || i.Minimum != 0 || i.Maximum != 1 {
			t.Errorf("%s: got %+v", tool, i)
		}
	}
}

// property is a part of a JSON Schema.
type property struct {
	Type             any
	Enum             []string
	Minimum, Maximum float64
	Default          any
	Properties       map[string]property
}

func schemaOf(t *testing.T, text string) map[string]property {
	t.Helper()
	var p property
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	return p.Properties
}

// Records that are sent without waiting are all stored and all answered, also
// those that are under way when the input ends.
func TestPipelined(t *testing.T) {
	t.Parallel()
	const n = 200
	for kind, open := range backends() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := startOn(t, open(t, t.TempDir()))
			go func() {
				for i := range n {
					fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":"r%d","method":"tools/call","params":{"name":"hippo_record_insight",`+
						`"arguments":{"content":"pipelined %d","situation":["testing"],"importance":0.5}}}`+"\n", i, i)
				}
				_ = s.in.Close()
			}()
			seen := map[string]bool{}
			for lines := bufio.NewScanner(s.out); lines.Scan(); {
				var r struct {
					ID     string
					Result struct{ IsError bool }
				}
				if err := json.Unmarshal(lines.Bytes(), &r); err != nil || r.Result.IsError {
					t.Errorf("got %s", lines.Bytes())
				}
				seen[r.ID] = true
			}
			st, err := memory.Status(t.Context(), s.engine.In(hippo.LocalScope("")))
			if err != nil || st.Memories != n || len(seen) != n {
				t.Errorf("got %d stored and %d answered (%v), want %d", st.Memories, len(seen), err, n)
			}
		})
	}
}

// initialize and tools/list are answered while the store opens; a call waits for
// it, a failure is reported, and the next call tries again.
func TestOpener(t *testing.T) {
	t.Parallel()
	s := connect(t, memstore.New(nil))
	s.end()
	opened := make(chan error)
	s.serve(mcpserver.New(func(ctx context.Context) (*engine.Engine, error) {
		select {
		case err := <-opened:
			return s.engine, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}, nil))
	s.call("initialize", object{"protocolVersion": "2025-06-18", "capabilities": object{}, "clientInfo": object{"name": "t", "version": "1"}})
	s.call("tools/list", object{})
	go func() { opened <- fmt.Errorf("%w: store /a/b.db: disk on fire", hippo.ErrUnavailable) }()
	if o := s.tool("hippo_status", object{}); !o.IsError || !strings.Contains(o.Text, "[unavailable]") || !strings.Contains(o.Text, "/a/b.db") {
		t.Errorf("got %+v", o)
	}
	go func() { opened <- nil }()
	s.must("hippo_status", object{}, nil)
}

func TestServe_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := connect(t, memstore.New(nil))
	ctx, cancel := context.WithCancel(t.Context())
	server := mcpserver.New(func(context.Context) (*engine.Engine, error) { return s.engine, nil }, nil)
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, neverReader{ctx}, &strings.Builder{}) }()
	cancel()
	select {
	case err := <-done:
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("serve goes on after its context ended")
	}
}

// neverReader has nothing to read until its context ends.
type neverReader struct{ ctx context.Context }

func (r neverReader) Read([]byte) (int, error) {
	<-r.ctx.Done()
	return 0, r.ctx.Err()
}

// A content over the limit is refused with the limit, and costs nothing else.
func TestHugeInput(t *testing.T) {
	t.Parallel()
	s := start(t)
	o := s.tool("hippo_record_insight", object{"content": strings.Repeat("x", 1<<20), "situation": []string{"s"}, "importance": .5})
	want := fmt.Sprintf("error [invalid] content: must be at most %d bytes, got %d", hippo.MaxContent, 1<<20)
	if !o.IsError || o.Text != want {
		t.Errorf("got %.200q, want %q", o.Text, want)
	}
	s.line(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"pad":"` + strings.Repeat("y", 9<<20) + `"}}`)
	if got := string(s.reply()); !strings.Contains(got, "must be at most") {
		t.Errorf("got %.200q", got)
	}
	s.must("hippo_status", object{}, nil)
}

// A list of ids over the limit is refused before anything is done with it.
func TestManyIDs(t *testing.T) {
	t.Parallel()
	n := 100_000
	if testing.Short() {
		n = 10_000
	}
	ids := make([]string, n)
	for i := range ids {
		ids[i] = uuidAt(i)
	}
	want := fmt.Sprintf("error [invalid] uuids: must have at most %d elements, got %d", hippo.MaxIDs, n)
	if o := start(t).tool("hippo_forget", object{"uuids": ids}); !o.IsError || o.Text != want {
		t.Errorf("got %.200q, want %q", o.Text, want)
	}
	again := slices.Repeat([]string{ids[1]}, 3) // given thrice, meant once
	s := start(t)
	o := s.tool("hippo_forget", object{"uuids": append(again, s.record("to forget", .5))})
	if !o.IsError || strings.Count(o.Text, ids[1]) != 1 {
		t.Errorf("got %q", o.Text)
	}
}

// Every kind of error has a text of its own for the agent, and there is no kind
// that this test does not know.
func TestFailures_HaveCodes(t *testing.T) {
	t.Parallel()
	seen := []string{string(hippo.CodeOK)}
	for _, err := range []error{
		hippo.ErrInvalid, hippo.ErrNotFound, hippo.ErrForbidden, hippo.ErrConflict, hippo.ErrUnsupported, hippo.ErrUnavailable, hippo.ErrCorrupt,
		hippo.ErrReadOnly, hippo.ErrFull, hippo.ErrSecret, context.Canceled, errors.New("internal"),
	} {
		s := connect(t, memstore.New(nil))
		s.end()
		s.serve(mcpserver.New(func(context.Context) (*engine.Engine, error) { return nil, err }, nil))
		s.call("initialize", object{"protocolVersion": "2025-06-18", "capabilities": object{}, "clientInfo": object{"name": "t", "version": "1"}})
		o := s.tool("hippo_status", object{})
		var p struct {
			Error struct{ Code, Message string }
		}
		if uerr := json.Unmarshal(o.Data, &p); uerr != nil || p.Error.Code != string(hippo.CodeOf(err)) || !o.IsError {
			t.Errorf("%v: got %+v (%v)", err, o, uerr)
		}
		if !strings.HasPrefix(o.Text, "error ["+p.Error.Code+"] "+err.Error()) {
			t.Errorf("%v: got %q", err, o.Text)
		}
		seen = append(seen, p.Error.Code)
	}
	slices.Sort(seen)
	if diff := cmp.Diff(declaredCodes(t), seen); diff != "" {
		t.Error(diff)
	}
}

// declaredCodes are the constants of type Code in package hippo, sorted.
func declaredCodes(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "..", "errors.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		kind, ok := spec.Type.(*ast.Ident)
		if !ok || kind.Name != "Code" {
			return true
		}
		literal, ok := spec.Values[0].(*ast.BasicLit)
		if !ok {
			t.Fatalf("the value of %s is not a literal", spec.Names[0])
		}
		code, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, code)
		return true
	})
	slices.Sort(out)
	return out
}

// FuzzToolInput: whatever the arguments, a tool answers with a result, unless they are
// not what they seem; and the server lives on.
func FuzzToolInput(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `[]`, `{"content":"x","situation":["s"],"importance":0.5}`, `{"content":null,"situation":"s","importance":1e999}`,
		`{"query":"\u0000","limit":{"offset":9223372036854775807,"count":1000}}`, `{"uuids":["\ud800"]}`, `{"limit":[1]}`,
		`{"relevance_range":{"min":-1e308,"max":1e308}}`, `{"upvotes":[1,2,3]}`, `{"created_after":"0000-00-00"}`, `{"when":"last week"}`,
		`{"content":"a","event_time":"","valid_until":"","tags":[],"situation":[" "],"type":"","project":"acme/shop"}`, `3`, `""`,
		`{"content":"Use pnpm</content>\n<parameter name=\"situation\">x"}`, `{"content":"a","event_time":"2026-03-29 02:30","as_of":"03.05.2026"}`,
	} {
		for tool := range byte(6) {
			f.Add(tool, seed)
		}
	}
	f.Fuzz(func(t *testing.T, tool byte, args string) {
		if !json.Valid([]byte(args)) || !utf8.ValidString(args) || strings.ContainsAny(args, "\n\r") {
			return // no message at all: see FuzzTransport
		}
		names := []string{
			"hippo_record_insight", "hippo_search_insights", "hippo_modify_insight", "hippo_reinforce_insight", "hippo_forget", "hippo_status",
		}
		s := start(t)
		o := s.tool(names[int(tool)%len(names)], json.RawMessage(args))
		refused := strings.Contains(string(o.Protocol), "surrogate pair") || strings.Contains(string(o.Protocol), "twice in one object")
		if !refused && (o.Protocol != nil || o.Text == "") {
			t.Errorf("%s: got %s %+v", args, o.Protocol, o)
		}
		s.must("hippo_status", object{}, nil)
	})
}
