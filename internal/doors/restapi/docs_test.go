package restapi_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// example is a script of docs/rest.md and what it prints; "…" stands for any text.
type example struct{ script, output string }

// examples returns the blocks of sh of a document, each with the block of another language that follows it.
func examples(document string) (list []example) {
	blocks := regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$").FindAllStringSubmatch(document, -1)
	for i, b := range blocks {
		if b[1] != "sh" {
			continue
		}
		e := example{script: b[2]}
		if i+1 < len(blocks) && blocks[i+1][1] != "sh" {
			e.output = blocks[i+1][2]
		}
		list = append(list, e)
	}
	return list
}

// TestDocs_examples: the examples of docs/rest.md work as they are written, one after the other.
func TestDocs_examples(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "curl", "jq"} {
		if err := exec.CommandContext(t.Context(), name, "--version").Run(); err != nil {
			t.Skipf("the examples need %s: %v", name, err)
		}
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "rest.md"))
	if err != nil {
		t.Fatal(err)
	}
	list := examples(string(text))
	if len(list) < 5 {
		t.Fatalf("only %d examples were found", len(list))
	}
	web := httptest.NewServer(startWith(t, options{now: time.Now}).handler)
	defer web.Close()
	const end = "--- end of an example"
	script := "set -euo pipefail\n"
	for _, e := range list {
		script += e.script + fmt.Sprintf("echo; echo %q\n", end)
	}
	c := exec.CommandContext(t.Context(), "bash", "-c", script)
	c.Dir, c.Env = t.TempDir(), append(os.Environ(), "HIPPO_URL="+web.URL, "HIPPO_TOKEN=token")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("the script ended with %v", err)
	}
	outputs := strings.Split(string(out), end)
	for i, e := range list {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(e.output)), "…", ".*")
		got := ""
		if i < len(outputs) {
			got = strings.TrimSpace(outputs[i])
		}
		if lines := strings.Split(got, "\n"); strings.HasPrefix(e.output, "event:") {
			// curl reports that the time is over.
			got = strings.Join(lines[:min(len(lines), strings.Count(e.output, "\n"))], "\n")
		}
		if !regexp.MustCompile("^" + pattern + "$").MatchString(got) {
			t.Errorf("%s\nprints\n%s\nwant\n%s", e.script, got, e.output)
		}
	}
}
