package cli_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestMetadataNull: null under a key of the metadata changes nothing at any front end, and clear removes a key where there is one.
func TestMetadataNull(t *testing.T) {
	t.Parallel()
	f := newFronts(t)
	ticket := func(name string) bool { return strings.Contains(f.command("get $"+name+" --json"), `OPS-7`) }
	body := func(set string) string { return `{"metadata":{"ticket":` + set + `,"seen":1}` }
	hippo, service, mcp := f.tools("hippo"), f.tools("memory-service"), f.tools("memory-mcp")
	modify := func(rest string) {
		hippo("hippo_modify_insight", `{"uuid":"$Eve","format":"json","metadata":{"ticket":`+rest+`}`)
	}
	for name, change := range map[string]func(set, more string){
		"REST": func(set, more string) { f.web("PATCH /api/v1/memories/$Eve", body(set)+more+`}`) },
		"SHODH": func(set, more string) {
			if status, text := f.ask("PATCH /api/memories/$Eve", body(set)+more+`}`); status != http.StatusOK {
				t.Errorf("SHODH: %d %s", status, text)
			}
		},
		"MCP": func(set, more string) { modify(set + `,"seen":1}` + more) },
		"memory-service": func(set, _ string) {
			service("memory_update", `{"content_hash":"$Eve","updates":`+body(set)+`}}`)
		},
		"memory-mcp": func(set, _ string) { mcp("update_memory", `{"id":"$Eve",`+body(set)[1:]+`}`) },
	} {
		change(`"OPS-7"`, "")
		if !ticket("Eve") {
			t.Fatalf("%s: the key was not set", name)
		}
		change("null", "")
		if !ticket("Eve") {
			t.Errorf("%s: null removed the key", name)
		}
		if strings.HasPrefix(name, "memory-") {
			continue
		}
		change("null", `,"clear":["metadata.ticket"]`)
		if ticket("Eve") {
			t.Errorf("%s: clear left the key", name)
		}
	}
	mcp("update_memory", `{"id":"$Eve","metadata":{},"importance_score":2}`)
	if !strings.Contains(f.command("get $Eve --json"), `"seen"`) {
		t.Error("memory-mcp: no metadata at all replaced what was there")
	}
}
