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
	// RightAdmin allows to read the state of the store: damage, progress of the index,
	// revisions.
	RightAdmin
	// RightMetrics allows to read the metrics of the server: counts and times of all scopes together, without
	// contents.
	RightMetrics
	// RightSync allows to keep, read and remove the files by which the machines of a user sync. They are encrypted: it reaches no memory.
	RightSync

	// AllRights allows everything.
	AllRights = RightRead | RightWrite | RightPurge | RightAdmin | RightMetrics | RightSync
)

// AllProjects in [Filter.Projects] stands for every project of the [Scope].
const AllProjects = "*"

// Unassigned is the project of memories of which nobody could tell where they belong. Only a caller who works there, or names
// it, sees them.
const Unassigned = "unassigned"

// Scope is the data and the operations of one caller. Memories outside of it do not exist for
// the caller: they are not found, counted, named in errors or included in statistics.
type Scope struct {
	// Namespace is the tenant, matched exactly; empty is the default one.
	Namespace string
	// Projects are the projects that can be read and written; "" is no project. Nil: all.
	Projects []string
	// Rights are the operations that are allowed.
	Rights Rights
	// Project is the current project, empty for none. It is the default of new memories;
	// searches and lists without a project filter return its memories and those of no
	// project. It does not restrict access.
	Project string
	// Also are other names of the current project, or projects that are worked on beside it: searches and lists without a
	// project filter also return their memories.
	Also []string
}

// LocalScope returns the scope of a user who owns the store: everything in the default
// namespace, with a current project.
func LocalScope(project string) Scope { return Scope{Rights: AllRights, Project: project} }

// Allows reports whether the scope has all of these rights.
func (s *Scope) Allows(r Rights) bool { return s.Rights&r == r }

// Contains reports whether memories of a namespace and a project are in the scope.
func (s *Scope) Contains(namespace, project string) bool {
	return namespace == s.Namespace && (s.Projects == nil || slices.Contains(s.Projects, project))
}

// Current returns the projects of the current project, by all of its names, and none: "".
func (s *Scope) Current() []string {
	if s.Project == "" {
		return []string{""}
	}
	return append(append([]string{s.Project}, s.Also...), "")
}

// Names returns the names of a project: all of those that the scope knows, if it is the current one.
func (s *Scope) Names(project string) []string {
	if current := s.Current(); project != "" && slices.Contains(current, project) {
		return current[:len(current)-1]
	}
	return []string{project}
}

// Narrow returns a filter with the default projects of the scope filled in.
func (s *Scope) Narrow(f Filter) Filter {
	switch {
	case f.Projects == nil && s.Project != "":
		f.Projects = s.Current()
	case slices.Contains(f.Projects, AllProjects):
		f.Projects = nil
	}
	return f
}

// Sees reports whether a memory is in the scope.
func (s *Scope) Sees(m *Memory) bool { return s.Contains(m.Namespace, m.Project) }
