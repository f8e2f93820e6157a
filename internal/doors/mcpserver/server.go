// Package mcpserver is the MCP front end: tools over the engine, for agents. It
// decodes arguments as package verb declares them, calls the engine, and encodes the answer as
// structured content and as a short text for a model to read. What is read here is the protocol: messages, their ids, and _meta.
//
// Between calls it keeps only the number of the last turn of each session, and it logs nothing to its output. What goes wrong
// in a call is a result with isError and a code; protocol errors are for
// malformed messages only, and neither ends the session.
package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/agents/cited"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/script"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/verb"
)

// Opener returns the engine that serves a call. It is called for every call, may
// take its time at the first, and is asked again after an error.
type Opener func(ctx context.Context) (*engine.Engine, error)

// Options configures a [Server]; the zero value and nil are useful.
type Options struct {
	// Version of the program, for serverInfo.
	Version string
	// Scope returns what the client may see and do. Nil: that of [hippo.LocalScope] without a project.
	Scope func(ctx context.Context) hippo.Scope
	// Project returns the projects that a client works in, the current one first. It is called for every call. Nil: that of the scope.
	Project func(ctx context.Context, w Workspace) []project.Identity
	// Work is what is in progress in the current folder, for hippo_context; nil: it is unknown.
	Work func(ctx context.Context) api.Work
	// Session names the connection: records without a situation carry it, and their order. Empty:
	// they carry none.
	Session string
	// Store describes the store, for hippo_status.
	Store string
	// Programs runs the programs of hippo_run; nil: each in a process of this program.
	Programs *script.Runner
	// Tools are the systems whose tools are listed, by name: [ToolSystems]. Where names collide the
	// first one answers. Nil: those of Hippo, and those about code once there is an index.
	Tools []string
	// Code is the source trees that tools may ask about; nil: none.
	Code dialect.Code
	// Observe hears of the calls of tools, for metrics and traces: it returns the context of a call, and what is called
	// with the error afterwards. Header is that of the request over HTTP. Nil: nobody does.
	Observe func(ctx context.Context, tool string, header http.Header) (inner context.Context, end func(error))
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// Log receives failures that are not the caller's; nil discards them.
	Log *slog.Logger
}

// Server serves one store over MCP.
type Server struct {
	open Opener
	Options
	mcp       *mcp.Server
	order     []systemTable   // all systems, in the order in which they answer
	own       map[string]bool // the tools of this program by name, and whether they only write
	equip     func()          // adds the tools, prompts and resources to the server of the SDK, once
	began     time.Time
	workspace workspace
	// byDefault: nobody said what is listed.
	byDefault bool
	notices   notices
}

// instructions tell a model what the tools are for.
const instructions = `Hippo remembers across conversations. Search it before answering questions that earlier work may touch, ` +
	`and when the user refers to the past. Record one insight at a time when something was decided, learned or went wrong, ` +
	`with the situations it applies to (two to four specific phrases). At natural pauses vote: up for what helped, ` +
	`down for what misled. Modify an insight rather than record it twice.`

// New returns a server on the engine that open returns.
func New(open Opener, o *Options) *Server {
	s := &Server{open: open, own: make(map[string]bool)}
	if o != nil {
		s.Options = *o
	}
	if s.Tools == nil {
		s.Tools, s.byDefault = []string{ownTools}, true
	}
	s.order = precedence(s.Tools)
	if s.Now == nil {
		s.Now = time.Now //nolint:forbidigo // the system clock is the default
	}
	s.began = s.Now()
	if s.Scope == nil {
		s.Scope = func(context.Context) hippo.Scope { return hippo.LocalScope("") }
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	if s.Programs == nil {
		s.Programs = script.New(nil)
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "hippo", Title: "Hippo", Version: s.Version}, &mcp.ServerOptions{
		Instructions: instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{}},
		// The client has the answer to initialize by then. Opening the store now makes
		// the first call wait less.
		InitializedHandler: func(ctx context.Context, r *mcp.InitializedRequest) {
			s.warm(ctx)
			if s.Project != nil {
				s.workspace.ask(ctx, r.Session)
			}
		},
		RootsListChangedHandler: func(ctx context.Context, r *mcp.RootsListChangedRequest) { //nolint:staticcheck // clients of today have nothing else
			if s.Project != nil {
				s.workspace.ask(ctx, r.Session)
			}
		},
	})
	own := tools()
	for _, t := range own {
		s.own[t.name] = t.writes
	}
	s.equip = sync.OnceFunc(func() {
		for _, t := range own {
			s.mcp.AddTool(t.describe(), s.handler(t))
		}
		s.addPage()
		for _, p := range prompts() {
			s.mcp.AddPrompt(p.describe(), p.get)
		}
	})
	s.mcp.AddReceivingMiddleware(s.speak)
	return s
}

// warm opens the store in the background. A failure is reported by the call that needs
// the store.
func (s *Server) warm(ctx context.Context) {
	go func() { _, _ = s.open(context.WithoutCancel(ctx)) }()
}

// Serve speaks MCP over in and out until in ends or ctx does. Requests that were
// received before in ends are answered.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx = withConversation(ctx, &conversation{name: s.Session})
	err := s.mcp.Run(ctx, &stdio{in: in, out: out})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// session is what a call works with: the memories in the scope of its client.
type session struct {
	*engine.Memories
	server *Server
	scope  hippo.Scope
	// trees are the working trees of the projects that the client works in.
	trees cited.Trees
	// conversation is that of the connection; nil if there is none.
	conversation *conversation
	// json: the caller asked for the data and not for the text.
	json bool
	// args are the arguments, with what was said of each.
	args []verb.Arg
}

// reply is the result of a tool: text for a model, or data as JSON where the caller asked for
// that, what a program reads of the text, and how many memories it returned or changed.
type reply struct {
	text  string
	data  any
	meta  wire.Meta
	count int
}

// handler wraps a tool for the SDK.
func (s *Server) handler(t tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		began := s.Now()
		in := &request{arguments: t.input()}
		ctx, end := s.observed(ctx, t.name, req)
		r, err := s.call(ctx, t, in, req.Params.Arguments)
		end(err)
		wire.LogCall(s.Log, t.name, s.Now().Sub(began), r.count, err)
		if err != nil {
			return failure(err), nil
		}
		out, err := result(&r, in.json())
		return s.notices.once(out), err
	}
}

// observed returns the context of a call of a tool, and what is called with its error.
func (s *Server) observed(ctx context.Context, name string, req *mcp.CallToolRequest) (inner context.Context, end func(error)) {
	if s.Observe == nil {
		return ctx, func(error) {}
	}
	var header http.Header
	if req.Extra != nil {
		header = req.Extra.Header
	}
	return s.Observe(ctx, name, header)
}

// call calls a tool.
func (s *Server) call(ctx context.Context, t tool, in *request, arguments json.RawMessage) (reply, error) {
	args := in.Args()
	if err := verb.Decode(verb.MCP, arguments, args); err != nil {
		return reply{}, t.withExample(err)
	}
	m, at, err := s.memories(ctx)
	if err != nil {
		return reply{}, err
	}
	growStack(len(t.name))
	r, err := in.call(ctx, &session{Memories: m, server: s, scope: at.scope, trees: at.trees, conversation: conversationOf(ctx), json: in.json(), args: args})
	if err != nil && hippo.CodeOf(err) == hippo.CodeInternal {
		s.Log.Error("tool failed", "tool", t.name, "error", err)
	}
	return r, verb.Named(t.withExample(err), verb.MCP, args)
}

// withExample returns err with an example of the arguments, if they have another shape.
func (t *tool) withExample(err error) error {
	bad, ok := errors.AsType[*verb.ShapeError](err)
	if !ok {
		return err
	}
	return hippo.Fieldf(bad.Field, "%s; for example %s", bad.Why, cmp.Or(t.example, "{}"))
}

// growStack makes the stack of its goroutine 24 KiB larger. A search needs about as much;
// without this the runtime copies the stack of the goroutine that the SDK starts for each
// call four times while it grows, which costs .25 ms. The argument and the result keep the
// compiler from removing the array.
//
//go:noinline
func growStack(n int) byte {
	var room [24 << 10]byte
	room[n] = 1
	return room[n/2]
}

// result returns a reply as clients show it to a model, once: as text, or as the data that was
// asked for, if there is any. Some clients show the text only, and others nothing but the structured content if
// there is one, so both are the same data then.
func result(r *reply, asJSON bool) (*mcp.CallToolResult, error) {
	var meta mcp.Meta
	if !r.meta.IsZero() {
		meta = mcp.Meta{wire.MetaKey: r.meta}
	}
	if !asJSON || r.data == nil {
		return &mcp.CallToolResult{Meta: meta, Content: []mcp.Content{textContent(r.text)}}, nil
	}
	data, err := json.Marshal(r.data)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{
		Meta: meta, Content: []mcp.Content{&mcp.TextContent{Text: string(data)}}, StructuredContent: json.RawMessage(data),
	}, nil
}

// textContent returns the text of an answer. A client that reads the first text as JSON expects an object: one that is another
// JSON value, such as the number that a program returns, gets a label in front.
func textContent(text string) *mcp.TextContent {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") && json.Valid([]byte(text)) {
		text = "result: " + text
	}
	return &mcp.TextContent{Text: text}
}

// failure is the result of a failed call: text for a model, and a code for a program.
func failure(err error) *mcp.CallToolResult {
	if failed, ok := errors.AsType[*script.Error](err); ok {
		return programFailure(failed)
	}
	hint := wire.FailureOf(hippo.CodeOf(err)).ToolHint
	if own, ok := errors.AsType[*dialect.HintedError](err); ok {
		hint = own.Hint
	}
	p := wire.ErrorOf(err, hint)
	text := "error [" + string(p.Error.Code) + "] " + termtext.Line(p.Error.Message)
	if p.Error.Hint != "" {
		text += " (" + p.Error.Hint + ")"
	}
	return &mcp.CallToolResult{
		Meta:    mcp.Meta{wire.MetaKey: wire.Meta{Error: &p.Error}},
		Content: []mcp.Content{&mcp.TextContent{Text: text}},
		IsError: true,
	}
}

// asAgent returns the memory as an agent changes it; an empty reason is unknown.
func asAgent(m *engine.Memories, reason string) *engine.Memories {
	return engine.As(m, hippo.Operation{By: hippo.Source{Kind: hippo.SourceAgent, Client: "mcp"}, Reason: reason})
}
