package mcpserver

import (
	"context"
	"crypto/rand"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// Path is where MCP over HTTP is served.
const Path = "/mcp"

// Routes returns the routes of MCP over streamable HTTP. The tools work in the scope of the caller of the request.
// Of the options, Scope, State and Session are not used: they describe the one client of [Server.Serve]. Each
// session over HTTP has a name of its own; requests without a session have none.
func Routes(open Opener, o *Options) []httpd.Route {
	var own Options
	if o != nil {
		own = *o
	}
	own.Scope = func(ctx context.Context) hippo.Scope { return httpd.CallerOf(ctx).Scope }
	own.Work, own.Session = nil, ""
	server := New(open, &own)
	h := Streamable(server.mcp, &StreamableOptions{Needs: server.needs, Begin: func(ctx context.Context) context.Context {
		return withConversation(ctx, &conversation{name: "mcp-" + rand.Text()})
	}})
	var out []httpd.Route
	for _, method := range []string{"POST", "GET", "DELETE"} {
		out = append(out, httpd.Route{Pattern: method + " " + Path, Rights: hippo.RightRead, MaxBody: -1, Stream: method != "DELETE", Handler: h})
	}
	return out
}
