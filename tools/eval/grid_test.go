package main

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGrid_Golden is the grid of the notes in the program, with the instant model alone: where the default ranker stands beside its parts.
func TestGrid_Golden(t *testing.T) {
	t.Parallel()
	const golden = "testdata/grid.golden"
	var out bytes.Buffer
	args := []string{"--grid", "--models", "static", "--largest", "300", "--cells", " all$", "--jobs", "2"}
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
		t.Errorf("the grid changed; if that is wanted, run with -update (-want +got):\n%s", d)
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
