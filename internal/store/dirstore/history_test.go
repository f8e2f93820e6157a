package dirstore_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// keep keeps memories as they are in test, in the nth operation.
func keep(tx driver.Tx, n int, memories ...int) error {
	op := hippo.Operation{ID: id(1000 + n), At: time.Unix(int64(n), 0).UTC(), Day: hippo.Day(n), Verb: hippo.VerbModify}
	vs := make([]hippo.Version, len(memories))
	for i, m := range memories {
		vs[i] = hippo.Version{ID: id(m), Before: memory(m), Of: len(memories)}
	}
	return tx.Keep(op, hippo.DefaultRetention(), vs...)
}

// wantHistory checks the operations of which a memory has versions, the last one first.
func wantHistory(t testing.TB, s *dirstore.Store, m int, want ...int) {
	t.Helper()
	vs, err := s.Versions(t.Context(), driver.VersionQuery{Memories: []hippo.ID{id(m)}})
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for i := range vs {
		got = append(got, int(vs[i].Operation.Day))
	}
	if !slices.Equal(got, want) {
		t.Errorf("memory %d has versions of operations %v, want %v", m, got, want)
	}
}

func historyFile(m int) string { return "history/" + id(m).String() + ".jsonl" }

// What was kept survives the loss of all derived files, and a purge leaves no file.
func TestHistory_IsInFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1), memory(2))
	update(t, s, func(tx driver.Tx) error { return keep(tx, 1, 1, 2) })
	update(t, s, func(tx driver.Tx) error { return keep(tx, 2, 1) })
	if lines := strings.Split(p.read(historyFile(1)), "\n"); len(lines) != 3 || lines[2] != "" || !strings.Contains(lines[1], `"day":2`) {
		t.Errorf("the file holds %q", lines)
	}
	if err := os.RemoveAll(p.path(".hippo")); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*dirstore.Store{s, p.open()} {
		wantHistory(t, s, 1, 2, 1)
		wantHistory(t, s, 2, 1)
	}
	update(t, s, func(tx driver.Tx) error { return tx.Purge(id(1)) })
	if p.exists(historyFile(1)) || !strings.Contains(p.read(historyFile(2)), `"of":1`) {
		t.Errorf("after a purge the other file holds %q", p.read(historyFile(2)))
	}
	wantHistory(t, s, 2, 1)
	p.remove(id(2).String() + ".json")
	reopened := p.open()
	missing(t, reopened, 2)
	if p.exists(historyFile(2)) {
		t.Error("the history of a memory is left whose file was deleted")
	}
}

// What another program does to the files is seen, and lines that cannot be read are kept and
// reported.
func TestHistory_ChangedByOthers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1), memory(2))
	update(t, s, func(tx driver.Tx) error { return keep(tx, 1, 1) })
	update(t, s, func(tx driver.Tx) error { return keep(tx, 2, 1) })
	lines := strings.SplitAfter(p.read(historyFile(1)), "\n")
	odd := strings.Replace(lines[0], id(1).String(), id(2).String(), 1)
	p.write(historyFile(1), "<<<<<<< ours\n"+lines[0]+odd+"\n")
	s = p.open()
	wantHistory(t, s, 1, 1)
	problems, err := s.Problems(t.Context())
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Err, "line 1") || problems[0].Path != p.path(historyFile(1)) {
		t.Errorf("problems are %+v (%v)", problems, err)
	}
	update(t, s, func(tx driver.Tx) error { return keep(tx, 3, 1) })
	wantHistory(t, s, 1, 3, 1)
	if text := p.read(historyFile(1)); !strings.HasPrefix(text, "<<<<<<< ours\n"+odd) || strings.Count(text, "\n") != 4 {
		t.Errorf("the file holds %q", text)
	}
	p.remove(historyFile(1))
	p.write("history/readme.txt", "of somebody else")
	s = p.open()
	wantHistory(t, s, 1)
	noProblems(t, s)
}

// A write that finds the file changed keeps what the other program wrote.
func TestHistory_ChangedBeforeAWrite(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1))
	update(t, s, func(tx driver.Tx) error { return keep(tx, 1, 1) })
	line := p.read(historyFile(1))
	p.write(historyFile(1), line+strings.Replace(strings.Replace(line, `"day":1`, `"day":5`, 1), id(1001).String(), id(1005).String(), 1))
	update(t, s, func(tx driver.Tx) error { return keep(tx, 6, 1) })
	wantHistory(t, s, 1, 6, 5, 1)
}
