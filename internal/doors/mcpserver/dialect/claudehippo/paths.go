package claudehippo

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo"
)

// root is the directory of all files.
const root = "/memories"

// encoded matches what would be a way out of the directory where it is decoded.
var encoded = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // compiled when it is first used
	return regexp.MustCompile(`(?i)%(2e|2f|5c|00)`)
})

// pathOf returns a path of an argument in its one form. A path that could lead out of the directory is refused. The files are
// memories, so that none leads to a file of the system.
func pathOf(name, given string) (string, error) {
	path := strings.TrimSuffix(given, "/")
	if path != root && !strings.HasPrefix(path, root+"/") {
		return "", hippo.Fieldf(name, "must be %s or begin with %s/, got %.80q", root, root, given)
	}
	if len(path) > hippo.MaxSituation {
		return "", hippo.Fieldf(name, "must be at most %d bytes, got %d", hippo.MaxSituation, len(path))
	}
	for part := range strings.SplitSeq(path[1:], "/") {
		if part == "" || part == "." || part == ".." || part != strings.TrimSpace(part) {
			return "", hippo.Fieldf(name, "must have no empty part, no part . or .. and no space around one, got %.80q", given)
		}
	}
	if strings.Contains(path, `\`) || encoded().MatchString(path) {
		return "", hippo.Fieldf(name, "must have no backslash and no encoded dot or slash, got %.80q", given)
	}
	if err := hippo.ValidSituation(name, []string{path}); err != nil {
		return "", hippo.Fieldf(name, "must be text without control characters, got %.80q", given)
	}
	return path, nil
}

// isBelow reports whether a path is in a directory.
func isBelow(path, dir string) bool { return strings.HasPrefix(path, dir+"/") }

// directory are the files that a command is about.
type directory []*file

// at returns the file of a path; nil if there is none.
func (f directory) at(path string) *file {
	if i := slices.IndexFunc(f, func(x *file) bool { return x.path == path }); i >= 0 {
		return f[i]
	}
	return nil
}

// isDirectory reports whether files lie below a path. The root is always there.
func (f directory) isDirectory(path string) bool {
	return path == root || slices.ContainsFunc(f, func(x *file) bool { return isBelow(x.path, path) })
}

func (f directory) has(path string) bool { return f.at(path) != nil || f.isDirectory(path) }

// below returns the memories of a file, or of all files in a directory.
func (f directory) below(path string) (ids []hippo.ID) {
	for _, x := range f {
		if x.path == path || isBelow(x.path, path) {
			ids = append(append(ids, x.ID), idsOf(x.hidden)...)
		}
	}
	return ids
}

// parents refuses a path below a file.
func (f directory) parents(path string) error {
	for _, x := range f {
		if isBelow(path, x.path) {
			return refusef("Error: The path %s is a file, not a directory", x.path)
		}
	}
	return nil
}

// levels is how deep a view of a directory goes.
const levels = 2

// view lists a directory with sizes; hidden files and those in hidden directories are left out.
func (f directory) view(dir string) string {
	sizes := map[string]int{dir: 0}
	for _, x := range f {
		if !isBelow(x.path, dir) {
			continue
		}
		sizes[dir] += len(x.text)
		at := len(dir) + 1
		for i, part := range strings.Split(x.path[at:], "/") {
			if i == levels || strings.HasPrefix(part, ".") || part == "node_modules" {
				break
			}
			at += len(part) + 1
			sizes[x.path[:at-1]] += len(x.text)
		}
	}
	paths := make([]string, 0, len(sizes))
	for path := range sizes {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	var b strings.Builder
	fmt.Fprintf(&b, "Here're the files and directories up to 2 levels deep in %s, excluding hidden items and node_modules:", dir)
	for _, path := range paths {
		fmt.Fprintf(&b, "\n%s\t%s", sizeOf(sizes[path]), path)
	}
	return b.String()
}

// sizeOf writes a number of bytes for people.
func sizeOf(n int) string {
	const kilo = 1024
	switch {
	case n < kilo:
		return fmt.Sprintf("%dB", n)
	case n < kilo*kilo:
		return fmt.Sprintf("%.1fK", float64(n)/kilo)
	default:
		return fmt.Sprintf("%.1fM", float64(n)/kilo/kilo)
	}
}
