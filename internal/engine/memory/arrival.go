package memory

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// Brought are the memories of an import; nil: all memories.
type Brought map[hippo.ID]bool

// BroughtBy returns what an import has brought, and lets f look for it in all projects.
func BroughtBy(ctx context.Context, m *engine.Memories, operation string, f *hippo.Filter) (Brought, error) {
	if operation == "" {
		return nil, nil
	}
	o, err := operationOf(ctx, m, operation)
	if bad, ok := errors.AsType[*hippo.FieldError](err); ok {
		return nil, hippo.Fieldf("Import", "%s", bad.Why)
	}
	if err != nil {
		return nil, err
	}
	if o.Verb != hippo.VerbImport {
		return nil, hippo.Fieldf("Import", "must be an operation of hippo import, got %s, a %s", o.ID.Short(), o.Verb)
	}
	if f.Projects == nil {
		f.Projects = []string{hippo.AllProjects}
	}
	of := make(Brought, len(o.Memories))
	for _, id := range o.Memories {
		of[id] = true
	}
	return of, nil
}

// from returns what reports whether a source is of a name; nil if that is empty.
func from(name string) func(*hippo.Source) bool {
	if name == "" {
		return nil
	}
	return func(s *hippo.Source) bool { return comesFrom(s, name) }
}

// comesFrom reports whether a source is of a kind, of a client, or a file by its path or name.
func comesFrom(source *hippo.Source, name string) bool {
	is := func(s string) bool { return strings.EqualFold(s, name) }
	return is(string(source.Kind)) || is(source.Client) || source.URI != "" && (is(source.URI) || is(path.Base(source.URI)))
}
