package capture_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/agents/capture"
	"github.com/hippo-memory/hippo/internal/agents/transcript"
)

// What a subagent reports as a cause is kept, and nothing else of its report.
func TestCandidates_Findings(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join("testdata", "reports.txt"))
	if err != nil {
		t.Fatal(err)
	}
	kept, right, causes := 0, 0, 0
	for _, block := range strings.Split(string(b), "\n== ")[1:] {
		name, report, _ := strings.Cut(block, "\n")
		var marked []string
		lines := strings.Split(strings.TrimSpace(report), "\n")
		for i, line := range lines {
			if text, ok := strings.CutPrefix(line, "+"); ok {
				lines[i] = text
				marked = append(marked, strings.Trim(text, "."))
			}
		}
		causes += len(marked)
		turns := []transcript.Turn{
			{ID: "u", Role: transcript.RoleUser, Text: "find it out", Sidechain: true},
			{ID: "a", Role: transcript.RoleAssistant, Text: strings.Join(lines, "\n"), Sidechain: true},
		}
		all := ""
		for _, c := range capture.Candidates(turns) {
			kept++
			all += c.Content + " "
			is := false
			for _, m := range marked {
				is = is || strings.Contains(c.Content, m) || strings.Contains(m, strings.Trim(c.Content, "."))
			}
			if is {
				right++
			} else {
				t.Errorf("%s: kept %q", name, c.Content)
			}
		}
		for _, m := range marked {
			if !strings.Contains(all, m) {
				t.Logf("%s: lost %q", name, m)
			}
		}
	}
	if t.Logf("%d kept, %d of them are causes, of %d causes", kept, right, causes); right*10 < causes*7 {
		t.Errorf("%d of %d causes are kept", right, causes)
	}
}
