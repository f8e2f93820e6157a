package client

import (
	"context"

	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/project"
)

// ForProject returns a client of the same store whose current project is that of a repository, by the name that the store knows it
// by. former are names that the repository had before. Only one of the two clients is to be closed.
func ForProject(ctx context.Context, c *Client, name string, former ...string) (*Client, error) {
	m, err := engine.Locate(ctx, c.memories, project.Identity{Name: name, Former: former})
	if err != nil {
		return nil, err
	}
	out := *c
	out.memories = m
	out.scope, _ = engine.CallerOf(m)
	return &out, nil
}

// ResolveProject returns the names of the project that a person means, that to use first: a name that the store knows, or an
// abbreviation of exactly one. Otherwise the error is [hippo.ErrNotFound], and names what is known.
func ResolveProject(ctx context.Context, c *Client, name string) ([]string, error) {
	return engine.ResolveProject(ctx, c.memories, name)
}
