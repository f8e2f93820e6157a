package codeindex_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
)

// memoryOf returns a memory with a content, of no project.
func memoryOf(content string) *hippo.Memory {
	m := &hippo.Memory{ID: hippo.ID{1}, Content: content, ContentHash: hippo.HashContent(content)}
	return m
}

// links returns the links of a memory as text: what it writes, what that means, and the state.
func links(t *testing.T, l *codeindex.Library, m *hippo.Memory) (out []string) {
	t.Helper()
	scope := hippo.LocalScope("")
	found, err := l.Links(t.Context(), &scope, []*hippo.Memory{m})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range found[m.ID] {
		var of []string
		for i := range x.Of {
			of = append(of, fmt.Sprintf("%s:%d", x.Of[i].Path, x.Of[i].First))
		}
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s = %s %s", x.Text, strings.Join(of, ","), x.State)))
	}
	return out
}

func TestLibrary_Links(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, small())
	l := library(t, t.TempDir())
	tree := add(t, l, dir)
	update(t, tree)
	for content, want := range map[string][]string{
		"Pool.Wait must not be called twice, see pool/pool.go.":      {"Pool.Wait = pool/pool.go:9", "pool/pool.go = pool/pool.go:0"},
		"server.go and `helper` belong together, helper() is called": {"server.go = server/server.go:0", "helper = pool/pool.go:19"},
		"we start to wait for a new pool at the server":              nil, // plain words
		"pool.Pool and server::Server":                               {"pool.Pool = pool/pool.go:6", "server::Server = server/server.go:10"},
		"missing.go, Pool.Missing, e.g. this.":                       nil,
	} {
		if diff := cmp.Diff(want, links(t, l, memoryOf(content))); diff != "" {
			t.Errorf("%q: %s", content, diff)
		}
	}
	other := memoryOf("Pool.Wait")
	other.Project = "elsewhere"
	if got := links(t, l, other); got != nil {
		t.Errorf("a memory of another project: %v", got)
	}
}

// What changed or went since it was first seen is said, as long as it differs from what was seen.
func TestLibrary_Links_changes(t *testing.T) {
	t.Parallel()
	dir, cache := t.TempDir(), t.TempDir()
	files := small()
	write(t, dir, files)
	l := library(t, cache)
	tree := add(t, l, dir)
	update(t, tree)
	m := memoryOf("Pool.Wait drains, helper() does not")
	step := func(text string, indexed bool, want ...string) {
		t.Helper()
		write(t, dir, map[string]string{"pool/pool.go": text})
		if indexed {
			update(t, tree)
		}
		if diff := cmp.Diff(want, links(t, l, m)); diff != "" {
			t.Error(diff)
		}
	}
	was := files["pool/pool.go"]
	other := strings.Replace(was, "p.group.Wait()", "p.drain()", 1)
	step(was, true, "Pool.Wait = pool/pool.go:9", "helper = pool/pool.go:19")
	step("// Moved.\n"+was, true, "Pool.Wait = pool/pool.go:10", "helper = pool/pool.go:20")
	step(other, false, "Pool.Wait = pool/pool.go:10 changed since it was indexed", "helper = pool/pool.go:20 changed since it was indexed")
	step(other, true, "Pool.Wait = pool/pool.go:9 changed since", "helper = pool/pool.go:19")
	step("package pool\n\nfunc helper() {}\n", true, "Pool.Wait =  gone since", "helper = pool/pool.go:3")
	step(was, true, "Pool.Wait = pool/pool.go:9", "helper = pool/pool.go:19")
	step(other, true, "Pool.Wait = pool/pool.go:9 changed since", "helper = pool/pool.go:19")
	m = memoryOf("Pool.Wait drains by itself") // its new content is about the code of now
	if diff := cmp.Diff([]string{"Pool.Wait = pool/pool.go:9"}, links(t, l, m)); diff != "" {
		t.Error(diff)
	}
	// A line that was cut off is no reason to forget the others.
	path, err := filepath.Glob(filepath.Join(cache, "*", "sightings"))
	if err != nil || len(path) != 1 {
		t.Fatal(path, err)
	}
	text, err := os.ReadFile(path[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path[0], append(text, "half\tof a line"...), 0o600); err != nil {
		t.Fatal(err)
	}
	step(was, true, "Pool.Wait = pool/pool.go:9 changed since")
	if _, err := l.Forget(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path[0]); !os.IsNotExist(err) {
		t.Errorf("what was seen stays: %v", err)
	}
}
