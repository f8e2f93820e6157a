// Package cited finds the files that a memory names, and which of them a working tree does not have.
package cited

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/hippo-memory/hippo"
)

const (
	// maxText is how many bytes of a text are read, maxPaths how many paths of it count.
	maxText, maxPaths = 8 << 10, 8
	// maxLooks is how often a [Check] looks into the file system.
	maxLooks = 20
)

// extensions are those of files that people keep in a repository. A word with another one, as in client/pool.Get, is no path.
const extensions = " adoc astro bash bat bzl c cc cfg cjs clj cmake conf cpp cs css csv cue cxx dart diff el ex exs fs go gradle graphql h hcl hh hpp hs htm html hxx " +
	"ini ipynb java jinja jl js json jsonc json5 jsx kt kts less lock lua m md mdx mjs mk ml mm mod mts nim nix org php pl plist pm proto ps1 py pyi r rb rs rst " +
	"sass sbt scala scss sh sol sql sum svelte svg swift tcl tex tf tfvars toml tmpl ts tsx tpl txt vue xml yaml yml zig zsh "

// Paths returns the paths of files that a text names as one would from the root of a repository: with a folder, with slashes, and with
// a known extension. Each is returned once, in the order of the text. URLs, absolute paths, patterns and names of code are none.
func Paths(text string) (out []string) {
	if len(text) > maxText {
		text = text[:maxText]
		text = text[:max(0, strings.LastIndexAny(text, " \n"))] // what follows may be a part of a path
	}
	for word := range strings.FieldsFuncSeq(text, separates) {
		if p, ok := pathOf(word); ok && !slices.Contains(out, p) {
			out = append(out, p)
		}
		if len(out) == maxPaths {
			break
		}
	}
	return out
}

// separates reports whether a character ends a path. The scripts that put no space between words do.
func separates(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"'`()[],;|“”‘’«»„→、。，；：（）「」『』【】《》", r) ||
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// pathOf returns the path of a word without the place behind it: client/pool.go of ./client/pool.go:12.
func pathOf(word string) (string, bool) {
	if strings.Contains(word, "//") || strings.ContainsAny(word, `\*?{}<>$%~@=…`) {
		return "", false
	}
	if i := strings.IndexAny(word, ":#"); i >= 0 {
		word = word[:i]
	}
	p := strings.TrimPrefix(strings.TrimRight(word, ".!"), "./")
	folder, file := path.Split(p)
	if folder == "" || path.IsAbs(p) || path.Clean(p) != p || !filepath.IsLocal(filepath.FromSlash(p)) || !isFile(file) {
		return "", false
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(folder, "/"), "/") {
		if isFile(part) || strings.Trim(part, ".") == "" { // two files, or something left out
			return "", false
		}
	}
	return p, true
}

// isFile reports whether a name ends like that of a file.
func isFile(name string) bool {
	i := strings.LastIndexByte(name, '.')
	return i > 0 && strings.Contains(extensions, " "+name[i+1:]+" ") && name[i+1:] != ""
}

// Trees are the roots of the working trees that are at hand, by the names of their projects.
type Trees map[string]string

// Add adds a tree of a project by all of its names, unless the project has one. The tree and the names may be empty.
func (t Trees) Add(root string, names ...string) {
	for _, n := range names {
		if n != "" && root != "" && t[n] == "" {
			t[n] = root
		}
	}
}

// Exists reports whether there is a folder.
func Exists(root string) bool {
	info, err := os.Stat(root)
	return root != "" && err == nil && info.IsDir()
}

// In returns what reports whether a tree has a file or a folder; it looks once for each path.
func In(root string) func(string) bool {
	there := make(map[string]bool)
	return func(p string) bool {
		has, known := there[p]
		if !known && filepath.IsLocal(filepath.FromSlash(p)) {
			_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(p)))
			has = err == nil
			there[p] = has
		}
		return has
	}
}

// Check compares the memories of a page with trees. The nil check finds nothing.
type Check struct {
	trees Trees
	looks int
	there map[string]bool
}

// NewCheck returns a check for one page, which looks at most 20 times into the file system.
func NewCheck(t Trees) *Check {
	if len(t) == 0 {
		return nil
	}
	return &Check{trees: t, there: make(map[string]bool)}
}

// Missing returns the paths that a memory names and the tree of its project does not have. A path whose first folder the tree does not
// have counts as that of something else.
func (c *Check) Missing(m *hippo.Memory) (out []string) {
	if c == nil || m.Project == "" || c.trees[m.Project] == "" {
		return nil
	}
	root := c.trees[m.Project]
	for _, p := range Paths(m.Content) {
		first, _, _ := strings.Cut(p, "/")
		if !c.has(root, p) && c.has(root, first) {
			out = append(out, p)
		}
	}
	return out
}

// has reports whether a tree has a file or a folder, or whether that is not known.
func (c *Check) has(root, p string) bool {
	full := filepath.Join(root, filepath.FromSlash(p))
	there, known := c.there[full]
	if known || c.looks == maxLooks {
		return there || !known
	}
	c.looks++
	_, err := os.Lstat(full)
	there = !errors.Is(err, fs.ErrNotExist)
	c.there[full] = there
	return there
}

// maxNoted is how many paths a note names.
const maxNoted = 3

// Note says which paths are missing: "internal/pool/pool.go is not in the working tree"; empty without any.
func Note(missing []string) string {
	if len(missing) == 0 {
		return ""
	}
	verb := " is"
	if len(missing) > 1 {
		verb = " are"
	}
	names := strings.Join(missing[:min(len(missing), maxNoted)], ", ")
	if len(missing) > maxNoted {
		names += " and others"
	}
	return names + verb + " not in the working tree"
}
