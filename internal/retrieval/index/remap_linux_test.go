package index_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	modelof "github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
)

// residentKB returns how much of a file is in the memory of this process, by proc_pid_smaps(5).
func residentKB(t *testing.T, path string) (sum int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	inside := false
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if !strings.HasSuffix(fields[0], ":") { // the first line of a mapping
			inside = fields[len(fields)-1] == path
		}
		if inside && fields[0] == "Rss:" {
			n, err := strconv.Atoi(fields[1])
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}

// A save writes all vectors of a part again. Where they were before, they are no longer in memory.
func TestSave_drops_the_former_vectors(t *testing.T) {
	t.Parallel()
	wide := modelof.Model{ID: "wide@1", Space: "wide", Dimension: 1024}
	s := newSource("s")
	fill(s, 0, 3000)
	path := filepath.Join(t.TempDir(), "index")
	o := &index.Options{Path: path, Models: []modelof.Model{wide}, SaveEvery: 1 << 30}
	x := open(t, s, o)
	embed(s, x, wide, 2900)
	save(t, x)
	x = open(t, s, o)
	find := func(want int) {
		got, _ := search(x, query{Text: "unknown", Vector: vectorOf("q", wide), Model: wide.ID, Nearest: 5000, MinCosine: -1})
		if len(got) != want {
			t.Fatalf("found %d, want %d", len(got), want)
		}
	}
	find(2900)
	before := residentKB(t, path)
	if before < 2900 {
		t.Fatalf("%d kB of the file are resident after a scan of 2,900 kB", before)
	}
	for range 4 {
		embed(s, x, wide, 25)
		save(t, x)
	}
	find(3000)
	if after := residentKB(t, path); after > before*5/4 {
		t.Errorf("%d kB of the file are resident after four saves, %d before", after, before)
	}
}
