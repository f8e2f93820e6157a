package lockedfile_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/base/lockedfile"
)

func noon() time.Time { return time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC) }

func open(t *testing.T, f lockedfile.Folder, key string) *lockedfile.File {
	t.Helper()
	file, err := f.Open(t.Context(), key, noon())
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestFile(t *testing.T) {
	t.Parallel()
	f := lockedfile.Folder{Dir: filepath.Join(t.TempDir(), "new", "folder"), Age: time.Hour}
	a := open(t, f, "a")
	var got []string
	if a.Load(&got) || f.Peek("a", &got) {
		t.Errorf("a new file has %v", got)
	}
	if err := a.Save([]string{"x"}, noon()); err != nil {
		t.Fatal(err)
	}
	if !f.Peek("a", &got) || !cmp.Equal(got, []string{"x"}) || f.Peek("b", &got) {
		t.Errorf("got %v", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Open(ended, "a", noon()); !errors.Is(err, context.Canceled) {
		t.Errorf("a file that is held: %v", err)
	}
	b := open(t, f, "b") // another key does not wait
	b.Close()
	a.Close()
	if a = open(t, f, "a"); !a.Load(&got) {
		t.Error("it is empty after it was closed")
	}
	a.Close()
}

// Every old file goes with its lock, however many there are; those that are held, or were saved lately, stay.
func TestFolder_Prune(t *testing.T) {
	t.Parallel()
	f := lockedfile.Folder{Dir: t.TempDir(), Age: 24 * time.Hour}
	const old = 600 // more than one round looks at
	for i := range old {
		file := open(t, f, fmt.Sprint("old ", i))
		if err := file.Save(i, noon()); err != nil {
			t.Fatal(err)
		}
		file.Close()
	}
	kept, held := open(t, f, "kept"), open(t, f, "held")
	for _, file := range []*lockedfile.File{kept, held} {
		if err := file.Save("stays", noon()); err != nil {
			t.Fatal(err)
		}
	}
	kept.Close()
	files, err := filepath.Glob(filepath.Join(f.Dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	long := noon().Add(-48 * time.Hour)
	for _, name := range files {
		if err := os.Chtimes(name, long, long); err != nil {
			t.Fatal(err)
		}
	}
	k := open(t, f, "kept")
	if err := k.Save("stays", noon()); err != nil { // its lock stays old
		t.Fatal(err)
	}
	k.Close()
	for i := range 20 {
		n := open(t, f, fmt.Sprint("new ", i))
		n.Close()
	}
	var got string
	if !f.Peek("held", &got) || !f.Peek("kept", &got) {
		t.Error("a file in use is gone")
	}
	for i := range old {
		if f.Peek(fmt.Sprint("old ", i), new(int)) {
			t.Fatalf("file %d of %d is still there", i, old)
		}
	}
	held.Close()
}

// Whoever waited for a file that pruning removed holds the new one.
func TestFolder_OpenAfterPrune(t *testing.T) {
	t.Parallel()
	f := lockedfile.Folder{Dir: t.TempDir(), Age: time.Hour}
	first := open(t, f, "a")
	locks, err := filepath.Glob(filepath.Join(f.Dir, "*.lock"))
	if err != nil || len(locks) != 1 {
		t.Fatalf("locks %v (%v)", locks, err)
	}
	opened := make(chan *lockedfile.File)
	go func() {
		second, err := f.Open(t.Context(), "a", noon())
		if err != nil {
			t.Error(err)
		}
		opened <- second
	}()
	if err := os.Remove(locks[0]); err != nil {
		t.Skip(err) // Windows removes no file that is open
	}
	first.Close()
	second := <-opened
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Open(ended, "a", noon()); !errors.Is(err, context.Canceled) {
		t.Errorf("held twice: %v", err)
	}
	second.Close()
}
