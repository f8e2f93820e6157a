package main

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGrid_Golden is the grid of the notes in the program, and the goals that need no other notes, with the instant model alone: where the
// default ranker stands beside its parts.
func TestGrid_Golden(t *testing.T) {
	t.Parallel()
	for golden, args := range map[string][]string{
		"testdata/grid.golden":  {"--grid", "--models", "static", "--largest", "300", "--cells", " all$", "--jobs", "2"},
		"testdata/goals.golden": {"--goals", "--models", "static"},
	} {
		var out bytes.Buffer
		if err := run(t.Context(), args, &out, io.Discard); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(golden, out.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), out.String()); d != "" {
			t.Errorf("%s changed; if that is wanted, run with -update (-want +got):\n%s", golden, d)
		}
	}
}

// TestGrid_Features: each question of the selected cells is a line that names its cell.
func TestGrid_Features(t *testing.T) {
	t.Parallel()
	list := lines[questionFeatures](t, "--grid", "--features", "--models", "static", "--cells", "synthetic (12 notes plain|300 notes twice) all")
	count := make(map[string]int)
	for _, x := range list {
		count[x.Set]++
	}
	if count["synthetic 12 notes plain all"] != 48 || count["synthetic 300 notes twice all"] != 48 || len(count) != 2 {
		t.Errorf("got %v lines by cell, want 48 of each", count)
	}
}

// TestGrid_Wrong: a pattern that is none is an error that names the flag.
func TestGrid_Wrong(t *testing.T) {
	t.Parallel()
	err := run(t.Context(), []string{"--grid", "--models", "none", "--cells", "("}, io.Discard, io.Discard)
	if err == nil || !bytes.Contains([]byte(err.Error()), []byte("cells")) {
		t.Errorf("got error %v, want one that names cells", err)
	}
}
