package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/script"
	"github.com/hippo-memory/hippo/internal/wire"
)

const runSchema = `{"type":"object","properties":{
"program":{"type":"string"},
"dry_run":{"type":"boolean","description":"list its writes, store nothing"},
"read_only":{"type":"boolean"},
"max_tokens":{"type":"integer","default":1200}},"required":["program"]}`

// runName is the name of the tool that runs programs.
const runName = "hippo_run"

// listBudget is how many bytes the list of tools may have with [runName] in it, unless
// [Options.ListRun] lists it in any case.
const listBudget = 6144

// cardURI is the resource with the page about programs.
const cardURI = "hippo://run"

func runTool() tool {
	return tool{
		name: runName, title: "Run a program",
		description: `Search, filter, combine and store in one call by a Starlark (small Python) program: search("x", limit=20), recall, get, ` +
			`store("text", tags=[]), update, upvote, relate, forget; m.content .score .tags. Only its last expression comes back. All writes or none. More: ` + cardURI,
		schema: runSchema, destructive: true,
		input: func() arguments { return &runInput{} },
	}
}

type runInput struct {
	program          string
	dryRun, readOnly bool
	maxTokens        *int
}

func (in *runInput) fields() []field {
	return []field{
		{name: "program", also: "code script", to: &in.program, required: true},
		{name: "dry_run", to: &in.dryRun},
		{name: "read_only", to: &in.readOnly},
		{name: "max_tokens", to: &in.maxTokens},
	}
}

func (in *runInput) call(ctx context.Context, s *session) (reply, error) {
	p := script.Program{Source: in.program, DryRun: in.dryRun, ReadOnly: in.readOnly}
	if in.maxTokens != nil {
		if p.MaxTokens = *in.maxTokens; p.MaxTokens == 0 {
			return reply{}, hippo.Fieldf("max_tokens", "must be between %d and %d, got 0", script.MinTokens, script.MaxTokens)
		}
	}
	caller := script.Caller{Scope: s.scope, Now: s.server.Now, State: s.server.State, Place: func(m *hippo.Memory) {
		s.server.conversation.place(m, s.server.Now())
	}}
	r, err := s.server.Programs.Run(ctx, s.Engine, caller, p)
	if err != nil {
		return reply{}, err
	}
	return reply{text: r.Text, count: len(r.Writes)}, nil
}

// addRun registers the tool that runs programs, and the page about them. A tool that is not listed can be
// called.
func (s *Server) addRun() {
	if s.Programs == nil {
		s.Programs = script.New(nil)
	}
	t := runTool()
	s.mcp.AddTool(t.describe(), s.runHandler(t))
	if !s.ListRun && listBytes(append(tools(), t)) >= listBudget {
		s.mcp.AddReceivingMiddleware(hideRun)
	}
	page := &mcp.Resource{URI: cardURI, Name: "programs", Title: "Programs for hippo_run", MIMEType: "text/markdown", Size: int64(len(script.Card()))}
	s.mcp.AddResource(page, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: cardURI, MIMEType: page.MIMEType, Text: script.Card()}}}, nil
	})
}

// listBytes returns the size of a list of tools, as clients get it.
func listBytes(list []tool) int {
	described := make([]*mcp.Tool, len(list))
	for i, t := range list {
		described[i] = t.describe()
	}
	b, err := json.Marshal(mcp.ListToolsResult{Tools: described})
	if err != nil {
		return listBudget // the same as a list that is too large
	}
	return len(b)
}

// hideRun leaves the tool that runs programs out of the list.
func hideRun(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if list, ok := result.(*mcp.ListToolsResult); ok && err == nil {
			list.Tools = slices.DeleteFunc(list.Tools, func(t *mcp.Tool) bool { return t.Name == runName })
		}
		return result, err
	}
}

// runHandler is [Server.handler] for programs: one that failed is shown on several lines, with the place in it
// and the page about programs in short.
func (s *Server) runHandler(t tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		began := s.Now()
		r, err := s.call(ctx, t, &request{arguments: t.input()}, req.Params.Arguments)
		wire.LogCall(s.Log, t.name, s.Now().Sub(began), r.count, err)
		if failed, ok := errors.AsType[*script.Error](err); ok {
			return programFailure(failed), nil
		}
		if err != nil {
			return failure(err), nil
		}
		return textResult(r.text, false), nil
	}
}

// programFailure is the result of a program that failed.
func programFailure(e *script.Error) *mcp.CallToolResult {
	text := "error [" + string(hippo.CodeInvalid) + "] " + wire.ErrorOf(e, "").Error.Message
	if e.Printed != "" {
		text += "\nprinted before:\n" + e.Printed
	}
	return textResult(text+"\n\n"+script.ShortCard(), true)
}

func textResult(text string, failed bool) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: failed}
}
