package pgstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/hippo-memory/hippo"
)

// Tokens are those of the servers that share a database: by the hash of their text, each as JSON.
type Tokens struct{ DB *DB }

// uniqueViolation is the code of a row whose key another row has.
const uniqueViolation = "23505"

// Add keeps a token. One of the same name in its namespace is [hippo.ErrConflict].
func (t Tokens) Add(ctx context.Context, hash []byte, namespace, name string, token []byte) error {
	err := t.DB.view(ctx, func(q querier) error {
		_, err := collect(ctx, q, pgx.RowTo[bool], "INSERT INTO hippo.token (hash, namespace, name, token) VALUES ($1, $2, $3, $4) RETURNING true", hash, namespace, name, string(token))
		return err
	})
	if codeOf(err) == uniqueViolation {
		return fmt.Errorf("%w: there is a token named %q: revoke it first, or choose another name", hippo.ErrConflict, name)
	}
	return err
}

// Find returns the token with a hash; nil if there is none. Cost: one round trip.
func (t Tokens) Find(ctx context.Context, hash []byte) ([]byte, error) {
	var found []string
	err := t.DB.view(ctx, func(q querier) (err error) {
		found, err = collect(ctx, q, pgx.RowTo[string], "SELECT token::text FROM hippo.token WHERE hash = $1", hash)
		return err
	})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return []byte(found[0]), nil
}

// List returns all tokens, in the order of their creation.
func (t Tokens) List(ctx context.Context) ([][]byte, error) {
	var out [][]byte
	err := t.DB.view(ctx, func(q querier) error {
		list, err := collect(ctx, q, pgx.RowTo[string], "SELECT token::text FROM hippo.token ORDER BY number")
		out = make([][]byte, len(list))
		for i, text := range list {
			out[i] = []byte(text)
		}
		return err
	})
	return out, err
}

// Remove removes the token with a name in a namespace, and reports whether there was one.
func (t Tokens) Remove(ctx context.Context, namespace, name string) (found bool, err error) {
	err = t.DB.view(ctx, func(q querier) error {
		list, err := collect(ctx, q, pgx.RowTo[bool], "DELETE FROM hippo.token WHERE namespace = $1 AND name = $2 RETURNING true", namespace, name)
		found = found || len(list) > 0 // it may run twice
		return err
	})
	return found, err
}
