package restapi

import (
	"context"
	"errors"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// now is the time in the zone of the store.
func (r *request) now() time.Time { return r.server.Now().In(r.Zone()) }

// inProjects is the projects that a filter names.
type inProjects struct{ projects *[]string }

func (in *inProjects) Args() []verb.Arg {
	return []verb.Arg{verb.ProjectArg(&in.projects)}
}

// noProject stands for no project.
const noProject = "none"

// projectsOf returns the projects that were given; nil for none given.
func projectsOf(given *[]string) (out []string) {
	if given == nil {
		return nil
	}
	for _, name := range *given {
		if name == noProject {
			name = ""
		}
		out = append(out, name)
	}
	return out
}

// knownProjects returns the projects that a filter names: those of insights, or else of source trees.
func (r *request) knownProjects(ctx context.Context, given []string) (out []string, err error) {
	for _, name := range given {
		names, err := memory.KnownProjects(ctx, r.Memories, name)
		if errors.Is(err, hippo.ErrNotFound) && r.ofTree(name) {
			names, err = []string{name}, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, names...)
	}
	return out, nil
}

// ofTree reports whether a source tree that the caller sees is of a project.
func (r *request) ofTree(project string) bool {
	if r.server.Trees == nil || !r.server.Trees.Indexed() {
		return false
	}
	l, err := r.server.Trees.Library()
	if err != nil {
		return false
	}
	trees, err := l.OfProjects(&r.scope, []string{project}, "")
	return err == nil && len(trees) > 0
}
