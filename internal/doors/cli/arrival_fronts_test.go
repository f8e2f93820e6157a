package cli_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestArrival: every front end that lists memories selects them by where they come from and by the import that brought them, and
// refuses what is no import.
func TestArrival(t *testing.T) {
	t.Parallel()
	f := newFronts(t)
	imported := func(name, text, project string) string {
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte("content,type\n"+text+",note\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		f.command("import " + name + " --project new:" + project)
		return regexp.MustCompile(`(?m)^(\w+)  .*  import `).FindStringSubmatch(f.command("log -n 1"))[1]
	}
	f.ids["WASPS"] = imported("wasps.csv", "Wasps nest under the roof", "garden")
	imported("moles.csv", "Moles nest under the lawn", "lawn")
	f.command("modify $Eve --pin") // no import
	f.ids["OTHER"] = strings.Fields(f.command("log -n 1"))[0]
	run := f.tools("hippo")
	program := func(arguments string) string { return run("hippo_run", `{"program":"list_memories(`+arguments+`)"}`) }
	for name, answer := range map[string][2]string{
		"command": {f.command("list --import $WASPS"), f.command("list --source wasps.csv --all")},
		"REST":    {f.web("GET /api/v1/memories?import=$WASPS", ""), f.web("GET /api/v1/memories?source=wasps.csv&project=*", "")},
		"program": {program("operation='$WASPS'"), program("source='wasps.csv', project='*'")},
		"page":    {f.web("GET /ui/browse?import=$WASPS", ""), f.web("GET /ui/browse?source=wasps.csv", "")},
	} {
		for i, text := range answer {
			if !strings.Contains(text, "Wasps nest") || strings.Contains(text, "Moles") || strings.Contains(text, "pilot is") {
				t.Errorf("%s %d: want the wasps alone, got\n%s", name, i, text)
			}
		}
	}
	for name, text := range map[string]string{
		"kind": f.command("list --source IMPORT --all"), "in part": f.web("GET /api/v1/memories?source=csv&project=*&limit=1", ""),
	} {
		if !strings.Contains(text, "Moles nest") || strings.Contains(text, "pilot is") || name == "kind" && !strings.Contains(text, "Wasps nest") {
			t.Errorf("%s: got\n%s", name, text)
		}
	}
	if text := f.web("GET /api/v1/memories?import=$WASPS&project=none", ""); !strings.Contains(text, `"total_count":0`) && !strings.Contains(text, `"total_count": 0`) {
		t.Errorf("a project that is named narrows an import: got\n%s", text)
	}
	for _, request := range []string{"GET /api/v1/memories?import=$OTHER", "GET /ui/browse?import=$OTHER"} {
		if status, text := f.ask(request, ""); status != http.StatusBadRequest || !strings.Contains(text, "must be an operation of hippo import, got "+f.ids["OTHER"]+", a modify") {
			t.Errorf("%s: got %d\n%s", request, status, text)
		}
	}
}
