package config

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
)

// Exclusions are the folders and projects in which capture, injection or both are turned off.
type Exclusions []exclusion

// exclusion is one of them.
type exclusion struct {
	text               string // as the user wrote it
	capture, injection bool   // what it turns off
	folder             bool   // it names a folder with all below it, else a project
	patterns           []string
}

// everywhere is the pattern of every folder.
const everywhere = "*"

// ParseExclusions reads the settings exclude and capture. exclude is a list with commas or line breaks: a folder, which
// begins with "/", "~", a variable or a drive, or the name of a project. "*" stands for any part of a name, and alone for
// everything. "capture:" or "injection:" before an element turns only that off.
func ParseExclusions(exclude, capture string) (Exclusions, error) {
	var out Exclusions
	switch on, err := onOff("capture", capture); {
	case err != nil:
		return nil, err
	case !on:
		out = append(out, exclusion{text: "capture = off", capture: true, patterns: []string{everywhere}})
	}
	for _, text := range strings.FieldsFunc(exclude, func(r rune) bool { return r == ',' || r == '\n' }) {
		x, err := parseExclusion(strings.TrimSpace(text))
		switch {
		case err != nil:
			return nil, err
		case x.text != "":
			out = append(out, x)
		}
	}
	return out, nil
}

// parseExclusion reads one element; empty for an empty one.
func parseExclusion(text string) (exclusion, error) {
	x := exclusion{text: text, capture: true, injection: true}
	pattern := text
	if rest, ok := strings.CutPrefix(text, "capture:"); ok {
		x.injection, pattern = false, strings.TrimSpace(rest)
	} else if rest, ok := strings.CutPrefix(text, "injection:"); ok {
		x.capture, pattern = false, strings.TrimSpace(rest)
	}
	if x.folder = filepath.IsAbs(pattern) || pattern != "" && strings.ContainsRune("/~$%", rune(pattern[0])); x.folder {
		full, err := Expand("exclude", pattern)
		if err != nil {
			return x, err
		}
		pattern = full
		if real, err := filepath.EvalSymlinks(full); err == nil && real != full {
			x.patterns = []string{folded(filepath.ToSlash(real))}
		}
	}
	pattern = filepath.ToSlash(pattern)
	_, err := path.Match(pattern, "")
	switch {
	case text == "":
	case pattern == "" || err != nil || strings.Contains(pattern, "**") || strings.HasPrefix(pattern, "."):
		return x, hippo.Fieldf("exclude", `must be folders such as ~/private or /srv/*/secret and names of projects, with commas between them, each perhaps with capture: or injection: before it; got %q`, text)
	case x.folder:
		x.patterns = append(x.patterns, folded(pattern))
	default:
		x.patterns = append(x.patterns, strings.ToLower(pattern))
	}
	return x, nil
}

// folded returns the path of a folder in the letters by which the file systems of this system compare it.
func folded(name string) string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.ToLower(name)
	}
	return name
}

// Of returns what turns off capture and injection in a folder, as the user wrote it; empty for nothing. An empty folder is the
// current one. The names of its project are asked for only if a project is excluded; if they are unknown, it may be that one.
func (x Exclusions) Of(dir string, project func() []string) (capture, injection string) {
	var dirs, names []string
	for _, e := range x {
		if dirs == nil {
			dirs = formsOf(dir)
		}
		hit := slices.Contains(e.patterns, everywhere)
		switch {
		case hit:
		case e.folder:
			hit = slices.ContainsFunc(dirs, e.holds)
		default:
			if names == nil {
				names = append([]string{""}, project()...)
			}
			hit = slices.ContainsFunc(names, e.names)
		}
		if hit && e.capture && capture == "" {
			capture = e.text
		}
		if hit && e.injection && injection == "" {
			injection = e.text
		}
	}
	return capture, injection
}

// formsOf returns a folder in full, and where symbolic links lead from it.
func formsOf(dir string) []string {
	full, err := filepath.Abs(dir)
	if err != nil {
		full, _ = os.Getwd()
	}
	forms := []string{folded(filepath.ToSlash(full))}
	if real, err := filepath.EvalSymlinks(full); err == nil && real != full {
		forms = append(forms, folded(filepath.ToSlash(real)))
	}
	return forms
}

// holds reports whether a folder is the excluded one, or below it.
func (e *exclusion) holds(dir string) bool {
	for {
		for _, p := range e.patterns {
			if ok, _ := path.Match(p, dir); ok || p == dir {
				return true
			}
		}
		up := path.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// names reports whether it names a project: its whole name, that without the first commit, or the end of that.
func (e *exclusion) names(project string) bool {
	if project == hippo.Unassigned {
		return true
	}
	whole := strings.ToLower(project)
	plain, _, _ := strings.Cut(whole, "#")
	for _, p := range e.patterns {
		for _, name := range []string{whole, plain} {
			if ok, _ := path.Match(p, name); name != "" && ok || name == p {
				return true
			}
			for rest := name; ; {
				_, after, more := strings.Cut(rest, "/")
				if !more {
					break
				}
				if ok, _ := path.Match(p, after); ok {
					return true
				}
				rest = after
			}
		}
	}
	return false
}
