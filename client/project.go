package client

import (
	"context"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// ForProject returns a client of the same store whose current project is that of a repository, by the name that the store knows it
// by. former are names that the repository had before. Only one of the two clients is to be closed.
func (c *Client) ForProject(ctx context.Context, name string, former ...string) (*Client, error) {
	m, err := memory.Locate(ctx, c.memories, project.Identity{Name: name, Former: former})
	if err != nil {
		return nil, err
	}
	return c.with(m), nil
}

// OfProject returns a client of the same store for one project, as [Client.ResolveProject] reads its name: what belongs to others, or to none,
// does not exist for it. Only one of the two clients is to be closed.
func (c *Client) OfProject(ctx context.Context, name string) (*Client, error) {
	m, err := memory.Narrow(ctx, c.memories, name)
	if err != nil {
		return nil, err
	}
	return c.with(m), nil
}

// CurrentProject returns the names of the current project of a client, that to use first; none if it has no project.
func (c *Client) CurrentProject() []string {
	if c.scope.Project == "" {
		return nil
	}
	return append([]string{c.scope.Project}, c.scope.Also...)
}

// ResolveProject returns the names of the project that a person means, that to use first: a name that the store knows, or an
// abbreviation of exactly one. Otherwise the error is [hippo.ErrNotFound], and names what is known.
func (c *Client) ResolveProject(ctx context.Context, name string) ([]string, error) {
	return memory.ResolveProject(ctx, c.memories, name)
}

// NameProject returns the project to record for by a name that a person gives: one that [Client.ResolveProject] finds, "none", "current", or
// "new:" and a new name.
func (c *Client) NameProject(ctx context.Context, name string) (string, error) {
	return memory.NameProject(ctx, c.memories, name)
}

// Projects returns the projects that have insights.
func (c *Client) Projects(ctx context.Context) ([]api.Project, error) {
	return memory.ListProjects(ctx, c.memories)
}

// MergeProjects moves the insights of a project to another one, which has the names of both from then on, or gives a project a
// new name. The others stay known. [Client.Undo] takes it back.
func (c *Client) MergeProjects(ctx context.Context, m api.MergeProjects) (*api.ProjectMoved, error) {
	return memory.MergeProjects(ctx, c.memories, m)
}
