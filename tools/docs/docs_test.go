package main

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

const root = "../.."

// documents returns the text of every Markdown document of the project by its path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (d.Name() == "testdata" || d.Name() == "bin" || d.Name()[0] == '.') {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			text, err := os.ReadFile(path)
			out[path] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestLinksResolve finds links in documents whose file or heading is missing.
func TestLinksResolve(t *testing.T) {
	t.Parallel()
	all := documents(t)
	if len(all) < 15 {
		t.Fatalf("%d documents", len(all))
	}
	for page, text := range all {
		for _, target := range links(text) {
			name, heading, _ := strings.Cut(target, "#")
			file := page
			if name != "" {
				file = filepath.Join(filepath.Dir(page), name)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: link to %s: no such file", page, target)
			} else if heading != "" && filepath.Ext(file) == ".md" && !slices.Contains(anchors(all[file]), heading) {
				t.Errorf("%s: link to %s: no such heading", page, target)
			}
		}
	}
}

// links returns the targets of the links and pictures of a document, those into the Web
// and those in code apart.
func links(text string) []string {
	code := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	var out []string
	for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, "x"), -1) {
		if !strings.Contains(m[1], "://") {
			out = append(out, m[1])
		}
	}
	return out
}

// anchors returns the names of the headings of a document, as GitHub makes them, and those that it gives to paragraphs.
func anchors(text string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`<a id="([^"]+)"></a>`).FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	for line := range strings.Lines(text) {
		title := strings.TrimLeft(line, "#")
		if title == line {
			continue
		}
		out = append(out, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title)))
	}
	return out
}

func TestLinksAndAnchors(t *testing.T) {
	t.Parallel()
	text := "# A title, 1\n[x](a.md#b) `[no](code.md)` ![p](p.svg) [w](https://a.b/c)\n**A paragraph.** <a id=\"a-paragraph\"></a>It.\n```\n[no](block.md)\n```\n"
	if got, want := links(text), []string{"a.md#b", "p.svg"}; !slices.Equal(got, want) {
		t.Errorf("links %q, want %q", got, want)
	}
	if got, want := anchors(text), []string{"a-paragraph", "a-title-1"}; !slices.Equal(got, want) {
		t.Errorf("anchors %q, want %q", got, want)
	}
}

// sources returns the texts of the Go files of the product below a folder, tests aside.
func sources(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasSuffix(d.Name(), "test") { // only tests import these; docs/testing.md has their variables
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		b.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestReferenceIsComplete finds environment variables and keys of JSON that the product has
// and docs/reference.md does not explain.
func TestReferenceIsComplete(t *testing.T) {
	t.Parallel()
	reference := documents(t)[filepath.Join(root, "docs", "reference.md")]
	for _, c := range []struct{ what, dir, pattern string }{
		{"environment variable", "internal", `"((?:HIPPO|HF|XDG)_[A-Z_]+)"`},
		{"JSON key", "internal/doors/wire", "json:\"([a-z_0-9]+)[,\"]"},
	} {
		names := regexp.MustCompile(c.pattern).FindAllStringSubmatch(sources(t, c.dir), -1)
		if len(names) < 5 {
			t.Errorf("%d names of the kind %s", len(names), c.what)
		}
		for _, m := range names {
			if !strings.Contains(reference, "`"+m[1]+"`") && !strings.Contains(reference, `"`+m[1]+`"`) {
				t.Errorf("docs/reference.md lacks the %s %s", c.what, m[1])
			}
		}
	}
}

// TestArchitectureIsComplete finds folders of internal/, and packages in them, that
// docs/architecture.md does not place.
func TestArchitectureIsComplete(t *testing.T) {
	t.Parallel()
	text := documents(t)[filepath.Join(root, "docs", "architecture.md")]
	for _, pattern := range []string{"*", "*/*"} {
		paths, err := filepath.Glob(filepath.Join(root, "internal", filepath.FromSlash(pattern), "*.go"))
		if err != nil || len(paths) < 10 {
			t.Fatal(paths, err)
		}
		for i, p := range paths {
			paths[i] = filepath.ToSlash(filepath.Dir(p))
		}
		for _, dir := range slices.Compact(paths) {
			name := strings.TrimPrefix(dir, path.Join(root, "internal")+"/")
			if !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, "`"+path.Base(name)+"`") {
				t.Errorf("docs/architecture.md lacks package %s", name)
			}
		}
	}
}

// TestReadmeCommandsWork runs the commands of the program in README.md and docs/backup.md, in
// their order, in a home of their own. ID stands for the memory that was recorded last.
func TestReadmeCommandsWork(t *testing.T) { //nolint:paralleltest // it changes the environment and the directory
	block := regexp.MustCompile("(?s)```sh\n(.*?)```")
	var lines []string
	all := documents(t)
	for _, name := range []string{"README.md", "docs/backup.md"} {
		for _, b := range block.FindAllStringSubmatch(all[filepath.Join(root, name)], -1) {
			for line := range strings.Lines(b[1]) {
				command, _, _ := strings.Cut(line, " #")
				command = strings.Replace(command, "go run ./cmd/hippo ", "hippo ", 1)
				if strings.HasPrefix(command, "hippo ") && !strings.HasPrefix(command, "hippo model ") {
					lines = append(lines, command)
				}
			}
		}
	}
	if len(lines) < 10 {
		t.Fatalf("commands %q", lines)
	}
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TZ"} {
		t.Setenv(name, home) // restored at the end, after settle has changed them
	}
	t.Chdir(home)
	if err := settle(home); err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		args := fields(line)[1:]
		if i := slices.Index(args, "ID"); i >= 0 {
			args[i] = newest(t)
		}
		if out, exit := run(t.Context(), args...); exit != 0 {
			t.Errorf("%s: exit code %d: %s", strings.TrimSpace(line), exit, out)
		}
	}
}

// TestReadmeTests: the tests that README.md names are those of make test, and so of make check and of CI. They are not
// run here, as this is one of them.
func TestReadmeTests(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"README.md": {"\ngo test ./... "},
		"Makefile":  {"\nPKG      ?= ./...\n", "\nCHECKS   := race test ", "\n\tgo test -vet=off $(PKG)\n"},
		".ci/run":   {"\nmake check\n"},
	} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s lacks %q", name, w)
			}
		}
	}
}

// fields splits a command at blanks outside of double quotes.
func fields(line string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`"([^"]*)"|(\S+)`).FindAllStringSubmatch(line, -1) {
		out = append(out, m[1]+m[2])
	}
	return out
}

// newest returns the ID of the memory that was recorded last.
func newest(t *testing.T) string {
	t.Helper()
	out, exit := run(context.WithoutCancel(t.Context()), "list", "--count", "1", "--json")
	var list []struct{ UUID string }
	if err := json.Unmarshal([]byte(out), &list); err != nil || exit != 0 || len(list) != 1 {
		t.Fatalf("list: exit code %d, %v: %s", exit, err, out)
	}
	return list[0].UUID
}

// TestReadCommands: the second line of a purpose is no command, however short the names are.
func TestReadCommands(t *testing.T) {
	t.Parallel()
	got := readCommands("  code  Index source trees and ask about them: a\n        map in a number of tokens\n  unrelated  Other\n")
	want := [][2]string{{"code", "Index source trees and ask about them: a map in a number of tokens"}, {"unrelated", "Other"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
