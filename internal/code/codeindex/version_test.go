package codeindex_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
)

// rewriteHead gives the catalog of the only index below a folder another first line.
func rewriteHead(t *testing.T, cache, line string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(cache, "*", "*", "catalog"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(b, []byte("\n"))
	if err := os.WriteFile(files[0], append([]byte(line+"\n"), rest...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// An index of another version of the program answers and says so if it can be read, else it names the command that makes it
// again; the next update does so although no file has changed.
func TestTree_versions(t *testing.T) {
	t.Parallel()
	cache, dir := t.TempDir(), t.TempDir()
	write(t, dir, small())
	first := codeindex.NewLibrary(config(t, cache))
	update(t, add(t, first, dir))
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	says := func(list []string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, "hippo code index "+dir) })
	}
	for line, readable := range map[string]bool{"hippo code catalog 3": true, "hippo code catalog 3 0": true, "hippo code catalog 2": false, "hippo code catalog 3 x": false} {
		rewriteHead(t, cache, line)
		l := codeindex.NewLibrary(config(t, cache))
		tree := add(t, l, dir)
		a, err := tree.Search(t.Context(), codeindex.Query{Text: "queue drained"})
		switch {
		case readable && (err != nil || len(a.Hits) == 0 || !says(a.Notes)):
			t.Errorf("%s: %+v, %v: want hits and a note", line, a, err)
		case !readable && (!errors.Is(err, hippo.ErrUnavailable) || !says([]string{err.Error()}) || !says([]string{tree.Status(t.Context()).Problem})):
			t.Errorf("%s: %v: want the command that makes the index again", line, err)
		}
		if r := update(t, tree); r.Parsed != 4 || r.Symbols != 11 {
			t.Errorf("%s: report %+v: want all files parsed", line, r)
		}
		if a, err := tree.Search(t.Context(), codeindex.Query{Text: "queue drained"}); err != nil || len(a.Hits) == 0 || says(a.Notes) {
			t.Errorf("%s: %+v, %v: want hits without a note", line, a, err)
		}
		if r := update(t, tree); r.Parsed != 0 {
			t.Errorf("%s: report %+v: want nothing parsed", line, r)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
