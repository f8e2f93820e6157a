package memory

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// Words for projects: that for none, and what stands before the name of a new one.
const (
	NoProject  = "none"
	NewProject = "new:"
)

// Naming is how a text names a project; from [NamesCurrent] on it names one.
type Naming uint8

// The ways to name a project.
const (
	NamesNothing Naming = iota // the text is blank
	NamesAll
	NamesNone
	NamesCurrent // the project that the caller works in
	NamesNew
	NamesOne // by its name, or by an abbreviation of it
)

// ReadProject returns how a text of a person, a model or a program names a project, and the name, without what stands around it.
func ReadProject(text string) (how Naming, name string) {
	text = strings.TrimSpace(text)
	if name, isNew := strings.CutPrefix(text, NewProject); isNew {
		return NamesNew, strings.TrimSpace(name)
	}
	how, isWord := map[string]Naming{"": NamesNothing, "all": NamesAll, hippo.AllProjects: NamesAll, NoProject: NamesNone, "current": NamesCurrent}[text]
	if isWord {
		return how, ""
	}
	if inner := titled().FindStringSubmatch(text); inner != nil {
		text = inner[1]
	}
	return NamesOne, text
}

// titled matches a title of [project.Folders.Title].
var titled = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // compiled when it is first used
	return regexp.MustCompile(`^.+ \(((?:local|folder)#[0-9a-f]{8,})\)$`)
})

// oneProject is [ResolveProject] for what must be one project, or none.
func oneProject(ctx context.Context, m *engine.Memories, text string) ([]string, error) {
	names, err := ResolveProject(ctx, m, text)
	if err == nil && names[0] == hippo.AllProjects {
		err = hippo.Fieldf("project", "must be one project, none or current, got %q", text)
	}
	return names, err
}

// InProject returns the memory for work in the project that a text names, as [ResolveProject] reads it.
func InProject(ctx context.Context, m *engine.Memories, text string) (*engine.Memories, error) {
	names, err := oneProject(ctx, m, text)
	if err != nil {
		return nil, err
	}
	scope := m.Scope
	if names[0] != scope.Project {
		scope.Project, scope.Also = names[0], names[1:]
	}
	return inScope(m, scope), nil
}

// NameProject returns the project that a memory is recorded for by a name that somebody gives, as [ResolveProject] reads it.
func NameProject(ctx context.Context, m *engine.Memories, name string) (string, error) {
	names, err := oneProject(ctx, m, name)
	switch {
	case errors.Is(err, hippo.ErrNotFound):
		return "", hippo.Fieldf("project", `must be a known one (%v); leave it out for the current project, or write "new:%s" for a new one`, err, name)
	case err != nil:
		return "", err
	}
	return names[0], nil
}
