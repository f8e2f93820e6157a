package arch_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// checkImports returns every import that breaks the tables of rules_test.go.
func checkImports(ps []pkg) []string {
	var bad []string
	for _, p := range ps {
		if level, _ := layerOf(p.dir); level < 0 {
			bad = append(bad, p.dir+": has no layer; give it one in internal/arch/rules_test.go")
			continue
		}
		seen, ours := map[string]bool{}, map[string]bool{}
		for _, f := range p.files {
			for _, imp := range f.imports {
				if seen[imp] {
					continue
				}
				seen[imp] = true
				if within(imp, module+"/internal/engine") {
					ours[module+"/internal/engine"] = true
				} else if within(imp, module) {
					ours[imp] = true
				}
				if why := refuse(p.dir, imp); why != "" {
					bad = append(bad, fmt.Sprintf("%s/%s imports %s: %s", p.dir, f.name, imp, why))
				}
			}
		}
		if most, ok := widths()[p.dir]; ok && len(ours) > most {
			bad = append(bad, fmt.Sprintf("%s: imports %d packages of this module, at most %d; let one of them do what needs the others", p.dir, len(ours), most))
		}
	}
	return bad
}

// refuse says why the package in dir may not import imp; empty if it may.
func refuse(dir, imp string) string {
	if imp == "C" {
		return "cgo is not used"
	}
	for mod, trees := range heavy() {
		if within(imp, mod) && !slices.ContainsFunc(strings.Fields(trees), func(tree string) bool { return within(dir, tree) }) {
			return "only " + trees + " may"
		}
	}
	to, ours := strings.CutPrefix(imp+"/", module+"/")
	if !ours {
		if (dir == "." || dir == "api") && strings.Contains(strings.Split(imp, "/")[0], ".") {
			return "the domain and api use only the standard library"
		}
		return ""
	}
	if to = strings.TrimSuffix(to, "/"); to == "" {
		to = "."
	}
	if who, ok := private()[to]; ok && !slices.Contains(strings.Fields(who), dir) {
		return "only " + cmp.Or(who, "a test") + " may"
	}
	for _, tree := range refused()[to] {
		if within(dir, tree) {
			return tree + " may not"
		}
	}
	if hides := func(tree string) bool { return within(to, tree) }; within(dir, "internal/doors") && slices.ContainsFunc(behind(), hides) && shown()[to] != dir {
		return "no front end may: a verb answers what it shows"
	}
	from, tree := layerOf(dir)
	level, target := layerOf(to)
	if level > from || level == from && tree != target {
		return fmt.Sprintf("layer %d may not know layer %d", from, level)
	}
	return ""
}

// within reports whether path is tree or below it. A major version suffix of a
// module counts as below.
func within(path, tree string) bool {
	return path == tree || strings.HasPrefix(path, tree+"/")
}

// layerOf returns the level of the package in dir, and the longest tree of the
// table that it belongs to; -1 if there is none.
func layerOf(dir string) (level int, tree string) {
	level = -1
	for i, l := range layers() {
		for _, t := range l {
			if (dir == t || t != "." && within(dir, t)) && len(t) > len(tree) {
				level, tree = i, t
			}
		}
	}
	return level, tree
}

// checkForm returns every package without a comment, every file and function
// that is too long, and every place outside cmd, tools and lab that ends the process.
func checkForm(ps []pkg) []string {
	var bad []string
	for _, p := range ps {
		if !p.doc {
			bad = append(bad, p.dir+": no package comment")
		}
		for _, f := range p.files {
			where := p.dir + "/" + f.name
			if f.exits && !within(p.dir, "cmd") && !within(p.dir, "tools") && !within(p.dir, "lab") {
				bad = append(bad, where+": ends the process; only main may, return an error")
			}
			if f.days && p.dir != "internal/retrieval/lang/when" {
				bad = append(bad, where+": shows a time in whatever zone it has; use Date, Day or Clock of internal/retrieval/lang/when, or a layout with an offset")
			}
			if !f.byHand {
				continue
			}
			if f.lines > maxFileLines {
				bad = append(bad, fmt.Sprintf("%s: %d lines, at most %d", where, f.lines, maxFileLines))
			}
			for _, fn := range f.funcs {
				if fn.lines > maxFuncLines {
					bad = append(bad, fmt.Sprintf("%s: func %s has %d lines, at most %d", where, fn.name, fn.lines, maxFuncLines))
				}
			}
		}
	}
	return bad
}

// checkDocs returns what is wrong with README.md, and the direct dependencies
// of go.mod that docs/dependencies.md does not name.
func checkDocs(fsys fs.FS) ([]string, error) {
	texts := map[string]string{}
	for _, name := range []string{"README.md", "go.mod", "docs/dependencies.md"} {
		b, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		texts[name] = string(b)
	}
	var bad []string
	if n := strings.Count(texts["README.md"], "\n"); n > maxReadmeLines {
		bad = append(bad, fmt.Sprintf("README.md: %d lines, at most %d", n, maxReadmeLines))
	}
	for _, mod := range direct(texts["go.mod"]) {
		if !strings.Contains(texts["docs/dependencies.md"], "`"+mod+"`") {
			bad = append(bad, "docs/dependencies.md: does not explain "+mod)
		}
	}
	return bad, nil
}

// direct returns the modules that a go.mod requires directly, sorted.
func direct(gomod string) []string {
	mods := map[string]bool{}
	for line := range strings.Lines(gomod) {
		fields := strings.Fields(strings.TrimPrefix(line, "require "))
		if len(fields) == 2 && strings.HasPrefix(fields[1], "v") && strings.Contains(fields[0], ".") {
			mods[fields[0]] = true
		}
	}
	return slices.Sorted(maps.Keys(mods))
}
