package server

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/serve/token"
)

// Tokens are those of the servers of this machine, or of a database, as the person who runs them manages them.
type Tokens struct {
	book token.Book
	end  func(context.Context) error
}

// NewTokens returns the tokens. The caller closes them.
func NewTokens(o *Options) *Tokens {
	book, end := app.OpenTokens(o.Config, &app.Options{Now: o.Now, Log: o.Log})
	return &Tokens{book, end}
}

// Close ends the connections to a database.
func (t *Tokens) Close() error { return t.end(context.Background()) }

// List returns the tokens, without their secrets; not nil.
func (t *Tokens) List() ([]token.Token, error) {
	list, err := t.book.List()
	return append([]token.Token{}, list...), err
}

// NewToken is a token to create. Projects nil: all; Expires zero: never.
type NewToken struct {
	Name, Right, Namespace string
	Projects               []string
	Expires                time.Time
}

// Create creates a token and returns its text. Its projects are written as the store of this machine knows them: one that differs by letters or
// blanks alone would reach nothing. A namespace that does is refused.
func (t *Tokens) Create(ctx context.Context, o *Options, n NewToken) (text string, err error) {
	x := token.Token{Name: n.Name, Right: token.Right(n.Right), Namespace: n.Namespace, Projects: n.Projects, Expires: n.Expires}
	if restricted(&x) {
		err = o.withStore(ctx, func(e *engine.Engine) error {
			scope := app.Scope(o.Config)
			scope.Namespace = n.Namespace
			m := e.In(scope)
			if _, err := memory.ListProjects(ctx, m); err != nil {
				return err
			}
			for i := range x.Projects {
				var err error
				if x.Projects[i], err = memory.SpelledProject(ctx, m, x.Projects[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return "", err
	}
	return t.book.Create(ctx, x)
}

// Stray says which tokens reach nothing in the store of this machine, see [StrayScopes].
func (t *Tokens) Stray(ctx context.Context, o *Options) (out []string, err error) {
	if o.Config.Store.Database() { // each namespace is a store, and that of a new token is empty
		return nil, nil
	}
	list, err := t.book.List()
	if err != nil || !slices.ContainsFunc(list, func(t token.Token) bool { return restricted(&t) }) {
		return nil, err
	}
	err = o.withStore(ctx, func(e *engine.Engine) error {
		out = StrayScopes(ctx, e, list)
		return nil
	})
	return out, err
}

// restricted reports whether a token does not reach all of a store.
func restricted(t *token.Token) bool { return t.Namespace != "" || t.Projects != nil }

// withStore runs fn with the store of this machine, if there is one.
func (o *Options) withStore(ctx context.Context, fn func(*engine.Engine) error) error {
	if o.Config.Store.Remote() || !app.Exists(o.Config.Store) {
		return nil
	}
	e, err := app.OpenShared(ctx, o.Config, &app.Options{Repositories: o.Repositories, Now: o.Now, Log: o.Log, Brief: true})
	if err != nil {
		return err
	}
	if err := fn(e); err != nil {
		_ = e.Close() // it was only read
		return err
	}
	return e.Close()
}

// Revoke revokes the token with a name of a namespace; nil: of the only one that has it.
func (t *Tokens) Revoke(ctx context.Context, namespace *string, name string) error {
	if namespace == nil {
		only, err := t.namespaceOf(name)
		if err != nil {
			return err
		}
		namespace = &only
	}
	return t.book.Revoke(ctx, *namespace, name)
}

// namespaceOf returns the namespace of the only token with a name.
func (t *Tokens) namespaceOf(name string) (string, error) {
	list, err := t.book.List()
	var found []string
	for _, t := range list {
		if t.Name == name {
			found = append(found, t.Namespace)
		}
	}
	switch {
	case len(found) > 1:
		quoted := make([]string, len(found))
		for i, n := range found {
			quoted[i] = strconv.Quote(n)
		}
		return "", hippo.Fieldf("NAME", "%.80q is a token of several namespaces: give one of %s with --namespace", name, strings.Join(quoted, ", "))
	case len(found) == 1:
		return found[0], nil
	default:
		return "", err // Revoke names those that there are
	}
}
