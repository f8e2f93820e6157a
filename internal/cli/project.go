package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/project"
)

// noProject stands for what belongs to no project.
const noProject = "none"

// project returns the project to work for: the one that was named, "" for none,
// else that of the current directory.
func (s *shell) project(ctx context.Context) (string, error) {
	c, err := s.config()
	switch {
	case err != nil:
		return "", err
	case c.Project == noProject:
		return "", nil
	case c.Project != "":
		return c.Project, nil
	default:
		return project.Identify(ctx, "."), nil
	}
}

// allFlag adds --all to a command that finds memories.
func allFlag(c *cobra.Command, all *bool) {
	c.Flags().BoolVar(all, "all", false, "of all projects; --project NAME keeps to one, --project none to what belongs to none")
}

// projects returns the projects that a search or list is kept to, for
// [hippo.Filter.Projects]. Only the flag keeps to a project: the setting is the project to
// work for. A name may be cut short, see [expandProject].
//
// The engine takes nil for everything. Once it takes nil for the current project and what
// belongs to none, --all and "*" have to return []string{hippo.AllProjects} here.
func (s *shell) projects(ctx context.Context, e *engine.Engine, all bool) ([]string, error) {
	flag := s.root.PersistentFlags().Lookup("project")
	name := flag.Value.String()
	everything := name == hippo.AllProjects
	switch {
	case all && flag.Changed && !everything:
		return nil, usagef("--all and --project exclude each other: give one of them")
	case all || everything || !flag.Changed:
		return nil, nil
	case name == noProject:
		return []string{""}, nil
	}
	full, err := expandProject(ctx, e, name)
	if full != name && err == nil {
		s.warn("project %s", full)
	}
	return []string{full}, err
}

// maxProjects is how many projects an error names.
const maxProjects = 10

// expandProject returns the project that a name stands for: the project of that name, or
// the only one of which it is the beginning, the end, or the end before the "#". What is
// none is [hippo.ErrNotFound]. Cost: all memories are read if no project has that name.
func expandProject(ctx context.Context, e *engine.Engine, name string) (string, error) {
	for _, forgotten := range []bool{false, true} {
		list, err := e.List(ctx, engine.ListQuery{Filter: hippo.Filter{Projects: []string{name}}, Forgotten: forgotten, Count: 1})
		if err != nil || list.Total > 0 {
			return name, err
		}
	}
	var known, like []string
	for m, err := range e.Export(ctx) {
		if err != nil {
			return "", err
		}
		if m.Project != "" && !slices.Contains(known, m.Project) {
			known = append(known, m.Project)
		}
	}
	slices.Sort(known)
	for _, p := range known {
		plain, _, _ := strings.Cut(p, "#")
		if strings.HasPrefix(p, name) || strings.HasSuffix(p, name) || strings.HasSuffix(plain, name) {
			like = append(like, p)
		}
	}
	switch {
	case len(like) == 1:
		return like[0], nil
	case len(like) > 1:
		return "", hippo.Fieldf("project", "%q fits several: %s", name, strings.Join(like[:min(len(like), maxProjects)], ", "))
	case len(known) == 0:
		return "", fmt.Errorf("%w: no project %q; nothing is stored for any project", hippo.ErrNotFound, name)
	case len(known) > maxProjects:
		known = append(known[:maxProjects], "...")
	}
	return "", fmt.Errorf("%w: no project %q; known: %s", hippo.ErrNotFound, name, strings.Join(known, ", "))
}
