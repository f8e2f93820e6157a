package cli

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// currentProject returns the names of the project to work for, see [app.Project]; nil: none.
func currentProject(ctx context.Context, c config.Config) []string {
	id := app.Project(ctx, c, ".")
	return id.Names()
}

// givenProject returns the project that the command line names, and how; a blank one is none.
func givenProject(s *shell) (how memory.Naming, text string) {
	if f := s.root.PersistentFlags().Lookup("project"); f.Changed {
		text = f.Value.String()
	}
	how, _ = memory.ReadProject(text)
	return how, text
}

// projectsOf returns the project filter of a search or list, for [hippo.Filter.Projects]; nil
// for the current project and memories without one. Only the flag filters: the setting is the
// current project. A name may be abbreviated, see [client.Client.ResolveProject].
func projectsOf(ctx context.Context, s *shell, m *client.Client, all bool) ([]string, error) {
	how, name := givenProject(s)
	switch {
	case all && how >= memory.NamesNone:
		return nil, usagef("--all and --project exclude each other: give one of them")
	case all:
		return []string{hippo.AllProjects}, nil
	case how == memory.NamesNothing:
		return nil, nil
	}
	full, err := m.ResolveProject(ctx, name)
	if err == nil && full[0] != "" && full[0] != hippo.AllProjects && full[0] != name {
		s.warn("project %s", app.ProjectTitle(full[0]))
	}
	return full, err
}

// ofKnown lets fn run if the command line names no project, or one that is known.
func ofKnown(ctx context.Context, s *shell, fn func(*client.Client) error) func(*client.Client) error {
	return func(m *client.Client) error {
		if how, name := givenProject(s); how != memory.NamesNothing {
			if _, err := m.ResolveProject(ctx, name); err != nil {
				return err
			}
		}
		return fn(m)
	}
}

// ofProject lets fn see only what belongs to the project that the command line names, and everything if it names none.
func ofProject(ctx context.Context, s *shell, fn func(*client.Client) error) func(*client.Client) error {
	return func(m *client.Client) (err error) {
		if how, name := givenProject(s); how != memory.NamesNothing {
			if m, err = m.OfProject(ctx, name); err != nil {
				return err
			}
		}
		return fn(m)
	}
}

// narrowed is [ofProject] for commands that need more than package client has.
func narrowed(ctx context.Context, s *shell, m *engine.Memories) (_ *engine.Memories, err error) {
	how, name := givenProject(s)
	if how == memory.NamesCurrent {
		m, err = memory.Locate(ctx, m, app.ProjectOf(ctx, "."))
	}
	if err != nil || how == memory.NamesNothing {
		return m, err
	}
	return memory.Narrow(ctx, m, name)
}

// located returns the memory in the project that the command line names, which must be known, or in the one to work for in the current folder.
func located(ctx context.Context, s *shell, c config.Config, m *engine.Memories) (*engine.Memories, error) {
	_, name := givenProject(s)
	return app.Located(ctx, c, m, name, ".")
}

// inNamed is [shell.inProject] for commands that work in one project: that of the flag, if it names one.
func inNamed(ctx context.Context, s *shell, fn func(*client.Client) error) error {
	c, err := s.named()
	if err != nil {
		return err
	}
	return inProjectOf(ctx, s, c, asNamed(ctx, s, fn))
}

// asNamed lets fn work in the project that the command line names, as [client.Client.NameProject] reads it.
func asNamed(ctx context.Context, s *shell, fn func(*client.Client) error) func(*client.Client) error {
	return func(m *client.Client) error {
		how, name := givenProject(s)
		if how < memory.NamesCurrent {
			return fn(m)
		}
		full, err := m.NameProject(ctx, name)
		if err != nil {
			return err
		}
		if m, err = m.ForProject(ctx, full); err != nil {
			return err
		}
		return fn(m)
	}
}
