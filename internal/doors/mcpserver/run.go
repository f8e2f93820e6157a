package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/script"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

// cardURI is the resource with the page about programs.
const cardURI = "hippo://run"

func runTool() tool {
	return tool{
		name: "hippo_run", title: "Run a program",
		description: `Search, filter, combine and store in one call by a Starlark (small Python) program: search("x", limit=20), recall, get, ` +
			`store("text", tags=[]), update, upvote, relate, forget; m.content .score .tags. Only its last expression comes back. All writes or none. More: ` + cardURI,
		destructive: true,
		example:     `{"program":"[m.content for m in search(\"gateway\")]"}`,
		input:       func() arguments { return &runInput{} },
	}
}

type runInput struct{ verb.Program }

func (in *runInput) call(ctx context.Context, s *session) (reply, error) {
	caller := script.Caller{Scope: s.scope, Now: s.server.Now, Work: s.server.Work, Trees: s.server.Code, Place: func(m *hippo.Memory) {
		s.conversation.place(m, s.server.Now())
	}}
	r, err := s.server.Programs.Run(ctx, s.Engine, caller, in.Program)
	if err != nil {
		return reply{}, err
	}
	return reply{text: r.Text, count: len(r.Writes)}, nil
}

// addPage registers the page about programs.
func (s *Server) addPage() {
	page := &mcp.Resource{URI: cardURI, Name: "programs", Title: "Programs for hippo_run", MIMEType: "text/markdown", Size: int64(len(script.Card()))}
	s.mcp.AddResource(page, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: cardURI, MIMEType: page.MIMEType, Text: script.Card()}}}, nil
	})
}

// programFailure is the result of a program that failed: several lines, with the place in the program and the
// page about programs in short.
func programFailure(e *script.Error) *mcp.CallToolResult {
	text := "error [" + string(hippo.CodeOf(e)) + "] " + wire.ErrorOf(e, "").Error.Message
	if e.Printed != "" {
		text += "\nprinted before:\n" + e.Printed
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text + "\n\n" + script.ShortCard()}}, IsError: true}
}
