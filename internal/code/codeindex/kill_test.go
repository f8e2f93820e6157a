package codeindex_test

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

	"github.com/hippo-memory/hippo/internal/code/codeindex"
)

// killedCache and killedRoot are the variables by which the test binary becomes a process that indexes until it is killed.
const (
	killedCache = "HIPPO_TEST_CODE_CACHE"
	killedRoot  = "HIPPO_TEST_CODE_ROOT"
)

func TestMain(m *testing.M) {
	if cache := os.Getenv(killedCache); cache != "" {
		os.Exit(indexForever(cache, os.Getenv(killedRoot)))
	}
	os.Exit(m.Run())
}

// indexForever rewrites all files of a tree with the next number and indexes them, again and again. It prints each number
// once its update is whole.
func indexForever(cache, root string) int {
	l := codeindex.NewLibrary(codeindex.Config{Dir: cache, Parser: goParser{}, Tokens: nil, Weights: weights(), Now: later})
	t, err := l.Add(context.Background(), root)
	for n := 1; err == nil; n++ {
		for i := range treeFiles {
			if err = os.WriteFile(filepath.Join(root, fmt.Sprintf("f%d.go", i)), []byte(numbered(i, n)), 0o600); err != nil {
				break
			}
		}
		if err == nil {
			_, err = t.Update(context.Background(), &codeindex.UpdateOptions{Rebuild: n%3 == 0})
			fmt.Println(n)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// treeFiles is how many files the tree has: enough for a new generation with each update.
const treeFiles = 80

func numbered(file, n int) string {
	return fmt.Sprintf("package p\n\nfunc F%dN%d() {}\n", file, n)
}

// A process that is killed at any time leaves a whole state: all files as of one update.
func TestTree_Update_killed(t *testing.T) {
	t.Parallel()
	cache, root := t.TempDir(), t.TempDir()
	for round := range 6 {
		ctx, cancel := context.WithCancel(t.Context())
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run", "^$")
		cmd.Env = append(os.Environ(), killedCache+"="+cache, killedRoot+"="+root)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		updates := 0
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if updates++; updates == 1+round%3 { // and then at some time within the next one
				time.AfterFunc(time.Duration(round)*17*time.Millisecond, cancel)
			}
		}
		_ = cmd.Wait() // it was killed
		cancel()
		if updates == 0 {
			t.Fatal("no update was whole")
		}
		wantWhole(t, cache, root)
	}
}

// wantWhole opens the index and compares the symbols of all files.
func wantWhole(t *testing.T, cache, root string) {
	t.Helper()
	l := codeindex.NewLibrary(codeindex.Config{Dir: cache, Parser: goParser{}, Weights: weights(), Now: later})
	defer l.Close() //nolint:errcheck // a test
	tree, err := l.Holding(root)
	if err != nil {
		t.Fatal(err)
	}
	var versions []string
	for i := range treeFiles {
		list, err := tree.Outline(t.Context(), fmt.Sprintf("f%d.go", i))
		if err != nil {
			t.Fatal(err)
		}
		_, n, _ := strings.Cut(list[0].Name, "N")
		versions = append(versions, n)
	}
	if slices.Sort(versions); len(slices.Compact(versions)) != 1 {
		t.Fatalf("the index mixes the states %v", slices.Compact(versions))
	}
	if _, err := tree.Search(t.Context(), codeindex.Query{Text: "F1N" + versions[0]}); err != nil {
		t.Error(err)
	}
}
