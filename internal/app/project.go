package app

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// Repositories returns what is remembered of the repositories of this user.
func Repositories() project.Cache {
	return project.Cache{Dir: filepath.Join(config.StateDir(os.Getenv), "projects")}
}

// ProjectTitle returns the name of a project for people.
func ProjectTitle(name string) string { return Repositories().Folders().Title(name) }

// ProjectOf returns the project of a folder, which may be gone, as every process of this user finds it. Empty is the current one.
func ProjectOf(ctx context.Context, dir string) project.Identity {
	return Repositories().Identify(ctx, cmp.Or(dir, "."))
}

// Project returns the project to work for in a folder: the one that the configuration names, or else [ProjectOf] it.
func Project(ctx context.Context, c config.Config, dir string) project.Identity {
	switch how, name := memory.ReadProject(c.Project); how {
	case memory.NamesNone, memory.NamesAll:
		return project.Identity{}
	case memory.NamesNothing, memory.NamesCurrent:
		return ProjectOf(ctx, dir)
	default:
		return project.Identity{Name: name}
	}
}

// Scope returns the scope of the user: everything in the namespace of a configuration.
func Scope(c config.Config) hippo.Scope {
	scope := hippo.LocalScope("")
	scope.Namespace = c.Namespace
	return scope
}

// Located returns the memories in the project that a caller names, which must be known, or else in the one to work for in a folder.
func Located(ctx context.Context, c config.Config, m *engine.Memories, named, dir string) (*engine.Memories, error) {
	if how, _ := memory.ReadProject(named); how >= memory.NamesNone && how != memory.NamesCurrent {
		return memory.InProject(ctx, m, named)
	}
	return memory.Locate(ctx, m, Project(ctx, c, dir))
}
