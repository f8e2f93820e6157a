package server

import (
	"context"
	"fmt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/web"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/oauth"
	"github.com/hippo-memory/hippo/internal/serve/token"
)

// authenticator authenticates by the tokens that were created here, and by an issuer if there is one.
type authenticator struct {
	book   bookOfTokens
	issuer *oauth.Verifier // nil: none
}

// Authenticate implements [httpd.Authenticator].
func (a authenticator) Authenticate(text string) (httpd.Caller, bool) {
	if a.issuer != nil && oauth.LooksLikeToken(text) {
		return a.issuer.Authenticate(text)
	}
	return a.book.Authenticate(text)
}

// bookOfTokens authenticates by the tokens that were created here.
type bookOfTokens struct{ token.Book }

// Authenticate implements [httpd.Authenticator].
func (f bookOfTokens) Authenticate(text string) (httpd.Caller, bool) {
	t, ok := f.Find(text)
	if !ok {
		return httpd.Caller{}, false
	}
	return httpd.Caller{Name: t.Name, Scope: t.Scope()}, true
}

// webTokens are the tokens as the dashboard manages them.
type webTokens struct{ token.Book }

var _ web.Tokens = webTokens{}

// List implements [web.Tokens].
func (f webTokens) List(context.Context) ([]web.Token, error) {
	list, err := f.Book.List()
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
	case t.Scope.Rights == hippo.RightSync:
		right = token.Sync
	}
	return f.Book.Create(ctx, token.Token{Name: t.Name, Right: right, Namespace: t.Scope.Namespace, Projects: t.Scope.Projects, Expires: t.Expires})
}

// StrayScopes says which tokens reach nothing, because a namespace or a project of theirs differs by letters or blanks alone from one that
// the store has: somebody wrote it into the file.
func StrayScopes(ctx context.Context, e *engine.Engine, list []token.Token) (out []string) {
	for _, t := range list {
		if t.Namespace == "" && t.Projects == nil {
			continue
		}
		scope := hippo.LocalScope("")
		scope.Namespace = t.Namespace
		m := e.In(scope)
		if _, err := memory.ListProjects(ctx, m); err != nil {
			out = append(out, fmt.Sprintf("token %q: %v", t.Name, err))
			continue
		}
		for _, name := range t.Projects {
			if known, err := memory.SpelledProject(ctx, m, name); err == nil && known != name {
				out = append(out, fmt.Sprintf("token %q: project: %q has no memories, and %q has: write it so", t.Name, name, known))
			}
		}
	}
	return out
}
