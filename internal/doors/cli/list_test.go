package cli_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/doors/cli"
)

// The table shows how important an insight is today: a tenth less each active day.
// JSON has what is stored, with the day on which it was set.
func TestList_ShowsTheImportanceOfToday(t *testing.T) {
	t.Parallel()
	store := "dir:" + t.TempDir()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	hippo := func(args ...string) string {
		var out, errw strings.Builder
		args = append([]string{"hippo", "--store", store}, args...)
		if code := cli.MainAt(t.Context(), func() time.Time { return at }, args, strings.NewReader(""), &out, &errw); code != 0 {
			t.Fatalf("%q: exit code %d\n%s", args, code, &errw)
		}
		return out.String()
	}
	hippo("record", "first", "--importance", "0.8")
	hippo("record", "kept", "--importance", "0.7", "--pin")
	for _, content := range []string{"second", "third"} {
		at = at.AddDate(0, 0, 3)
		hippo("record", content, "--importance", "0.8")
	}
	table := regexp.MustCompile(`(?m) (\d\.\d\d) +(\w+)`).FindAllStringSubmatch(hippo("list"), -1)
	got := make(map[string]string)
	for _, row := range table {
		got[row[2]] = row[1]
	}
	want := map[string]string{"first": "0.65", "kept": "0.70", "second": "0.72", "third": "0.80"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("importance (-want +got):\n%s", d)
	}
	if n := strings.Count(hippo("list", "--json"), `"importance": 0.8`); n != 3 {
		t.Errorf("%d stored importances of 0.8, want 3", n)
	}
}
