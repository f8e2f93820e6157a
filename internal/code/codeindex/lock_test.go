package codeindex_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
)

// Forget waits for an update, which does not fail; the next one says that the index is gone and makes none.
func TestLibrary_Forget_during_update(t *testing.T) {
	t.Parallel()
	dir, cache := t.TempDir(), t.TempDir()
	write(t, dir, small())
	l := library(t, cache)
	tree := add(t, l, dir)
	forgotten := make(chan error, 1)
	begin := sync.OnceFunc(func() {
		go func() {
			_, err := l.Forget(context.Background(), dir)
			forgotten <- err
		}()
		time.Sleep(100 * time.Millisecond) // without a lock it would be done
	})
	if _, err := tree.Update(t.Context(), &codeindex.UpdateOptions{Progress: func(p api.CodeProgress) {
		if p.Phase == api.CodeParsing {
			begin()
		}
	}}); err != nil {
		t.Errorf("the update under way: %v", err)
	}
	if err := <-forgotten; err != nil {
		t.Error(err)
	}
	if _, err := tree.Update(t.Context(), nil); !errors.Is(err, hippo.ErrNotFound) || !strings.Contains(err.Error(), "forgotten") {
		t.Errorf("the next update: %v", err)
	}
	if entries, err := os.ReadDir(cache); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v: want nothing", entries, err)
	}
}

// Searches read the catalog while updates append to it, and never lose what an update added.
func TestTree_Search_during_updates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, small())
	tree := add(t, library(t, t.TempDir()), dir)
	update(t, tree)
	ctx, stop := context.WithCancel(t.Context())
	var searches sync.WaitGroup
	for range 2 {
		searches.Go(func() {
			for ctx.Err() == nil {
				if _, err := tree.Search(context.Background(), codeindex.Query{Text: "queue drained"}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 20 {
		name := fmt.Sprintf("More%d", i)
		write(t, dir, map[string]string{"more.go": "package more\n\nfunc " + name + "() {}\n"})
		update(t, tree)
		if list, err := tree.Symbols(t.Context(), name, codeindex.Filter{}, 1, false); err != nil || len(list) != 1 || list[0].Name != name {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}
	stop()
	searches.Wait()
}

// A cache within the tree is not indexed, and an update that changes nothing writes nothing into it.
func TestTree_Update_cache_in_tree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, small())
	tree := add(t, library(t, filepath.Join(dir, "cache", "code")), dir)
	var former []string
	for i := range 3 {
		r := update(t, tree)
		if r.Files != 4 || slices.ContainsFunc(r.Folders, func(f string) bool { return strings.HasPrefix(f, "cache/code") }) {
			t.Errorf("report %+v", r)
		}
		if i > 0 && r.Parsed+r.Removed > 0 {
			t.Errorf("update %d: report %+v", i, r)
		}
		now := times(t, filepath.Join(dir, "cache"))
		if i > 1 && !slices.Equal(now, former) {
			t.Errorf("an update without changes wrote: %v, before %v", now, former)
		}
		former = now
	}
}

// times returns the files below a folder with their times, but for those of generations: who watches the tree does not
// watch their folder, and the words note that they were used.
func times(t *testing.T, dir string) (list []string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err == nil && filepath.Base(filepath.Dir(path)) != "g1" {
			list = append(list, fmt.Sprint(path, info.ModTime()))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return list
}
