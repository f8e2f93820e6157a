package client

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/engine"
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

// OfProject returns a client of the same store for one project, as [ResolveProject] reads its name: what belongs to others, or to none,
// does not exist for it. Only one of the two clients is to be closed.
func OfProject(ctx context.Context, c *Client, name string) (*Client, error) {
	m, err := engine.Narrow(ctx, c.memories, name)
	if err != nil {
		return nil, err
	}
	out := *c
	out.memories = m
	out.scope, _ = engine.CallerOf(m)
	return &out, nil
}

// CurrentProject returns the names of the current project of a client, that to use first; none if it has no project.
func CurrentProject(c *Client) []string {
	if c.scope.Project == "" {
		return nil
	}
	return append([]string{c.scope.Project}, c.scope.Also...)
}

// ResolveProject returns the names of the project that a person means, that to use first: a name that the store knows, or an
// abbreviation of exactly one. Otherwise the error is [hippo.ErrNotFound], and names what is known.
func ResolveProject(ctx context.Context, c *Client, name string) ([]string, error) {
	return engine.ResolveProject(ctx, c.memories, name)
}

// NameProject returns the project to record for by a name that a person gives: one that [ResolveProject] finds, "none", "current", or
// "new:" and a new name.
func NameProject(ctx context.Context, c *Client, name string) (string, error) {
	return engine.NameProject(ctx, c.memories, name)
}

// ProjectInfo is a project.
type ProjectInfo struct {
	// Name is the name to use; empty: what belongs to none. Also are its other names.
	Name string
	Also []string
	// Memories is the number of its insights.
	Memories int
	// Current: it is the current project of the client.
	Current bool
}

// ListProjects returns the projects that have insights.
func ListProjects(ctx context.Context, c *Client) ([]ProjectInfo, error) {
	list, err := engine.ListProjects(ctx, c.memories)
	out := make([]ProjectInfo, len(list))
	for i, p := range list {
		out[i] = ProjectInfo(p)
	}
	return out, err
}

// MergeProjects moves the insights of a project to another one, which has the names of both from then on, and returns how many they were. [Client.Undo]
// takes it back.
func MergeProjects(ctx context.Context, c *Client, from, into string) (int, error) {
	return mergeProjects(ctx, c, api.MergeProjects{From: from, Into: into})
}

// RenameProject gives a project a new name. The others stay known.
func RenameProject(ctx context.Context, c *Client, from, name string) (int, error) {
	return mergeProjects(ctx, c, api.MergeProjects{From: from, Into: name, Rename: true})
}

func mergeProjects(ctx context.Context, c *Client, q api.MergeProjects) (int, error) {
	out, err := engine.MergeProjects(ctx, c.memories, q)
	if err != nil {
		return 0, err
	}
	return out.Memories, nil
}

// SetProject moves an insight to a project: one that [ResolveProject] finds, "none", "current", or "new:" and a new name.
func SetProject(name string) Change { return func(m *modification) { m.Project = &name } }

// MoveToProject moves insights to a project, as [SetProject] does, all of them or none, as one operation.
func MoveToProject(ctx context.Context, c *Client, name string, ids ...hippo.ID) error {
	list := make([]api.Modify, len(ids))
	for i, id := range ids {
		list[i] = api.Modify{ID: id, Change: api.Change{Project: &name, Vote: api.VoteNone}}
	}
	_, err := engine.ModifyAll(ctx, c.memories, list)
	return err
}
