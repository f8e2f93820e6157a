package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect/claudehippo"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect/codetools"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect/graphtools"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect/memorymcp"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect/memoryservice"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

// ownPrefix begins the names of the tools of this program.
const ownPrefix = "hippo_"

// ownTools is the name of the system of the tools of this program.
const ownTools = "hippo"

// systemTable is a system by its name; nil stands for the tools of this program.
type systemTable struct {
	name string
	open func() *dialect.System
}

// systems returns all systems, in the order in which those that are not listed answer.
func systems() []systemTable {
	return []systemTable{
		{ownTools, nil},
		{graphtools.Name, graphtools.New},
		{codetools.Name, codetools.New},
		{memoryservice.Name, memoryservice.New},
		{claudehippo.Name, claudehippo.New},
		{memorymcp.Name, memorymcp.New},
	}
}

// ToolSystems returns the names of the systems whose tools can be listed, in the order in which those
// that are not listed answer.
func ToolSystems() []string {
	var out []string
	for _, s := range systems() {
		out = append(out, s.name)
	}
	return out
}

// ParseTools reads a list of systems with commas, in which "all" stands for those that are not named.
// The error is a [*hippo.FieldError] of the field tools.
func ParseTools(text string) ([]string, error) {
	var out []string
	for name := range strings.SplitSeq(text, ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		names := []string{name}
		if name == "all" {
			names = ToolSystems()
		} else if !slices.Contains(ToolSystems(), name) {
			return nil, hippo.Fieldf("tools", "must be some of %s, all, with commas, got %.60q", strings.Join(ToolSystems(), ", "), name)
		}
		for _, n := range names {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out, nil
}

// precedence returns all systems: those that are listed first. Each table is built when it is first needed.
func precedence(listed []string) []systemTable {
	order := systems()
	for i := range order {
		if open := order[i].open; open != nil {
			order[i].open = sync.OnceValue(open)
		}
	}
	rank := func(t systemTable) int {
		if i := slices.Index(listed, t.name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(order, func(a, b systemTable) int { return rank(a) - rank(b) })
	return order
}

// speak is the middleware that answers the tools of other systems. Their tables are built when they are
// needed: adding all tools to the server of the SDK would cost every start 10 ms and more. The own tools are added
// once initialize is answered: the SDK takes .3 ms to check their schemas.
func (s *Server) speak(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method != "initialize" {
			s.equip()
		}
		switch r := req.(type) {
		case *mcp.CallToolRequest:
			system, t := s.find(r.Params.Name)
			if t != nil {
				return s.notices.once(s.callDialect(ctx, system, t, r)), nil
			}
			if _, own := s.own[ownPrefix+r.Params.Name]; own { // its name in older documents
				r.Params.Name = ownPrefix + r.Params.Name
			}
		case *mcp.ListToolsRequest:
			result, err := next(ctx, method, req)
			if list, ok := result.(*mcp.ListToolsResult); ok && err == nil {
				s.list(list)
				s.listCode(list)
			}
			return result, err
		}
		return next(ctx, method, req)
	}
}

// find returns the tool of another system that a name means; nil if it is one of this program, or unknown.
func (s *Server) find(name string) (*dialect.System, *dialect.Tool) {
	for _, t := range s.order {
		if t.open == nil {
			if _, known := s.own[name]; known {
				return nil, nil
			}
			continue
		}
		system := t.open()
		if tool := system.Find(name); tool != nil {
			return system, tool
		}
	}
	return nil, nil
}

// needs returns the rights without which a tool can do nothing.
func (s *Server) needs(name string) hippo.Rights {
	writes := s.own[name]
	if _, t := s.find(name); t != nil {
		writes = t.Writes
	}
	if writes {
		return hippo.RightWrite
	}
	return 0
}

// list puts the tools of the listed systems in place of those of this program, in their order. Of a name
// that several have the one that answers is listed.
func (s *Server) list(result *mcp.ListToolsResult) {
	own := result.Tools
	result.Tools = []*mcp.Tool{}
	for _, t := range s.order[:len(s.Tools)] {
		if t.open == nil {
			for _, tool := range own {
				if system, _ := s.find(tool.Name); system == nil {
					result.Tools = append(result.Tools, tool)
				}
			}
			continue
		}
		result.Tools = append(result.Tools, s.listed(t.open())...)
	}
}

// listed returns the tools of another system that the list has.
func (s *Server) listed(system *dialect.System) (out []*mcp.Tool) {
	for i := range system.Tools {
		tool := &system.Tools[i]
		if _, answers := s.find(tool.Name); answers == tool && !tool.Unlisted && (!tool.Code || s.Code != nil) {
			out = append(out, describeDialect(tool))
		}
	}
	return out
}

// maxListed is how many bytes the list has by default at most: what every session of a client costs.
const maxListed = 6144

// listCode adds the tools about code to the default list, if there is code to ask about and they fit.
func (s *Server) listCode(result *mcp.ListToolsResult) {
	if !s.byDefault || s.Code == nil || !s.Code.Indexed() {
		return
	}
	i := slices.IndexFunc(s.order, func(t systemTable) bool { return t.name == codetools.Name })
	extended := *result
	extended.Tools = slices.Concat(result.Tools, s.listed(s.order[i].open()))
	if text, err := json.Marshal(&extended); err == nil && len(text) <= maxListed {
		*result = extended
	}
}

// describeDialect returns a tool of another system as the protocol lists it.
func describeDialect(t *dialect.Tool) *mcp.Tool {
	no := false
	a := &mcp.ToolAnnotations{ReadOnlyHint: t.ReadOnly, OpenWorldHint: &no}
	if !t.ReadOnly {
		a.DestructiveHint = &t.Destructive
	}
	return &mcp.Tool{Name: t.Name, Description: t.Description, InputSchema: t.Schema(), Annotations: a}
}

// callDialect calls a tool of another system.
func (s *Server) callDialect(ctx context.Context, system *dialect.System, t *dialect.Tool, req *mcp.CallToolRequest) *mcp.CallToolResult {
	began := s.Now()
	ctx, end := s.observed(ctx, t.Name, req)
	r, err := s.runDialect(ctx, system, t, req.Params.Arguments)
	end(err)
	wire.LogCall(s.Log, t.Name, s.Now().Sub(began), r.Count, err)
	switch {
	case err == nil:
	case system.Failure == nil:
		return dialectFailure(err)
	default:
		r = system.Failure(err)
	}
	content := []mcp.Content{&mcp.TextContent{Text: r.Text}}
	if r.Note != "" {
		content = append(content, &mcp.TextContent{Text: r.Note})
	}
	return &mcp.CallToolResult{Content: content, StructuredContent: r.Data, IsError: r.Failed}
}

func (s *Server) runDialect(ctx context.Context, system *dialect.System, t *dialect.Tool, arguments json.RawMessage) (dialect.Result, error) {
	in, args, err := t.Decode(arguments, system.Is)
	if err != nil {
		return dialect.Result{}, err
	}
	query, note := hippo.ShortQuery(in.Text("query"))
	if note != "" {
		in["query"] = query
	}
	m, at, err := s.memories(ctx)
	if err != nil {
		return dialect.Result{}, err
	}
	c := &dialect.Call{Memories: m, Scope: at.scope, Now: s.Now().In(m.Zone()), Began: s.began, Code: s.Code, Version: s.Version, Input: in, Args: args}
	r, err := t.Run(ctx, c)
	r.Note = note
	if err != nil && hippo.CodeOf(err) == hippo.CodeInternal {
		s.Log.Error("tool failed", "tool", t.Name, "error", err)
	}
	return r, err
}

// dialectFailure is [failure] for tools that lack the argument allow_secret.
func dialectFailure(err error) *mcp.CallToolResult {
	result := failure(err)
	if !errors.Is(err, hippo.ErrSecret) {
		return result
	}
	const hint = "nothing was stored; leave the secret out and say where it is kept"
	p := wire.ErrorOf(err, hint)
	result.StructuredContent = p
	result.Content = []mcp.Content{&mcp.TextContent{Text: "error [" + string(p.Error.Code) + "] " + p.Error.Message + " (" + hint + ")"}}
	return result
}
