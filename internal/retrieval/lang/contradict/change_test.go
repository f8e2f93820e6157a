package contradict_test

import (
	"os"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/contradict"
)

func TestChanges_pairs(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/changes.txt")
	if err != nil {
		t.Fatal(err)
	}
	found, all := map[string]int{}, map[string]int{}
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 4 || strings.HasPrefix(line, "#") {
			continue
		}
		half, want := f[0]+" "+f[1], f[1] == "change"
		all[half]++
		older := contradict.StatementOf(f[2])
		got := older.ChangedBy(contradict.StatementOf(f[3]), contradict.Likeness{})
		if got {
			found[half]++
		}
		if got != want && f[0] == "dev" {
			t.Logf("%s: %s -> %s", half, f[2], f[3])
		}
	}
	t.Logf("found %v of %v", found, all)
	for _, half := range []string{"dev", "kept"} {
		if found[half+" change"]*10 < all[half+" change"]*8 || found[half+" beside"]*15 > all[half+" beside"] {
			t.Errorf("%s: of %d changes %d are found, of %d pairs that hold side by side %d", half, all[half+" change"], found[half+" change"], all[half+" beside"], found[half+" beside"])
		}
	}
}
