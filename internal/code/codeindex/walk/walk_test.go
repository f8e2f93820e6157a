package walk_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/code/codeindex/walk"
)

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func walkDir(t testing.TB, dir string) *walk.Tree {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close() //nolint:errcheck // a test
	tree, err := walk.Walk(context.Background(), root, dir)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func paths(tree *walk.Tree) (list []string) {
	for _, f := range tree.Files {
		list = append(list, f.Path)
	}
	return list
}

func reason(tree *walk.Tree, path string) walk.Reason {
	for _, s := range tree.Skips {
		if s.Path == path {
			return s.Reason
		}
	}
	return ""
}

func gitInit(t testing.TB, dir string) {
	t.Helper()
	if err := exec.CommandContext(t.Context(), "git").Err; err != nil {
		t.Skipf("the test needs a repository, and git cannot make one: %v", err)
	}
	if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("git: %v: %s", err, out)
	}
}

func gitConfig(t testing.TB, dir, excludes string) {
	t.Helper()
	if out, err := exec.Command("git", "-C", dir, "config", "core.excludesFile", excludes).CombinedOutput(); err != nil {
		t.Fatalf("git: %v: %s", err, out)
	}
}

// TestWalk_user obeys the ignore file that the user has for all repositories, in a repository only, and behind all others.
func TestWalk_user(t *testing.T) {
	home, dir, plain := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	write(t, home, map[string]string{".config/git/ignore": "*.log.go\n", "mine": "b.go\n", "xdg/git/ignore": "c.go\n"})
	files := map[string]string{"a.log.go": "x", "b.go": "x", "c.go": "x", "sub/a.log.go": "x", "sub/.gitignore": "!a.log.go\n"}
	write(t, dir, files)
	gitInit(t, dir)
	write(t, plain, files)
	write(t, plain, map[string]string{"clone/a.log.go": "x", "clone/d.go": "x", "clone/e.go": "x"})
	gitInit(t, filepath.Join(plain, "clone"))
	write(t, plain, map[string]string{"clone/.git/info/exclude": "/e.go\n"})
	want := func(dir string, want ...string) {
		t.Helper()
		if got := paths(walkDir(t, dir)); !slices.Equal(got, want) {
			t.Errorf("files %q, want %q", got, want)
		}
	}
	want(plain, "a.log.go", "b.go", "c.go", "clone/d.go", "sub/a.log.go")
	want(dir, "b.go", "c.go", "sub/a.log.go")
	gitConfig(t, dir, "~/mine")
	want(dir, "a.log.go", "c.go", "sub/a.log.go")
	want(filepath.Join(dir, "sub"), "a.log.go")
	gitConfig(t, dir, "")
	want(dir, "a.log.go", "b.go", "c.go", "sub/a.log.go")
	if out, err := exec.Command("git", "-C", dir, "config", "--unset", "core.excludesFile").CombinedOutput(); err != nil {
		t.Fatalf("git: %v: %s", err, out)
	}
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "xdg"))
	want(dir, "a.log.go", "b.go", "sub/a.log.go")
	t.Setenv("PATH", "")
	want(dir, "a.log.go", "b.go", "sub/a.log.go")
}

// TestWalk_as_git compares with git itself, on random ignore files at two levels. Patterns such as d**/a are left out:
// git cuts off what stands before the first wildcard and then takes ** for any folders, against its documentation.
func TestWalk_as_git(t *testing.T) {
	dir := t.TempDir()
	gitInit(t, dir)
	gitConfig(t, dir, ".git/excludes") // relative to the top
	names := []string{"a", "ab", "x.go", "!a", "a b"}
	leaves := make(map[string]string)
	for _, x := range names {
		for _, y := range names {
			for _, z := range names {
				leaves[strings.Join([]string{"d" + x, "d" + y, z}, "/")] = "text"
				leaves[strings.Join([]string{x + "d", y}, "/")] = "text"
			}
		}
		leaves["f"+x] = "text"
	}
	write(t, dir, leaves)
	atoms := []string{
		"a", "b", "ab", "da", "db", "*", "d*", "**", "?", "d?", "[ab]", "d[!a]", "*.go", "x.go", `\!a`, `\#b`, "a b", "[a-c]x", "d[[:alpha:]]", "[]a]", "[a", "fa", "*d", `a\`, "a**b", "[^b]d",
	}
	rapid.Check(t, func(t *rapid.T) {
		for _, at := range []string{".gitignore", "da/.gitignore", ".git/info/exclude", ".git/excludes"} {
			var text strings.Builder
			for range rapid.IntRange(0, 3).Draw(t, "lines") {
				parts := rapid.SliceOfN(rapid.SampledFrom(atoms), 1, 3).Draw(t, "parts")
				lead := rapid.SampledFrom([]string{"", "", "!", "/", "!/"}).Draw(t, "lead")
				end := rapid.SampledFrom([]string{"", "", "", "/", " ", `\ `, "\r"}).Draw(t, "end")
				text.WriteString(lead + strings.Join(parts, "/") + end + "\n")
			}
			if err := os.WriteFile(filepath.Join(dir, at), []byte(text.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var all []string
		for p := range leaves {
			all = append(all, p)
		}
		slices.Sort(all)
		cmd := exec.Command("git", "-C", dir, "check-ignore", "--no-index", "--stdin", "-z")
		cmd.Stdin = strings.NewReader(strings.Join(all, "\x00") + "\x00")
		out, err := cmd.Output()
		if err != nil && len(out) > 0 {
			t.Fatal(err)
		}
		ignored := make(map[string]bool)
		for p := range bytes.SplitSeq(out, []byte{0}) {
			ignored[string(p)] = true
		}
		var want []string
		for _, p := range all {
			if !ignored[p] {
				want = append(want, p)
			}
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close() //nolint:errcheck // a test
		tree, err := walk.Walk(context.Background(), root, dir)
		if err != nil {
			t.Fatal(err)
		}
		got := paths(tree)
		for _, p := range all {
			if slices.Contains(got, p) == ignored[p] {
				t.Fatalf("%q: indexed %v, git ignores %v", p, slices.Contains(got, p), ignored[p])
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d files, want %d", len(got), len(want))
		}
	})
}

func TestWalk_skips(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"main.go": "package main", "node_modules/x/index.js": "x", "vendor/v.go": "v", ".env": "x", ".github/ci.yml": "x", "app.min.js": "x", "go.sum": "x", "empty.go": "",
		"keep/vendor/own.go": "package own", "keep/.hippoignore": "!vendor/\nsecret.go\n", "keep/secret.go": "x", "sub/.gitignore": "*.txt\n!kept.txt\n", "sub/a.txt": "x", "sub/kept.txt": "x", "sub/b.log": "x",
		"large.txt": strings.Repeat("x", walk.MaxBytes+1), "picture.png": "x", "bad\xff.go": "x",
	})
	for name, to := range map[string]string{"loop": ".", "out": os.TempDir(), "file.go": "main.go"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "pipe.go"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close() //nolint:errcheck // of a test
	if err := os.Truncate(filepath.Join(dir, "large.txt"), 100<<20); err != nil {
		t.Fatal(err)
	}
	tree := walkDir(t, dir)
	if got, want := paths(tree), []string{"keep/vendor/own.go", "main.go", "sub/kept.txt"}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	for path, want := range map[string]walk.Reason{
		"node_modules": walk.Vendored, "vendor": walk.Vendored, ".env": walk.Hidden, ".github": walk.Hidden, "app.min.js": walk.Minified, "go.sum": walk.LockFile, "empty.go": walk.Empty,
		"keep/secret.go": walk.Ignored, "sub/a.txt": walk.Ignored, "sub/b.log": walk.Data, "large.txt": walk.TooLarge, "picture.png": walk.Binary, "loop": walk.Link, "out": walk.Link, "file.go": walk.Link, "pipe.go": walk.Special,
		"bad\uFFFD.go": walk.BadName,
	} {
		if got := reason(tree, path); got != want {
			t.Errorf("%s: skipped as %q, want %q", path, got, want)
		}
	}
}

// Folders with the names of outputs are left out where a tool makes them: git says so, or outside of git a manifest.
func TestWalk_output(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"go/build/a.go": "x", "internal/coverage/a.go": "x", "cmd/dist/a.go": "x", "env/a.go": "x", "app/package.json": "{}", "app/dist/a.js": "x", "app/src/build/a.js": "x", "py/env/pyvenv.cfg": "x", "py/env/a.py": "x",
		"crate/Cargo.toml": "x", "crate/target/a.rs": "x", "crate/.hippoignore": "!target/\n",
	}
	always := []string{"app/package.json", "app/src/build/a.js", "cmd/dist/a.go", "crate/Cargo.toml", "crate/target/a.rs", "env/a.go", "go/build/a.go", "internal/coverage/a.go"}
	outside, repository := t.TempDir(), t.TempDir()
	write(t, outside, files)
	if got := paths(walkDir(t, outside)); !slices.Equal(got, always) {
		t.Errorf("outside of git: files %q, want %q", got, always)
	}
	gitInit(t, repository)
	write(t, repository, files)
	want := slices.Insert(slices.Clone(always), 0, "app/dist/a.js")
	if got := paths(walkDir(t, repository)); !slices.Equal(got, want) {
		t.Errorf("in git: files %q, want %q", got, want)
	}
	write(t, repository, map[string]string{".gitignore": "dist\n"})
	want = slices.DeleteFunc(want, func(p string) bool { return strings.Contains(p, "dist/") })
	if tree := walkDir(t, repository); !slices.Equal(paths(tree), want) || reason(tree, "app/dist") != walk.Ignored {
		t.Errorf("ignored by git: files %q, want %q", paths(tree), want)
	}
}

// A root below the top of a repository obeys the ignore files above it, in a linked worktree too.
func TestWalk_below_the_repository(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gitInit(t, dir)
	write(t, dir, map[string]string{
		".gitignore": "/pkg/made.go\n*.tmp\n", ".git/info/exclude": "private\n", "pkg/made.go": "x", "pkg/own.go": "x", "pkg/a.tmp": "x", "pkg/private": "x", "pkg/in/made.go": "x",
	})
	if got, want := paths(walkDir(t, filepath.Join(dir, "pkg"))), []string{"in/made.go", "own.go"}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"a.go": "package a\n", "made.go": "// Code generated by a tool. DO NOT EDIT.\npackage a\n", "says.go": "package a\n\n// is says whether Code generated by a tool has DO NOT EDIT in it.\n",
		"binary.c": "ab\x00c", "latin.txt": "caf\xe9 and so on", "wide.txt": strings.Repeat("\xff\xfe", 50), "one.js": strings.Repeat("x=1;", 1000), "blank.md": " \n\n",
	})
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close() //nolint:errcheck // a test
	r := walk.NewReader(root)
	for path, want := range map[string]walk.Reason{
		"a.go": "", "made.go": walk.Generated, "says.go": "", "binary.c": walk.Binary, "latin.txt": "", "wide.txt": walk.Binary, "one.js": walk.Minified, "blank.md": walk.Empty,
	} {
		if _, got, err := r.Read(path); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", path, got, err, want)
		}
	}
	for _, path := range []string{"missing", "../" + filepath.Base(dir) + "/a.go", "."} {
		if _, _, err := r.Read(path); err == nil {
			t.Errorf("%s: want an error", path)
		}
	}
}

func TestWalk_canceled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 10 {
		write(t, dir, map[string]string{fmt.Sprintf("d%d/a.go", i): "x"})
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close() //nolint:errcheck // a test
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := walk.Walk(ctx, root, dir); err == nil {
		t.Error("want the error of the context")
	}
}
