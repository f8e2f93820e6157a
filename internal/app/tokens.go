package app

import (
	"context"
	"os"

	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/serve/token"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
)

// Tokens returns the tokens of the servers of a database, which share them.
func (t *Tenants) Tokens() token.Book { return token.NewTable(tokenRows{t}, t.options.Now) }

// OpenTokens returns the tokens of servers: those of the database of a configuration, or else of this machine. The caller ends their use.
func OpenTokens(c config.Config, o *Options) (book token.Book, end func(context.Context) error) {
	if !c.Store.Database() {
		return token.NewFile(config.TokensPath(os.Getenv), o.Now), func(context.Context) error { return nil }
	}
	t := NewTenants(c, o, func(context.Context) string { return c.Namespace }, 0)
	return t.Tokens(), t.Shut
}

// tokenRows are the tokens in a database.
type tokenRows struct{ *Tenants }

func (r tokenRows) with(ctx context.Context, fn func(pgstore.Tokens) error) error {
	db, err := r.database(ctx)
	if err != nil {
		return err
	}
	return fn(pgstore.Tokens{DB: db})
}

// Add implements [token.Rows].
func (r tokenRows) Add(ctx context.Context, hash []byte, namespace, name string, x []byte) error {
	return r.with(ctx, func(rows pgstore.Tokens) error {
		return rows.Add(ctx, hash, namespace, name, x)
	})
}

// Find implements [token.Rows].
func (r tokenRows) Find(ctx context.Context, hash []byte) (x []byte, err error) {
	err = r.with(ctx, func(rows pgstore.Tokens) error {
		x, err = rows.Find(ctx, hash)
		return err
	})
	return x, err
}

// List implements [token.Rows].
func (r tokenRows) List(ctx context.Context) (list [][]byte, err error) {
	err = r.with(ctx, func(rows pgstore.Tokens) error {
		list, err = rows.List(ctx)
		return err
	})
	return list, err
}

// Remove implements [token.Rows].
func (r tokenRows) Remove(ctx context.Context, namespace, name string) (found bool, err error) {
	err = r.with(ctx, func(rows pgstore.Tokens) error {
		found, err = rows.Remove(ctx, namespace, name)
		return err
	})
	return found, err
}
