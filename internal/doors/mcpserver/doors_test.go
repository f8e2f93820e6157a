package mcpserver_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect/claudehippo"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect/codetools"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect/graphtools"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect/memorymcp"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect/memoryservice"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/verb"
)

// dialects are the systems whose tools Hippo has beside its own.
func dialects() map[string]*dialect.System {
	return map[string]*dialect.System{
		claudehippo.Name: claudehippo.New(), codetools.Name: codetools.New(), graphtools.Name: graphtools.New(),
		memorymcp.Name: memorymcp.New(), memoryservice.Name: memoryservice.New(),
	}
}

// A query that is longer than one may be is cut between words, whatever tool it is given to, and the answer notes it. A JSON
// answer stays JSON: the note is a text of its own.
func TestLongQuery(t *testing.T) {
	t.Parallel()
	const note = "only the first 81"
	more := map[string]object{
		"hippo_search_insights": {}, "search_insights": {}, "hippo_recall": {"mode": "semantic"}, "hippo_code": {"show": "search"},
	}
	asked := map[string]int{}
	ask := func(s *session, system, tool string) {
		args := object{"query": "gateway jitter " + strings.Repeat("größer ", 3000)}
		maps.Copy(args, more[tool])
		o := s.tool(tool, args)
		if o.IsError || o.Protocol != nil || !strings.Contains(o.Text+o.Note, note) {
			t.Errorf("%s, %s: got %.300s%s, note %q", system, tool, o.Text, o.Protocol, o.Note)
		}
		if strings.HasPrefix(o.Text, "{") && !json.Valid([]byte(o.Text)) {
			t.Errorf("%s, %s: no JSON: %.300s", system, tool, o.Text)
		}
		if o := s.tool(tool, maps.Collect(func(yield func(string, any) bool) {
			maps.All(more[tool])(yield)
			yield("query", "gateway")
		})); o.Note != "" || strings.Contains(o.Text, note) {
			t.Errorf("%s, %s: a short query has the note %q", system, tool, o.Note)
		}
		asked[system]++
	}
	c := newCode(t)
	c.index(t, goTree())
	own := startWithCode(t, c, nil)
	own.hello()
	own.record("Retries without jitter took the gateway down", .5)
	ask(own, "hippo", "hippo_search_insights")
	ask(own, "hippo", "search_insights")
	for name, system := range dialects() {
		s := startWithCode(t, c, []string{name})
		s.hello()
		for _, tool := range system.Tools {
			if name != memorymcp.Name || !tool.Code { // a code tool of that system needs an ID of a tree
				for _, p := range tool.Params {
					if p.Name == "query" {
						ask(s, name, tool.Name)
					}
				}
			}
		}
	}
	if asked["hippo"] != 2 || asked[claudehippo.Name] == 0 || asked[memorymcp.Name] == 0 || asked[memoryservice.Name] == 0 || asked[codetools.Name] == 0 {
		t.Errorf("asked %v", asked)
	}
}

// An argument of any tool takes a list of one text as that text, and refuses what has another type by the name that the caller used.
func TestArguments_Types(t *testing.T) {
	t.Parallel()
	checked := 0
	for name, system := range dialects() {
		for _, tool := range system.Tools {
			for _, p := range tool.Params {
				for _, given := range append(strings.Fields(p.Also), p.Name) {
					checked++
					checkTypes(t, name+", "+tool.Name+", "+given, verb.Table{p}, given, system.Is)
				}
			}
		}
	}
	if checked < 200 {
		t.Errorf("%d names of arguments were checked", checked)
	}
}

// checkTypes decodes an argument, the only one of a table, by a name: from a list of one, and from values of other types.
func checkTypes(t *testing.T, about string, only verb.Table, name string, is verb.Trait) {
	t.Helper()
	decode := func(value string) (any, error) {
		in, _, err := only.Decode(verb.MCP, json.RawMessage(fmt.Sprintf("{%q:%s}", name, value)), is)
		return in[only[0].Name], err
	}
	p, text := &only[0], `"12345678"`
	if p.Values != nil {
		text = fmt.Sprintf("%q", p.Values[0])
	}
	schema := p.Schema()
	if schema["type"] == "string" || schema["type"] == "array" && reflect.DeepEqual(schema["items"], verb.Schema{"type": "string"}) {
		plain, err := decode(text)
		if err != nil {
			t.Errorf("%s: %v", about, err)
		}
		if one, err := decode("[" + text + "]"); err != nil || !reflect.DeepEqual(one, plain) {
			t.Errorf("%s: a list of one is %v (%v), want %v", about, one, err, plain)
		}
	}
	for _, wrong := range wrongValues(p) {
		v, err := decode(wrong)
		if bad, ok := errors.AsType[*hippo.FieldError](err); !ok || strings.FieldsFunc(bad.Field, func(r rune) bool { return r == '[' || r == '.' })[0] != name {
			t.Errorf("%s: of %s got %v, error %v", about, wrong, v, err)
		}
	}
}

// wrongValues are values of other types than that of an argument.
func wrongValues(p *verb.Arg) []string {
	schema := p.Schema()
	items, _ := schema["items"].(verb.Schema)
	switch {
	case schema["type"] == "string" && p.Is.Has(verb.Words):
		return []string{"true", "{}"}
	case schema["type"] == "string":
		return []string{"true", "{}", `["12345678","87654321"]`}
	case schema["type"] == "integer":
		return []string{"true", "{}", `"x"`, "1.5", "1e300", "[1]"}
	case schema["type"] == "number":
		return []string{"true", "{}", `"x"`, `"NaN"`, `"0x10"`, "[1]"}
	case schema["type"] == "boolean":
		return []string{"1", "{}", `"x"`, "[true]"}
	case schema["type"] == "object":
		return []string{"1", "true", `"x"`, "[1]"}
	case items["type"] == "integer":
		return []string{"1", "{}", `["x"]`, "[1.5]", "[null]"}
	default:
		return []string{"1", "{}", "[1]", "[true]"}
	}
}

// A schema of a tool has one type for each parameter: of a list of types some clients refuse all tools.
func TestSchema_OneType(t *testing.T) {
	t.Parallel()
	for name, system := range dialects() {
		for _, tool := range system.Tools {
			if schema := string(tool.Schema()); strings.Contains(schema, `"type":[`) {
				t.Errorf("%s, %s: %s", name, tool.Name, schema)
			}
		}
	}
}

// Blank text in a list of one erases and deletes no more than blank text does.
func TestListOfOne_Deletes(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		system string
		exchange
	}{
		{memoryservice.Name, exchange{"memory_delete", object{"content_hash": []string{""}}, "content_hash: or tags"}},
		{memoryservice.Name, exchange{"memory_delete", object{"content_hash": []string{" "}}, "content_hash"}},
		{memoryservice.Name, exchange{"memory_delete", object{"tags": []string{""}, "before": []string{"2099-01-01"}}, "tags: must have"}},
		{memoryservice.Name, exchange{"memory_delete", object{"before": []string{"2099-01-01"}, "dry_run": []string{""}}, "dry_run"}},
		{memoryservice.Name, exchange{"memory_delete", object{"before": "2099-01-01", "dry_run": ""}, "dry_run"}},
		{claudehippo.Name, exchange{"delete_memory", object{"memory_type": []string{""}}, "memory_type: must not be empty"}},
		{claudehippo.Name, exchange{"delete_memory", object{"memory_type": []string{""}, "before": "2099-01-01"}, "memory_type: must not be empty"}},
		{claudehippo.Name, exchange{"delete_memory", object{"memory_type": []string{" "}, "before": "2099-01-01"}, "memory_type: must not be empty"}},
		{claudehippo.Name, exchange{"delete_memory", object{"after": "", "before": "2099-01-01"}, "after: must not be empty"}},
		{claudehippo.Name, exchange{"delete_memory", object{"after": " ", "tags": "x"}, "after: must not be empty"}},
		{claudehippo.Name, exchange{"memory", object{"command": "delete", "path": []string{""}}, "path: must not be blank"}},
		{claudehippo.Name, exchange{"hippo_forget", object{"id": []string{""}}, "id: must be one id, got a blank text"}},
		{claudehippo.Name, exchange{"hippo_forget", object{"id": []int{1, 2}}, "id: must be one id, got 2"}},
		{claudehippo.Name, exchange{"hippo_forget", object{"content_hash": []string{" "}}, "content_hash"}},
		{claudehippo.Name, exchange{"delete_memory", object{"before": "2099-01-01", "dry_run": " "}, "dry_run"}},
		{"hippo", exchange{"hippo_forget", object{"uuids": []string{""}}, "uuids"}},
		{"hippo", exchange{"forget", object{"uuids": []string{" "}}, "uuids"}},
	} {
		s := startHippo(t, memstore.New(nil))
		s.remember("kept", nil)
		s.end()
		s.serveIn(hippo.LocalScope(""), []string{x.system})
		if o := s.tool(x.tool, x.args); !o.IsError || !strings.Contains(o.Text, x.want) {
			t.Errorf("%s, %s(%v): got %s%s, want %q", x.system, x.tool, x.args, o.Text, o.Protocol, x.want)
		}
		l, err := memory.List(t.Context(), s.engine.In(hippo.LocalScope("")), api.List{})
		if err != nil || l.Total != 1 {
			t.Errorf("%s, %s(%v): %d are left (%v)", x.system, x.tool, x.args, l.Total, err)
		}
	}
}

// A tool of Hippo answers to its name without the prefix, unless a system has a tool of that name. The right that it needs
// stays.
func TestTools_WithoutPrefix(t *testing.T) {
	t.Parallel()
	s := start(t)
	o := s.must("record_insight", object{"content": "the gateway needs jitter", "situation": []string{"gateway"}}, nil)
	if !strings.Contains(o.Text, "Recorded") {
		t.Error(o.Text)
	}
	if o := s.must("search_insights", object{"query": "jitter"}, nil); !strings.Contains(o.Text, "needs jitter") {
		t.Error(o.Text)
	}
	id := s.uuid("the gateway needs jitter")
	s.must("modify_insight", object{"uuid": id, "content": "the gateway needs much jitter"}, nil)
	for _, unknown := range []string{"", "hippo_", "hippo_record", "insight", "Record_insight"} {
		if o := s.tool(unknown, object{}); o.Protocol == nil {
			t.Errorf("%q: got %+v", unknown, o)
		}
	}
	if got := strings.Join(s.listed(), " "); strings.Contains(" "+got, " record_insight") {
		t.Errorf("listed are %s", got)
	}
	s.end()
	s.serveIn(hippo.Scope{Projects: []string{hippo.AllProjects}, Rights: hippo.RightRead}, []string{"hippo"})
	if o := s.tool("record_insight", object{"content": "x"}); !o.IsError {
		t.Errorf("without the right to write: %+v", o)
	}
}

// A blank value of an update erases nothing; with nothing else the call is refused.
func TestMemoryService_UpdateErasesNothing(t *testing.T) {
	t.Parallel()
	s := startHippo(t, memstore.New(nil))
	s.end()
	s.serveIn(hippo.LocalScope(""), []string{memoryservice.Name})
	s.must("memory_store", object{"content": queue, "metadata": object{"tags": "ops,net", "type": "note"}}, nil)
	kept := func() string {
		l, err := memory.List(t.Context(), s.engine.In(hippo.LocalScope("")), api.List{})
		if err != nil || l.Total != 1 {
			t.Fatal(l, err)
		}
		m := l.Memories[0]
		return m.Content + "|" + m.Type + "|" + strings.Join(m.Tags, ",")
	}
	before := kept()
	for _, blank := range []object{
		{"tags": []string{}},
		{"tags": ""},
		{"tags": []string{" "}},
		{"memory_type": ""},
		{"memory_type": " "},
		{"content": ""},
		{"content": "\n"},
		{"content": []string{""}},
		{"tags": " , ", "memory_type": "", "content": ""},
	} {
		for _, versioned := range []bool{false, true} {
			o := s.tool("memory_update", object{"content_hash": hashed(queue), "updates": blank, "versioned": versioned})
			if !o.IsError || !strings.Contains(o.Text, "updates: must have") || !strings.Contains(o.Text, "not blank") {
				t.Errorf("%v: got %s", blank, o.Text)
			}
		}
		with := maps.Clone(blank)
		with["metadata"] = object{"n": 1}
		s.must("memory_update", object{"content_hash": hashed(queue), "updates": with}, nil)
		if got := kept(); got != before {
			t.Fatalf("%v: got %s, want %s", blank, got, before)
		}
	}
}
