package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestPythonName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"getMany": "get_many", "openapi": "openapi", "If-Match": "if_match", "Last-Event-ID": "last_event_id", "import": "import_", "from": "from_", "max_tokens": "max_tokens",
	} {
		if got := pythonName(name); got != want {
			t.Errorf("pythonName(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestTypes: what a schema says is in the types of both languages and in the meaning.
func TestTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schema, python, script, meaning string }{
		{`{"type":"integer","minimum":1,"maximum":1000,"default":10}`, "int", "number", "1 to 1000; default: 10"},
		{`{"type":"number","description":"0 to 1","minimum":0,"maximum":1,"default":0.5}`, "float", "number", "0 to 1 (default: 0.5)"},
		{`{"type":"string","enum":["in","out"],"description":"which way"}`, `Literal["in", "out"]`, `"in" | "out"`, "which way"},
		{`{"type":["string","null"],"maxLength":9}`, "Optional[str]", "string | null", "at most 9 characters"},
		{`{"type":"array","maxItems":64,"items":{"type":"string","enum":["a","b"],"description":"a tag"}}`, `List[Literal["a", "b"]]`, `readonly ("a" | "b")[]`, "a tag (at most 64)"},
		{`{"type":"object","additionalProperties":{"type":"integer"}}`, "Mapping[str, int]", "Readonly<Record<string, number>>", ""},
		{`{"type":"object","additionalProperties":true}`, "Mapping[str, Any]", "Readonly<Record<string, unknown>>", ""},
		{`{"$ref":"#/components/schemas/Hit"}`, "Hit", "Hit", ""},
		{`{}`, "Any", "unknown", ""},
	} {
		var s schema
		if err := json.Unmarshal([]byte(c.schema), &s); err != nil {
			t.Fatal(err)
		}
		if got := pythonType(&s, "", "List"); got != c.python {
			t.Errorf("%s in Python: %s, want %s", c.schema, got, c.python)
		}
		if got := scriptType(&s); got != c.script {
			t.Errorf("%s in TypeScript: %s, want %s", c.schema, got, c.script)
		}
		if got := s.meaning(); got != c.meaning {
			t.Errorf("%s means %q, want %q", c.schema, got, c.meaning)
		}
	}
}

// TestOperations: the interface has its operations, with their limits.
func TestOperations(t *testing.T) {
	t.Parallel()
	api, err := load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]*operation)
	for i := range api.operations {
		found[api.operations[i].id] = &api.operations[i]
	}
	if len(found) < 40 || found["undo"].seconds != 600 || found["status"].seconds != 0 || !found["import"].lines {
		t.Errorf("%d operations: undo %+v, status %+v, import %+v", len(found), found["undo"], found["status"], found["import"])
	}
	if got := pythonUsual(found["path"]); got != "from_=…, to=…" {
		t.Errorf("path in Python: %s", got)
	}
	if got := scriptUsual(found["search"]); got != "{ query }" {
		t.Errorf("search in TypeScript: %s", got)
	}
	for _, text := range [][]byte{pythonShapes(api), pythonVerbs(api), scriptTypes(api), scriptVerbs(api)} {
		if first, _, _ := bytes.Cut(text, []byte("\n")); !strings.Contains(string(first), "DO NOT EDIT") {
			t.Errorf("the first line is %q", first)
		}
	}
}
