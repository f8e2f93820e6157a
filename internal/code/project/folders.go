package project

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxFolders bounds how many entries are read to find the folders of projects.
const maxFolders = 1000

// Folders are the repositories that this machine remembers, by what people call them. They are read when they are first asked for. A
// value serves one call of a verb or of a command: it is not safe for concurrent use.
type Folders struct {
	cache Cache
	// named are the folders of repositories without a remote, trees the roots of working trees, by all names of their projects.
	named, trees map[string]string
}

// Folders returns what is remembered of the folders of this machine.
func (c Cache) Folders() *Folders { return &Folders{cache: c} }

// read reads what is remembered, once.
func (f *Folders) read() {
	if f.named != nil {
		return
	}
	f.named, f.trees = make(map[string]string), make(map[string]string)
	files, err := os.ReadDir(f.cache.Dir)
	if f.cache.Dir == "" || err != nil {
		return
	}
	for _, file := range files[:min(len(files), maxFolders)] {
		var e entry
		text, err := readTail(filepath.Join(f.cache.Dir, file.Name()), maxEntry)
		if err == nil && json.Unmarshal([]byte(text), &e) == nil {
			f.add(&e)
		}
	}
}

func (f *Folders) add(e *entry) {
	root, isTree := strings.CutSuffix(filepath.ToSlash(e.Common), "/.git")
	for _, n := range e.Names {
		if isTree {
			f.trees[n] = filepath.FromSlash(root)
		}
		if !isPlaced(n) {
			continue
		}
		folder := e.identity(Repository{Common: e.Common}).Folder
		if old, ok := f.named[n]; ok && old != folder {
			folder = "" // clones in folders of several names
		}
		f.named[n] = folder
	}
}

// isPlaced reports whether a name says nothing that people know: its repository has no remote, and is known to them by its folder.
func isPlaced(name string) bool {
	return strings.HasPrefix(name, localPrefix) || strings.HasPrefix(name, folderPrefix)
}

// Tree returns the root of a working tree of a project; empty: none is known. It may be gone.
func (f *Folders) Tree(name string) string {
	f.read()
	return f.trees[name]
}

// Title returns the name of a project for people: "shop (local#070cdb4b)" where only its folder has a name that they know.
func (f *Folders) Title(name string) string {
	if !isPlaced(name) {
		return name
	}
	f.read()
	folder := f.named[name]
	if folder == "" {
		return name
	}
	kind, root, _ := strings.Cut(name, "#")
	return folder + " (" + kind + "#" + root[:min(len(root), rootDigits)] + ")"
}

// Called returns what people call a project: its remote and the ends of that, its folder if it has no remote, or its name if somebody
// gave it one.
func (f *Folders) Called(name string) (out []string) {
	remote := Parse(name).Remote
	switch {
	case isPlaced(name):
		f.read()
		if folder := f.named[name]; folder != "" {
			out = append(out, folder)
		}
	case remote == "":
		out = append(out, name)
	default:
		if !isPath(remote) {
			out = append(out, remote, Parse(name).path())
		}
		out = append(out, strings.TrimSuffix(path.Base(filepath.ToSlash(remote)), ".git"))
	}
	return out
}

// Find returns the one project without a remote whose folder has a name, or that has a title of [Folders.Title]; empty: there is none, or
// there are several.
func (f *Folders) Find(folder string) (name string) {
	if folder == "" {
		return ""
	}
	f.read()
	for n, named := range f.named {
		switch {
		case !strings.EqualFold(named, folder) && !strings.EqualFold(f.Title(n), folder):
		case name != "":
			return ""
		default:
			name = n
		}
	}
	return name
}
