package hippo

import "slices"

// Rights say what a caller may do. They are flags; the zero value allows nothing.
type Rights uint8

// The rights.
const (
	// RightRead allows to search, list, get and export. Counting the use of what was found
	// belongs to it.
	RightRead Rights = 1 << iota
	// RightWrite allows to record, modify, vote, forget, restore, relate and import.
	RightWrite
	// RightPurge allows to delete for good.
	RightPurge
	// RightAdmin allows to see the state of the store itself: what is damaged, how much of
	// it is indexed, revisions.
	RightAdmin

	// AllRights allows everything.
	AllRights = RightRead | RightWrite | RightPurge | RightAdmin
)

// AllProjects in [Filter.Projects] stands for every project of the [Scope].
const AllProjects = "*"

// Scope is what one caller may see and do. Whatever lies outside of it does not exist for
// that caller: it is not found, counted, named in an error or taken into account in a
// statistic.
type Scope struct {
	// Namespace is the tenant, matched exactly; empty is the default one.
	Namespace string
	// Projects bounds what can be seen and recorded to these projects, "" being what
	// belongs to none. Nil: no bound.
	Projects []string
	// Rights bound what can be done.
	Rights Rights
	// Project is the current project, empty for none. Memories are recorded for it, and
	// searches and lists that name no project keep to it and to what belongs to none. It is
	// a default and no bound.
	Project string
}

// LocalScope returns the scope of a user who owns the store: everything in the default
// namespace, with a current project.
func LocalScope(project string) Scope { return Scope{Rights: AllRights, Project: project} }

// Allows reports whether the scope has all of these rights.
func (s *Scope) Allows(r Rights) bool { return s.Rights&r == r }

// Contains reports whether what belongs to a namespace and a project lies in the scope.
func (s *Scope) Contains(namespace, project string) bool {
	return namespace == s.Namespace && (s.Projects == nil || slices.Contains(s.Projects, project))
}

// Narrow returns a filter with the projects that the scope has by default filled in.
func (s *Scope) Narrow(f Filter) Filter {
	switch {
	case f.Projects == nil && s.Project != "":
		f.Projects = []string{s.Project, ""}
	case slices.Contains(f.Projects, AllProjects):
		f.Projects = nil
	}
	return f
}

// Sees reports whether a memory lies in the scope.
func (s *Scope) Sees(m *Memory) bool { return s.Contains(m.Namespace, m.Project) }
