package server

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect/codetools"
	"github.com/hippo-memory/hippo/internal/doors/restapi"
	"github.com/hippo-memory/hippo/internal/doors/script"
	"github.com/hippo-memory/hippo/internal/doors/shodh"
	"github.com/hippo-memory/hippo/internal/doors/web"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/sources"
	"github.com/hippo-memory/hippo/internal/exchange"
	"github.com/hippo-memory/hippo/internal/rpc/remote"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/oauth"
	"github.com/hippo-memory/hippo/internal/serve/telemetry"
	"github.com/hippo-memory/hippo/internal/serve/token"
)

// frontEnds is what the front ends over HTTP have in common.
type frontEnds struct {
	*Options
	listed   []string // the systems whose tools are listed; nil: the default
	tokens   token.Book
	code     dialect.Code // nil: it is not asked for
	observer *telemetry.Observer
	issuer   *oauth.Verifier // of tokens; nil: none
	sessions *web.Sessions   // of browsers
	// namespaces manages those of the store; nil: nobody does.
	namespaces memory.NamespaceAdmin
	sync       *exchange.Served
}

// openCode offers the source trees of this machine, if their tools are named: callers on other machines see none otherwise.
func (f *frontEnds) openCode() (end func() error) {
	if !slices.Contains(f.listed, codetools.Name) {
		return func() error { return nil }
	}
	code := f.trees("")
	f.code = code
	return code.Close
}

// routes returns the routes of all front ends, whose verbs the observer hears of.
func (f *frontEnds) routes(opener httpd.Opener) []httpd.Route {
	open := func(ctx context.Context) (*engine.Engine, error) {
		e, err := opener(ctx)
		if err != nil {
			return nil, err
		}
		return engine.Observed(e, f.observer.Verb), nil
	}
	v, now, log, tokens := f.Version, f.Now, f.Log, bookOfTokens{f.tokens}
	store, kind := f.Config.Store.String(), f.Config.Store.Kind
	var metadata []httpd.Route
	if f.issuer != nil {
		metadata = f.issuer.Routes()
	}
	return slices.Concat(
		metadata,
		httpd.Health(open),
		[]httpd.Route{f.observer.Metrics.Route(open)},
		mcpserver.Routes(mcpserver.Opener(open), &mcpserver.Options{Version: v, Store: store, Tools: f.listed, Code: f.code, Observe: f.observer.Tool, Now: now, Log: log}),
		restapi.Routes(open, &restapi.Options{Version: v, Store: store, Trees: f.code, Namespaces: f.namespaces, Sync: f.sync, Now: now, Log: log}),
		remote.Routes(open, &remote.Options{Version: v, Verbs: []engine.Verb{script.New(nil).Verb(func(string) sources.Trees { return f.code })}, Now: now, Log: log}),
		f.shelves(),
		shodh.Routes(open, &shodh.Options{Version: v, Database: kind, Now: now, Log: log}),
		web.Routes(open, &web.Options{
			Sessions: f.sessions, Login: tokens.Authenticate, Tokens: webTokens{f.tokens}, Sync: f.sync, Version: v, Store: store, Now: now, Log: log,
		}),
	)
}
