package cited_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/agents/cited"
)

func TestPaths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want string
	}{
		{"The pool waits in internal/pool/pool.go.", "internal/pool/pool.go"},
		{"see ./client/pool.go:12:5, (`docs/a b`) and `docs/read.md#L3`; client/pool.go again", "client/pool.go docs/read.md"},
		{"| src/app/main.ts | 'web/index.html' |", "src/app/main.ts web/index.html"},
		{"缓存在client/pool.go中，不在docs/cache.md。", "client/pool.go docs/cache.md"},
		{"client/pool.go::Wait blocks", "client/pool.go"},
		{".github/workflows/ci.yml runs it", ".github/workflows/ci.yml"},
		{"Use and/or, read/write, client/server, either/or. N/A, 24/7, I/O", ""},
		{"https://example.com/docs/read.md and //cdn/x.js and http://localhost/docs/a.md", ""},
		{"mailto:x/y.md, git@example.com:docs/read.md, HEAD:client/pool.go", ""},
		{"/etc/app/config.yaml, ~/notes/a.md, ../other/x.go, $HOME/docs/a.md, C:\\docs\\a.md", ""},
		{"client/*.go, client/{a,b}.go, client/<name>.go, docs/…/a.md, docs/.../a.md", ""},
		{"pool.go and main.go: no folder", ""},
		{"client/pool.Get, client/v1.2, origin/main, docs/fix-typos, docs/, docs/.md", ""},
		{"client/a.go/client/b.go, src/app/[id]/page.tsx, données/plan.md", "données/plan.md"},
		{"node:fs/promises, @scope/pkg/index.js, a=docs/x.md", ""},
		{"", ""},
	} {
		if got := strings.Join(cited.Paths(c.text), " "); got != c.want {
			t.Errorf("Paths(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestPathsAreFew(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "docs/%d.md ", i)
	}
	if got := cited.Paths(b.String()); len(got) != 8 {
		t.Errorf("%d paths, want 8", len(got))
	}
	if got := cited.Paths(strings.Repeat("word ", 2000) + "docs/a.md"); got != nil {
		t.Errorf("%q behind the part that is read", got)
	}
	if got := cited.Paths(strings.Repeat("w", 8<<10-len(" docs/a.m")) + " docs/a.md"); got != nil {
		t.Errorf("%q is cut", got)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "client/pool.go")
	c := cited.NewCheck(cited.Trees{"p": root})
	for _, x := range []struct {
		project, text string
		want          []string
	}{
		{"p", "client/pool.go waits", nil},
		{"p", "client/old.go waits, and client/deep/er.go", []string{"client/old.go", "client/deep/er.go"}},
		{"p", "lib/old.go was never here", nil},
		{"p", "client/pool.go/x and and/or client/server", nil},
		{"q", "client/old.go of another project", nil},
		{"", "client/old.go of none", nil},
	} {
		if got := c.Missing(&hippo.Memory{Project: x.project, Content: x.text}); !slices.Equal(got, x.want) {
			t.Errorf("%s %q: %q, want %q", x.project, x.text, got, x.want)
		}
	}
	if got := cited.NewCheck(nil).Missing(&hippo.Memory{Project: "p", Content: "client/old.go"}); got != nil {
		t.Errorf("without a tree: %q", got)
	}
}

// A page looks at most 20 times, and what it did not look at is not missing.
func TestCheckIsBounded(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "docs/a.md")
	c := cited.NewCheck(cited.Trees{"p": root})
	n := 0
	for i := range 100 {
		n += len(c.Missing(&hippo.Memory{Project: "p", Content: fmt.Sprintf("docs/%d.md", i)}))
	}
	if n != 19 { // and one look at docs
		t.Errorf("%d missing, want 19", n)
	}
	if got := c.Missing(&hippo.Memory{Project: "p", Content: "docs/0.md"}); len(got) != 1 {
		t.Errorf("a path that was looked at: %q", got)
	}
}

func TestNote(t *testing.T) {
	t.Parallel()
	for want, missing := range map[string][]string{
		"":                                  nil,
		"a/b.go is not in the working tree": {"a/b.go"},
		"a/b.go, c/d.go are not in the working tree":     {"a/b.go", "c/d.go"},
		"1, 2, 3 and others are not in the working tree": {"1", "2", "3", "4"},
	} {
		if got := cited.Note(missing); got != want {
			t.Errorf("Note(%q) = %q, want %q", missing, got, want)
		}
	}
}

func write(t *testing.T, root, name string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}
