package store_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// crashChild, set to "sqlite PATH" or "dir PATH", makes the test binary tidy up that store and undo it until it
// is killed, and print a line for each of the two.
const crashChild = "HIPPO_TEST_TIDY_STORE"

func TestMain(m *testing.M) {
	if kind, path, ok := strings.Cut(os.Getenv(crashChild), " "); ok {
		if err := tidyForever(kind, path); err != nil {
			fmt.Println("failed:", err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// Of this many memories a tidying archives and summarises all, and links all but one.
const (
	tidied    = 60
	summaries = 6
)

// openKind opens a store on the disk.
func openKind(ctx context.Context, kind, path string) (*store.Store, error) {
	var b driver.Backend
	var err error
	if kind == "dir" {
		b, err = dirstore.Open(ctx, path, nil)
	} else {
		b, err = sqlitestore.Open(ctx, filepath.Join(path, "memory.db"), nil)
	}
	if err != nil {
		return nil, err
	}
	return store.New(b, nil), nil
}

func tidyForever(kind, path string) error {
	ctx := context.Background()
	s, err := openKind(ctx, kind, path)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		list, err := tidying(ctx, s)
		if err != nil {
			return err
		}
		done, err := store.Tidy(ctx, local(s), list)
		if err != nil {
			return err
		}
		if done.Linked != tidied-1 || done.Recorded != summaries || done.Archived != tidied {
			return fmt.Errorf("round %d: tidied %+v", n, done)
		}
		fmt.Println("tidied")
		if _, err := store.Undo(ctx, local(s), done.Operation, nil, nil); err != nil {
			return err
		}
		fmt.Println("undone")
	}
}

// tidying returns one of all memories that are no summaries.
func tidying(ctx context.Context, s *store.Store) (*store.Tidying, error) {
	t := &store.Tidying{Seen: make(map[hippo.ID]*hippo.Memory), Summaries: make([]store.Summary, summaries)}
	for m, err := range local(s).All(ctx) {
		if err != nil {
			return nil, err
		}
		if m.Type != "summary" {
			t.Seen[m.ID] = m
			t.Archive = append(t.Archive, m.ID)
		}
	}
	slices.SortFunc(t.Archive, hippo.ID.Compare)
	for i, id := range t.Archive {
		if i > 0 {
			t.Link = append(t.Link, hippo.Relation{From: id, To: t.Archive[0], Kind: "duplicate_of", Weight: 1, LastReinforced: time.Now().UTC()})
		}
		x := &t.Summaries[i%summaries]
		x.Relations = append(x.Relations, hippo.Relation{To: id, Kind: "summarizes", Weight: 1, LastReinforced: time.Now().UTC()})
	}
	for i := range t.Summaries {
		m := memory(fmt.Sprintf("what group %d says", i))
		m.Type = "summary"
		t.Summaries[i].Memory = m
	}
	return t, nil
}

// A process that is killed while it consolidates, or undoes it, leaves all of it or nothing.
func TestTidy_Killed(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"sqlite", "dir"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			path := t.TempDir()
			s, err := openKind(t.Context(), kind, path)
			if err != nil {
				t.Fatal(err)
			}
			for n := range tidied {
				add(t, s, memory(fmt.Sprintf("the gateway of cluster %d listens on port 80", n)))
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			for round := range 6 {
				killTidier(t, kind, path, time.Duration(round*17%60)*time.Millisecond)
				s, err := openKind(t.Context(), kind, path)
				if err != nil {
					t.Fatal(err)
				}
				wholeTidying(t, s)
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// killTidier kills a child some time after the first thing that it has done.
func killTidier(t *testing.T, kind, path string, after time.Duration) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), crashChild+"="+kind+" "+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		if line := lines.Text(); strings.HasPrefix(line, "failed") {
			t.Error(line)
		}
		if n == 0 {
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
	}
	_ = cmd.Wait() // it was killed
}

// wholeTidying checks that a store is as its last operation left it, and brings it back to where nothing is tidied.
func wholeTidying(t *testing.T, s *store.Store) {
	t.Helper()
	ops, err := store.Operations(t.Context(), local(s), driver.OperationQuery{Limit: 1})
	if err != nil || len(ops) != 1 {
		t.Fatalf("operations %v (%v), want one", ops, err)
	}
	var want store.Tidied
	if ops[0].Verb == hippo.VerbConsolidate {
		want = store.Tidied{Linked: tidied - 1, Recorded: summaries, Archived: tidied}
	}
	if got := countTidied(t, s); got != want {
		t.Errorf("after %s: %+v, want %+v", ops[0].Verb, got, want)
	}
	if want == (store.Tidied{}) {
		return
	}
	if _, err := store.Undo(t.Context(), local(s), ops[0].ID, nil, nil); err != nil {
		t.Error(err)
	}
	if got := countTidied(t, s); got != (store.Tidied{}) {
		t.Errorf("after the undo: %+v", got)
	}
}

// countTidied counts what is tidied up in a store. A summary counts with its relations.
func countTidied(t *testing.T, s *store.Store) (out store.Tidied) {
	t.Helper()
	for m, err := range local(s).All(t.Context()) {
		switch {
		case err != nil:
			t.Fatal(err)
		case m.Archived():
			out.Archived++
		case m.Type == "summary" && !m.Forgotten():
			out.Recorded++
		}
	}
	cited := 0
	for r, err := range local(s).AllRelations(t.Context()) {
		switch {
		case err != nil:
			t.Fatal(err)
		case r.Kind == "duplicate_of":
			out.Linked++
		default:
			cited++
		}
	}
	if cited != out.Recorded*tidied/summaries {
		t.Errorf("%d summaries cite %d memories", out.Recorded, cited)
	}
	return out
}
