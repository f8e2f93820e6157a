package cli

import (
	"context"
	"log/slog"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect/codetools"
	"github.com/hippo-memory/hippo/internal/doors/restapi"
	"github.com/hippo-memory/hippo/internal/doors/script"
	"github.com/hippo-memory/hippo/internal/doors/shodh"
	"github.com/hippo-memory/hippo/internal/doors/web"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/sources"
	"github.com/hippo-memory/hippo/internal/rpc/remote"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/oauth"
	"github.com/hippo-memory/hippo/internal/serve/telemetry"
	"github.com/hippo-memory/hippo/internal/serve/token"
)

// httpFront is what the front ends over HTTP have in common.
type httpFront struct {
	store    string // as in [config.Store.String]
	kind     string // of the store
	tools    []string
	code     dialect.Code // nil: it is not asked for
	log      *slog.Logger
	observer *telemetry.Observer
	issuer   *oauth.Verifier // of tokens; nil: none
	// sessions are those of browsers; nil: a new set.
	sessions *web.Sessions
}

// openCode offers the source trees of this machine, if their tools are named: callers on other machines see none otherwise.
func (f *httpFront) openCode(s *shell, cfg *config.Config) (end func() error) {
	if !slices.Contains(f.tools, codetools.Name) {
		return func() error { return nil }
	}
	code := app.NewCode("", &app.Options{Now: s.now, Log: f.log, CodeModel: cfg.Model})
	f.code = code
	return code.Close
}

// httpRoutes returns the routes of all front ends.
func httpRoutes(s *shell, open httpd.Opener, f *httpFront) []httpd.Route {
	v, tokens := version().Version, tokenFile{tokensOf(s)}
	var metadata []httpd.Route
	if f.issuer != nil {
		metadata = f.issuer.Routes()
	}
	return slices.Concat(
		metadata,
		httpd.Health(open),
		[]httpd.Route{f.observer.Metrics.Route(open)},
		mcpserver.Routes(mcpserver.Opener(open), &mcpserver.Options{Version: v, Store: f.store, Tools: f.tools, Code: f.code, Observe: f.observer.Tool, Now: s.now, Log: f.log}),
		restapi.Routes(open, &restapi.Options{Version: v, Store: f.store, Trees: f.code, Now: s.now, Log: f.log}),
		remote.Routes(open, &remote.Options{Version: v, Verbs: []engine.Verb{script.New(nil).Verb(func(string) sources.Trees { return f.code })}, Now: s.now, Log: f.log}),
		shodh.Routes(open, &shodh.Options{Version: v, Database: f.kind, Now: s.now, Log: f.log}),
		web.Routes(open, &web.Options{
			Sessions: f.sessions, Login: tokens.Authenticate, Tokens: webTokens(tokens), Version: v, Store: f.store, Now: s.now, Log: f.log,
		}),
	)
}

// tokenFile authenticates by the file of the tokens.
type tokenFile struct{ *token.File }

// Authenticate implements [httpd.Authenticator].
func (f tokenFile) Authenticate(text string) (httpd.Caller, bool) {
	t, ok := f.Find(text)
	if !ok {
		return httpd.Caller{}, false
	}
	return httpd.Caller{Name: t.Name, Scope: t.Scope()}, true
}

// webTokens are the tokens as the dashboard manages them.
type webTokens struct{ *token.File }

var _ web.Tokens = webTokens{}

// List implements [web.Tokens].
func (f webTokens) List(context.Context) ([]web.Token, error) {
	list, err := f.File.List()
	out := make([]web.Token, len(list))
	for i := range list {
		t := &list[i]
		out[i] = web.Token{Name: t.Name, Scope: t.Scope(), Created: t.Created, Expires: t.Expires}
	}
	return out, err
}

// Create implements [web.Tokens].
func (f webTokens) Create(ctx context.Context, t web.Token) (string, error) {
	right := token.Read
	switch {
	case t.Scope.Allows(hippo.RightAdmin):
		right = token.Admin
	case t.Scope.Allows(hippo.RightWrite):
		right = token.Write
	}
	return f.File.Create(ctx, token.Token{Name: t.Name, Right: right, Namespace: t.Scope.Namespace, Projects: t.Scope.Projects, Expires: t.Expires})
}
