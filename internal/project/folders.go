package project

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// maxFolders bounds how many entries are read to find the folders of projects.
const maxFolders = 1000

// Folders returns the names of the folders of the repositories without a remote that are remembered, by the names of their
// projects: people know these by their folder alone. Where clones of one project are in folders of several names, it has none.
func (c Cache) Folders() map[string]string {
	out := make(map[string]string)
	files, err := os.ReadDir(c.Dir)
	if c.Dir == "" || err != nil {
		return out
	}
	for _, f := range files[:min(len(files), maxFolders)] {
		var e entry
		text, err := readTail(filepath.Join(c.Dir, f.Name()), maxEntry)
		if err != nil || json.Unmarshal([]byte(text), &e) != nil || len(e.Names) == 0 {
			continue
		}
		folder := e.identity(Repository{Common: e.Common}).Folder
		for _, n := range e.Names {
			if !strings.HasPrefix(n, localPrefix) && !strings.HasPrefix(n, folderPrefix) {
				continue
			}
			if old, ok := out[n]; ok && old != folder {
				folder = ""
			}
			out[n] = folder
		}
	}
	return out
}

// Title returns the name of a project for people: "shop (local#070cdb4b)" where only its folder has a name that they know.
func Title(name string, folders map[string]string) string {
	folder := folders[name]
	if folder == "" {
		return name
	}
	kind, root, _ := strings.Cut(name, "#")
	return folder + " (" + kind + "#" + root[:min(len(root), rootDigits)] + ")"
}

// OfFolder returns the one project whose folder has a name; empty: there is none, or there are several.
func OfFolder(folder string, folders map[string]string) (name string) {
	for n, f := range folders {
		switch {
		case folder == "" || !strings.EqualFold(f, folder):
		case name != "":
			return ""
		default:
			name = n
		}
	}
	return name
}
