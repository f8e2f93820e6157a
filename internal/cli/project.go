package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/project"
)

// noProject is the name for memories without a project.
const noProject = "none"

// projectOf returns the project to work for: the one that was named, "" for none,
// else that of the current directory.
func projectOf(ctx context.Context, c config.Config) string {
	switch c.Project {
	case noProject:
		return ""
	case "":
		return project.Identify(ctx, ".")
	default:
		return c.Project
	}
}

// projectsOf returns the project filter of a search or list, for [hippo.Filter.Projects]; nil
// for the current project and memories without one. Only the flag filters: the setting is the
// current project. A name may be abbreviated, see [expandProject].
func projectsOf(ctx context.Context, s *shell, m *client.Client, all bool) ([]string, error) {
	flag := s.root.PersistentFlags().Lookup("project")
	name := flag.Value.String()
	everything := name == hippo.AllProjects
	switch {
	case all && flag.Changed && !everything:
		return nil, usagef("--all and --project exclude each other: give one of them")
	case all || everything:
		return []string{hippo.AllProjects}, nil
	case !flag.Changed:
		return nil, nil
	case name == noProject:
		return []string{""}, nil
	}
	full, err := expandProject(ctx, m, name)
	if full != name && err == nil {
		s.warn("project %s", full)
	}
	return []string{full}, err
}

// maxProjects is the number of projects that an error lists.
const maxProjects = 10

// expandProject resolves an abbreviated project name: a full name, or a prefix, a suffix or a
// suffix before the "#" of exactly one. Otherwise the error is [hippo.ErrNotFound].
func expandProject(ctx context.Context, m *client.Client, name string) (string, error) {
	st, err := m.Status(ctx)
	if err != nil || slices.Contains(st.Projects, name) {
		return name, err
	}
	known := st.Projects
	var like []string
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
