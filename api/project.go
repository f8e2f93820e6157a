package api

// Project is a project that the caller may use.
type Project struct {
	// Name is the name to use; empty for the memories that belong to no project. Also are its other names.
	Name string
	Also []string
	// Memories is the number of its memories that can be found.
	Memories int
	// Current: it is the current project of the caller.
	Current bool
}

// MergeProjects asks to move all memories of a project to another one, which has the names of both from then on. It is one
// operation. The answer is a [ProjectMoved]. An unknown project is [hippo.ErrNotFound], one and itself [hippo.ErrInvalid].
type MergeProjects struct {
	// From is the project whose memories move to Into.
	From, Into string
	// Rename: Into is a new name.
	Rename bool
}

// ProjectMoved is the effect of merging or renaming a project.
type ProjectMoved struct {
	// Name is the name of the project now, From the one that its memories had.
	Name, From string
	// Memories is the number of those that moved.
	Memories int
}
