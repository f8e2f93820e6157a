package project

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
)

// Name is what the name of a project says about its repository. The zero Name says nothing: a name that a person gave.
type Name struct {
	// Remote is the normalised URL of the remote, or its path on this machine; empty: the name has none.
	Remote string
	// Root are the first 8 hexadecimal digits of the first commit; empty: the name has none.
	Root string
}

const (
	// localPrefix is that of a repository without a remote, folderPrefix that of one of which only its place is known.
	localPrefix, folderPrefix = "local#", "folder#"
	// rootDigits is how many digits of the first commit follow a remote, longDigits how many stand alone.
	rootDigits, longDigits = 8, 12
)

// Parse reads the name of a project.
func Parse(name string) Name {
	remote, root, ok := strings.Cut(name, "#")
	if !ok {
		if host, _, deep := strings.Cut(name, "/"); !deep || !strings.Contains(host, ".") {
			return Name{}
		}
		return Name{Remote: name}
	}
	if len(root) < rootDigits || strings.Trim(root, "0123456789abcdef") != "" || strings.HasPrefix(name, folderPrefix) {
		return Name{}
	}
	if name == localPrefix+root {
		remote = ""
	}
	return Name{Remote: remote, Root: root[:rootDigits]}
}

// isPath reports whether a remote is a path on this machine.
func isPath(remote string) bool {
	return regexp.MustCompile(`^(/|\.|[A-Za-z]:[\\/]|\\\\)`).MatchString(remote)
}

// path returns the part of a remote that names the repository at its host: "owner/name".
func (n Name) path() string {
	_, path, _ := strings.Cut(n.Remote, "/")
	return path
}

// sameRemote reports whether two names have the same remote. Letters do not count: no host is known whose repositories differ
// by them alone.
func sameRemote(a, b Name) bool {
	if a.Remote == "" || !strings.EqualFold(a.Remote, b.Remote) {
		return false
	}
	return !isPath(a.Remote) || a.Root == b.Root || a.Root == "" || b.Root == "" // another machine has another repository there
}

// sameRoot reports whether two names have the same first commit.
func sameRoot(a, b Name) bool { return a.Root != "" && a.Root == b.Root }

// moved reports whether two names are those of one repository at two hosts: the same first commit and the same owner and
// name. An alias of a host in the settings of SSH is such a host.
func moved(a, b Name) bool {
	return sameRoot(a, b) && !isPath(a.Remote) && !isPath(b.Remote) && a.path() != "" && strings.EqualFold(a.path(), b.path())
}

// Akin reports whether two names that a folder has, or that two folders have which one works in, can be those of one project: whether nothing
// that they say of the repository differs but its remote, which may have been renamed.
func Akin(a, b string) bool {
	x, y := Parse(a), Parse(b)
	if a == b || sameRemote(x, y) {
		return true
	}
	return !strings.HasPrefix(a, folderPrefix) && !strings.HasPrefix(b, folderPrefix) && (x.Root == y.Root || x.Root == "" || y.Root == "")
}

// Resolve returns the names of the project that a folder belongs to, the one to use first. known are the projects that have
// memories; groups are names that are known to be one project, the one to use of each first. A fork, which has the first
// commit of another project and another remote, is a project of its own, unless the same folder had both names.
func Resolve(me Identity, known []string, groups [][]string) []string {
	if me.Name == "" || me.Name == hippo.Unassigned {
		return []string{me.Name}
	}
	r := resolver{known, groups}
	own := Parse(me.Name)
	names := r.group(me.Name)
	fresh := names == nil
	if fresh {
		names = []string{me.Name}
	}
	for _, f := range me.Former {
		names = r.join(names, f)
	}
	for _, k := range known {
		if n := Parse(k); sameRemote(own, n) || moved(own, n) {
			names = r.join(names, k)
		}
	}
	if len(names) == 1 {
		for _, k := range r.byRoot(own) {
			names = r.join(names, k)
		}
	}
	if fresh {
		return best(names, len(me.Former) > 0)
	}
	return names
}

// Named returns the names of the project that another program means by the name of a folder or a repository: that of here, which is
// the repository at hand with its names, or the one known project whose remote ends so. groups are the known projects with all of their
// names. Nil: nobody can say. That a project has just this name says nothing: it may be that of an earlier import.
func Named(name string, here Identity, groups [][]string) []string {
	own := append([]string{here.Name}, here.Former...)
	if here.Name != "" && here.Name != hippo.Unassigned && (strings.EqualFold(name, here.Folder) || slices.ContainsFunc(own, func(n string) bool { return endsIn(n, name) })) {
		return own
	}
	var found [][]string
	for _, g := range groups {
		switch {
		case slices.Contains(g, name) && (len(g) > 1 || Parse(name) != Name{}):
			return g
		case slices.ContainsFunc(g, func(n string) bool { return endsIn(n, name) }):
			found = append(found, g)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// IsRepository reports whether a name is one that [Identify] gives, and not one that somebody chose.
func IsRepository(name string) bool {
	return Parse(name) != Name{} || strings.HasPrefix(name, folderPrefix)
}

// endsIn reports whether the remote of a project ends in whole parts of a name, "name" or "owner/name".
func endsIn(project, name string) bool {
	remote := strings.ToLower(Parse(project).Remote)
	return name != "" && strings.HasSuffix(remote, "/"+strings.ToLower(name))
}

// Registry is the project of the entities that say which names are one project, and EntityKind their kind: the name is that to use, the
// aliases are the others. Nobody works there.
const (
	Registry   = "*projects"
	EntityKind = "project"
)

// Groups returns the names that are one project, of lists of which each says that of some: those that share a name are one group. The first
// list says which name to use.
func Groups(lists [][]string) [][]string {
	var out [][]string
	for _, names := range lists {
		i := slices.IndexFunc(out, func(g []string) bool {
			return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(g, n) })
		})
		if i < 0 {
			out = append(out, slices.Clone(names))
			continue
		}
		for _, n := range names {
			if !slices.Contains(out[i], n) {
				out[i] = append(out[i], n)
			}
		}
	}
	return out
}

// resolver knows which names there are, and which of them are one project.
type resolver struct {
	known  []string
	groups [][]string
}

// group returns a copy of the names of the project that a name belongs to; nil: it is in no group.
func (r *resolver) group(name string) []string {
	for _, g := range r.groups {
		if slices.ContainsFunc(g, func(n string) bool { return strings.EqualFold(n, name) }) {
			return slices.Clone(g)
		}
	}
	return nil
}

// join appends a name, with those of its group, unless they are there. One for which nothing is stored is left out.
func (r *resolver) join(names []string, name string) []string {
	g := r.group(name)
	if g == nil && slices.Contains(r.known, name) {
		g = []string{name}
	}
	for _, n := range g {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// byRoot returns the known projects that only the first commit identifies, where one of the two has no remote. It
// is none if that is ambiguous: if it fits several projects, or one that belongs to another by now.
func (r *resolver) byRoot(own Name) []string {
	var found []string
	for _, k := range r.known {
		n := Parse(k)
		switch {
		case !sameRoot(own, n):
		case own.Remote == "" || n.Remote == "" || isPath(own.Remote) != isPath(n.Remote):
			if own.Remote == "" || r.group(k) == nil {
				found = append(found, k)
			}
		case !sameRemote(own, n):
			return nil // a fork of this one
		}
	}
	if len(found) == 0 {
		return nil
	}
	one := r.join(nil, found[0])
	if slices.ContainsFunc(found, func(k string) bool { return !slices.Contains(one, k) }) {
		return nil
	}
	return found
}

// best puts the name to use first: the one that says most, and of those the newest, the first one, if the folder was renamed, else
// the one that has memories.
func best(names []string, renamed bool) []string {
	first := 0
	for i, n := range names {
		if w, most := weight(n), weight(names[first]); w > most || w == most && first == 0 && i > 0 && !renamed {
			first = i
		}
	}
	names[0], names[first] = names[first], names[0]
	return names
}

// weight says how much a name identifies: one that a person gave most, then a remote, then a commit, then a folder.
func weight(name string) int {
	n := Parse(name)
	w := 0
	switch {
	case n.Remote != "" && !isPath(n.Remote):
		w = 2
	case n == Name{} && !strings.HasPrefix(name, folderPrefix):
		return 4
	}
	if n.Root != "" {
		w++
	}
	return w
}
