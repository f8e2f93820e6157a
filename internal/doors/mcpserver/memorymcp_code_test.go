package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	trees "github.com/hippo-memory/hippo/internal/code"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect/memorymcp"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// mcpCode is a session with source trees, in which the ID of the tree is $tree and its root $root.
type mcpCode struct {
	*mcpStore
	code *code
}

// mcpTree has a call of each kind: of a method, of a function, and from the top of a file.
func mcpTree() map[string]string {
	files := goTree()
	files["run.py"] = "def prepare():\n    return 1\n\n\nprepare()\n"
	files[".env"] = "hidden\n"
	return files
}

// startMCPCode returns a session in a scope over an indexed tree.
func startMCPCode(t *testing.T, scope hippo.Scope) *mcpCode {
	t.Helper()
	c := newCode(t)
	c.index(t, mcpTree())
	s := newSession(t, memstore.New(nil), time.UTC)
	s.serve(mcpserver.New(func(context.Context) (*engine.Engine, error) { return s.engine, nil }, &mcpserver.Options{
		Now: s.clock.now, Code: c, Tools: []string{memorymcp.Name}, Scope: func(context.Context) hippo.Scope { return scope },
	}))
	s.hello()
	out := &mcpCode{&mcpStore{s, map[string]string{"$root": c.root}}, c}
	o := s.tool("list_projects", nil)
	if id := regexp.MustCompile(`"project_id":"(tree-[0-9a-f]{8})"`).FindStringSubmatch(o.Text); id != nil {
		out.keys["$tree"] = id[1]
	}
	return out
}

// memoryMCPCodeCalls has at least one call of every tool about code.
func memoryMCPCodeCalls() []exchange {
	const (
		when  = `"[0-9T:.-]+Z"`
		wait  = `\{"id":"\$tree/pool/pool.go#Pool.Wait","name":"Pool.Wait","symbol_type":"method","file_path":"pool/pool.go","start_line":7,"end_line":7,"language":"go","signature":"func \(p \*Pool\) Wait\(\)"\}`
		start = `\{"id":"\$tree/main.go#start","name":"start","symbol_type":"function","file_path":"main.go","start_line":5,"end_line":7,"language":"go","signature":"func start\(p \*pool.Pool\)"\}`
		chunk = `\{"id":"\$tree/pool/pool.go:\d+-\d+","file_path":"pool/pool.go","content":"// Wait blocks[^"]*","language":"go","start_line":6,"end_line":7,"chunk_type":"method","name":"Pool.Wait","score":[01][.\d]*\}`
		part  = `\{"status":"completed","total":\d+,"completed":\d+,"percent":100\}`
		state = `^\{"project_id":"\$tree","status":"completed","is_syncing":false,"sync_queue_size":0,"total_files":4,"indexed_files":4,"failed_files":\[\],"started_at":` + when + `,"completed_at":` + when +
			`,"parsing":\{"status":"completed","progress":100\},"vector_embeddings":` + part + `,"graph_embeddings":` + part + `,"overall_progress":\{"percent":100,"is_complete":true\},"progress_percent":100\}$`
		stats = `^\{"project_id":"\$tree","path":"\$root","total_files":4,"total_chunks":\d+,"total_symbols":\d+,"embedded_chunks":\d+,"languages":\{"go":2,"markdown":1,"python":1\},"skipped_files":1,"index_bytes":\d+,"updated_at":` + when + `\}$`
		list  = `^\{"projects":\[\{"project_id":"\$tree","path":"\$root","status":"completed","files":4,"chunks":\d+,"symbols":\d+,"embedded_chunks":\d+,"updated_at":` + when + `\}\],"count":1\}$`
		again = `^\{"project_id":"\$tree","status":"completed","files_indexed":4,"chunks_created":\d+,"symbols":\d+,"files_parsed":`
		calls = `^\{"symbol_id":"\$tree/pool/pool.go#Pool.Wait","of":\[` + wait + `\],"symbols":\[` + start + `\],"relations":\[\{"from_symbol":"\$tree/main.go#start","to_symbol":"\$tree/pool/pool.go#Pool.Wait","relation_type":"calls","file_path":"main.go","line":6\}\],` +
			`"symbol_count":1,"relation_count":1,"truncated":false,"deferred_count":0,"frontier":\["\$tree/main.go#start"\],"is_partial":false\}$`
	)
	return []exchange{
		{"list_projects", nil, list},
		{"project_info", object{"action": "list"}, list},
		{"get_index_status", object{"project_id": "$tree"}, state},
		{"get_index_status", nil, state},
		{"project_info", object{"action": "status", "projectId": "tree"}, state},
		{"get_project_stats", object{"project_id": "$root/pool"}, stats},
		{"project_info", object{"action": "stats", "project_id": "$tree"}, stats},
		{"project_info", object{"action": "cancel_index"}, `^\{"project_id":"\$tree","cancelled":false\}$`},
		{"project_info", object{"action": "cleanup_abandoned_index_jobs"}, `^\{"cleaned":0,`},
		{"index_project", object{"path": "$root"}, again + `0,"message":"0 files were parsed, 4 are as before, 0 are gone\. [^"]+"\}$`},
		{"index_project", object{"path": "pool", "watch": true, "confirm_failed_restart": true}, again + `0,`},
		{"index_project", object{"path": "$root/pool", "force": "true"}, again + `4,`},
		{"project_info", object{"action": "index", "path": "."}, again + `0,`},
		{"recall_code", object{"query": "until the queue is drained", "limit": 1}, `^\{"results":\[` + chunk + `\],"count":1,"query":"until the queue is drained","project_id":"\$tree","is_partial":false\}$`},
		{"recall_code", object{"query": "Wait", "mode": "vector", "limit": 1}, `"chunk_type":"[a-z]+",.*"count":1`},
		{"recall_code", object{"query": "drained", "vectorWeight": 0, "bm25Weight": 1, "pprWeight": 0}, `^\{"results":\[` + chunk + `\],"count":1,`},
		{"recall_code", object{"query": "Wait", "pathPrefix": "pool", "language": "Go", "chunkType": "method"}, `^\{"results":\[` + chunk + `\],"count":1,`},
		{"recall_code", object{"query": "notes", "chunk_type": "impl"}, `^\{"results":\[\],"count":0,`},
		{"search_code", object{"query": "until the queue is drained", "project_id": "$tree", "limit": "1"}, `^\{"results":\[` + chunk + `\],"count":1,`},
		{"search_symbols", object{"query": "Wait"}, `^\{"results":\[` + wait + `\],"count":1,"total":1,"limit":20,"offset":0,"query":"Wait","project_id":"\$tree","is_partial":false\}$`},
		{"search_symbols", object{"query": "Pool", "limit": 1, "offset": 1, "path_prefix": "$root/pool"}, `^\{"results":\[[^]]*\],"count":[01],"total":\d,"limit":1,"offset":1,`},
		{"search_symbols", object{"query": "Pool", "symbol_type": "trait"}, `^\{"results":\[\],"count":0,"total":0,`},
		{"symbol_graph", object{"symbol_id": "$tree/pool/pool.go#Pool.Wait", "action": "callers"}, calls},
		{"symbol_graph", object{"symbol_id": "pool/pool.go#Pool.Wait", "action": "callers"}, calls},
		{"get_symbol_callers", object{"symbolId": "Pool.Wait", "project_id": "$tree"}, calls},
		{"get_symbol_callers", object{"symbol_id": "Pool.Wait", "depth": 2}, `"symbol_count":2,.*"frontier":\["\$tree/main.go#main"\]`},
		{"get_symbol_callers", object{"symbol_id": "prepare"}, `"symbols":\[\{"id":"\$tree/run.py","name":"run.py","symbol_type":"module","file_path":"run.py","start_line":5,"end_line":5,"language":"python"\}\],"relations":\[\{"from_symbol":"\$tree/run.py",.*"frontier":\[\]`},
		{"get_symbol_callees", object{"symbol_id": "start"}, `"symbols":\[` + wait + `\],"relations":\[\{"from_symbol":"\$tree/main.go#start","to_symbol":"\$tree/pool/pool.go#Pool.Wait"`},
		{"symbol_graph", object{"symbol_id": "start", "action": "callees", "depth": 5}, `"to_symbol":"\$tree/pool/pool.go#helper"`},
		{"get_related_symbols", object{"symbol_id": "Pool", "direction": "outgoing"}, `"relations":\[\{"from_symbol":"\$tree/pool/pool.go#Pool","to_symbol":"\$tree/pool/pool.go#Pool.Wait","relation_type":"contains","file_path":"pool/pool.go","line":7\}\]`},
		{"symbol_graph", object{"symbol_id": "Pool", "action": "related"}, `"from_symbol":"\$tree/main.go#start","to_symbol":"\$tree/pool/pool.go#Pool","relation_type":"references"`},
		{"delete_project", object{"project_id": "$tree"}, `^\{"deleted_chunks":([1-9]\d*),"chunks_deleted":[1-9]\d*,"project_id":"\$tree"\}$`},
	}
}

// Every tool about code takes its documented arguments, and answers with its documented fields.
func TestMemoryMCP_Code(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{}
	s := startMCPCode(t, hippo.LocalScope(""))
	for _, x := range memoryMCPCodeCalls() { // the last one deletes the index
		tried[x.tool] = true
		o := s.must(x.tool, s.named(x.args), nil)
		if text := s.shown(o.Text); !regexp.MustCompile(x.want).MatchString(text) || !json.Valid([]byte(o.Text)) {
			t.Errorf("%s(%v): got\n%s\nwant a match of\n%s", x.tool, x.args, text, x.want)
		}
	}
	for _, tool := range memorymcp.New().Tools {
		if tool.Code && !tried[tool.Name] {
			t.Errorf("%s is not tried", tool.Name)
		}
	}
	if text := s.must("list_projects", nil, nil).Text; text != `{"projects":[],"count":0}` {
		t.Errorf("after the deletion: %s", text)
	}
	if _, err := os.Stat(filepath.Join(s.code.root, "main.go")); err != nil {
		t.Errorf("the tree: %v", err)
	}
}

// What is wrong is a result with isError, a message and a code in the structured content.
func TestMemoryMCP_CodeRefuses(t *testing.T) {
	t.Parallel()
	s := startMCPCode(t, hippo.LocalScope(""))
	for _, x := range []struct {
		exchange
		code hippo.Code
	}{
		{exchange{"get_index_status", object{"project_id": "nowhere"}, `^Project not found: nowhere$`}, hippo.CodeNotFound},
		{exchange{"get_project_stats", object{"project_id": "/nowhere"}, `^Project not found: /nowhere$`}, hippo.CodeNotFound},
		{exchange{"delete_project", object{"project_id": "nowhere"}, `^Project not found: nowhere$`}, hippo.CodeNotFound},
		{exchange{"delete_project", object{}, `^project_id: is required`}, hippo.CodeInvalid},
		{exchange{"project_info", object{}, `^action: is required`}, hippo.CodeInvalid},
		{exchange{"project_info", object{"action": "fly"}, `^action: must be one of list, status, stats`}, hippo.CodeInvalid},
		{exchange{"project_info", object{"action": "bind"}, `project_info bind: .*nothing was changed$`}, hippo.CodeUnsupported},
		{exchange{"project_info", object{"action": "index"}, `^path: is required`}, hippo.CodeInvalid},
		{exchange{"index_project", object{}, `^path: is required`}, hippo.CodeInvalid},
		{exchange{"index_project", object{"path": " "}, `^path: is required`}, hippo.CodeInvalid},
		{exchange{"index_project", object{"path": "/" + strings.Repeat("x", 5000)}, `^path: is required: a folder, of at most 4096 bytes`}, hippo.CodeInvalid},
		{exchange{"index_project", object{"path": "$root/nowhere"}, `^Path does not exist: \$root/nowhere$`}, hippo.CodeNotFound},
		{exchange{"index_project", object{"path": "$root/main.go"}, `^Invalid path: \$root/main.go: it is not a folder$`}, hippo.CodeInvalid},
		{exchange{"index_project", object{"path": "/"}, `^Invalid path: /: it is in no tree`}, hippo.CodeForbidden},
		{exchange{"index_project", object{"path": "$root/.."}, `^Invalid path: \$root/\.\.: it is in no tree`}, hippo.CodeForbidden},
		{exchange{"index_project", object{"path": "/nowhere/at/all"}, `^Invalid path: /nowhere/at/all: it is in no tree`}, hippo.CodeForbidden},
		{exchange{"index_project", object{"path": "$root", "exclude_patterns": []string{"*.md"}}, `\.hippoignore.*nothing was changed$`}, hippo.CodeUnsupported},
		{exchange{"index_project", object{"path": "$root", "force": "maybe"}, `^force: must be true or false`}, hippo.CodeInvalid},
		{exchange{"recall_code", object{"query": " "}, `^query: is required, and must not be blank`}, hippo.CodeInvalid},
		{exchange{"recall_code", object{"query": "x", "mode": "bm25"}, `^mode: must be one of vector, hybrid`}, hippo.CodeInvalid},
		{exchange{"recall_code", object{"query": "x", "vector_weight": 0, "bm25_weight": 0, "ppr_weight": 0}, `^vector_weight: `}, hippo.CodeInvalid},
		{exchange{"recall_code", object{"query": "x", "language": "cobol"}, `^language: no indexed file is cobol; there are go, markdown, python$`}, hippo.CodeInvalid},
		{exchange{"recall_code", object{"query": "x", "path_prefix": "../x"}, `^path_prefix: \.\./x is outside of the tree`}, hippo.CodeInvalid},
		{exchange{"recall_code", object{"query": "x", "path_prefix": "nowhere"}, `no file or folder nowhere in the index`}, hippo.CodeNotFound},
		{exchange{"recall_code", object{"query": "x", "chunk_type": "poem"}, `^chunk_type: must be one of function`}, hippo.CodeInvalid},
		{exchange{"recall_code", object{"query": "x", "project_id": "nowhere"}, `^Project not found: nowhere$`}, hippo.CodeNotFound},
		{exchange{"search_code", object{}, `^query: is required`}, hippo.CodeInvalid},
		{exchange{"search_symbols", object{"query": ""}, `^query: is required`}, hippo.CodeInvalid},
		{exchange{"search_symbols", object{"query": "x", "offset": -1}, `^offset: `}, hippo.CodeInvalid},
		{exchange{"search_symbols", object{"query": "x", "symbol_type": "import"}, `^symbol_type: must be one of function`}, hippo.CodeInvalid},
		{exchange{"symbol_graph", object{"symbol_id": "start"}, `^action: is required`}, hippo.CodeInvalid},
		{exchange{"symbol_graph", object{"symbol_id": "start", "action": "callers", "depth": 6}, `^depth: must be between 1 and 5`}, hippo.CodeInvalid},
		{exchange{"symbol_graph", object{"symbol_id": " ", "action": "callers"}, `^symbol_id: is required`}, hippo.CodeInvalid},
		{exchange{"symbol_graph", object{"symbol_id": "$tree/main.go#stop", "action": "callers"}, `main.go defines no stop$`}, hippo.CodeNotFound},
		{exchange{"get_symbol_callers", object{"symbol_id": "$tree/gone.go#start"}, `no file gone.go in the index$`}, hippo.CodeNotFound},
		{exchange{"get_symbol_callees", object{"symbol_id": "stat"}, `nothing is called stat; near are start$`}, hippo.CodeNotFound},
		{exchange{"get_related_symbols", object{"symbol_id": "start", "direction": "up"}, `^direction: must be one of`}, hippo.CodeInvalid},
	} {
		o := s.tool(x.tool, s.named(x.args))
		var body struct{ Error struct{ Code hippo.Code } }
		if err := json.Unmarshal(o.Data, &body); err != nil {
			t.Errorf("%s(%v): %v: %+v", x.tool, x.args, err, o)
		}
		if !o.IsError || !regexp.MustCompile(x.want).MatchString(s.shown(o.Text)) || body.Error.Code != x.code {
			t.Errorf("%s(%v): got %+v, want %q and %s", x.tool, x.args, o, x.want, x.code)
		}
	}
	if text := s.must("list_projects", nil, nil).Text; !strings.Contains(text, `"count":1`) {
		t.Errorf("after the errors: %s", text)
	}
}

// The folder of the current project can be indexed at the wish of the caller, and nothing that a link in it leads to.
func TestMemoryMCP_IndexOwn(t *testing.T) {
	t.Parallel()
	c := newCode(t)
	own, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own, "a.md"), []byte("# A\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.root, c.project = own, own
	s := startWithCode(t, c, []string{memorymcp.Name})
	s.hello()
	if o := s.tool("recall_code", object{"query": "x"}); !o.IsError || !strings.Contains(o.Text, "no source tree is indexed") {
		t.Errorf("before: %+v", o)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(own, "out")); err == nil {
		if o := s.tool("index_project", object{"path": "out"}); !o.IsError || !strings.Contains(o.Text, "Invalid path: out: it is in no tree") {
			t.Errorf("a link: %+v", o)
		}
	}
	if text := s.must("index_project", object{"path": own}, nil).Text; !strings.Contains(text, `"status":"completed","files_indexed":1`) {
		t.Errorf("got %s", text)
	}
	if text := s.must("recall_code", object{"query": "A"}, nil).Text; !strings.Contains(text, `"count":1`) || !strings.Contains(text, `"file_path":"a.md"`) {
		t.Errorf("got %s", text)
	}
}

// slowCode has an update that does not end while somebody waits for it.
type slowCode struct{ *code }

func (slowCode) Update(context.Context, *trees.Tree, bool) (*api.CodeReport, error) {
	return nil, fmt.Errorf("waiting: %w", context.DeadlineExceeded)
}

// An index that takes long is made in the background, and a failure is one.
func TestMemoryMCP_IndexLong(t *testing.T) {
	t.Parallel()
	c := newCode(t)
	c.index(t, map[string]string{"a.md": "# A\n"})
	s := connectAs(t, memstore.New(nil), time.UTC, &mcpserver.Options{Code: slowCode{c}, Tools: []string{memorymcp.Name}})
	s.hello()
	if text := s.must("index_project", object{"path": c.root}, nil).Text; !strings.Contains(text, `"status":"indexing"`) || !strings.Contains(text, "project_info") {
		t.Errorf("got %s", text)
	}
	if err := os.RemoveAll(c.root); err != nil {
		t.Fatal(err)
	}
	tree, err := c.library.Holding(c.root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Update(t.Context(), nil); !errors.Is(err, hippo.ErrNotFound) {
		t.Fatal(err)
	}
	if text := s.must("get_index_status", nil, nil).Text; !strings.Contains(text, `"status":"failed"`) || !strings.Contains(text, `was deleted`) || !strings.Contains(text, `"is_complete":false`) {
		t.Errorf("got %s", text)
	}
	if text := s.must("recall_code", object{"query": "A"}, nil).Text; !strings.Contains(text, `"content":"","language":"markdown"`) || !strings.Contains(text, `"freshness":"stale"`) || !strings.Contains(text, `"is_partial":true`) {
		t.Errorf("got %s", text)
	}
}

// Rights and projects also bound these tools.
func TestMemoryMCP_CodeScope(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		scope hippo.Scope
		calls []exchange
	}{
		"who may only read": {hippo.Scope{Rights: hippo.RightRead}, []exchange{
			{"recall_code", object{"query": "Wait"}, `"results":[{`},
			{"index_project", object{"path": "$root"}, "no right to index"},
			{"project_info", object{"action": "cancel_index"}, "no right"},
			{"delete_project", object{"project_id": "$tree"}, "no right to delete"},
		}},
		"who may write": {hippo.Scope{Rights: hippo.RightRead | hippo.RightWrite}, []exchange{
			{"index_project", object{"path": "$root"}, `"status":"completed"`},
			{"delete_project", object{"project_id": "$tree"}, "no right to delete"},
		}},
		"another project": {hippo.Scope{Projects: []string{"other"}, Rights: hippo.AllRights}, []exchange{
			{"list_projects", nil, `"count":0`},
			{"recall_code", object{"query": "Wait"}, "no source tree is indexed"},
			{"get_index_status", object{"project_id": "$root"}, "Project not found"},
			{"symbol_graph", object{"symbol_id": "start", "action": "callers"}, "no source tree is indexed"},
			{"index_project", object{"path": "$root"}, "Invalid path"},
			{"delete_project", object{"project_id": "$root"}, "Project not found"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startMCPCode(t, tc.scope)
			for _, x := range tc.calls {
				if o := s.tool(x.tool, s.named(x.args)); !strings.Contains(o.Text, x.want) {
					t.Errorf("%s(%v): got %+v, want %q", x.tool, x.args, o, x.want)
				}
			}
		})
	}
}

// The tools about code are listed where there is code to ask about.
func TestMemoryMCP_CodeListed(t *testing.T) {
	t.Parallel()
	s := connectMCP(t)
	s.hello()
	without := s.listed()
	with := startWithCode(t, newCode(t), []string{memorymcp.Name})
	with.hello()
	got := slices.DeleteFunc(with.listed(), func(name string) bool { return slices.Contains(without, name) })
	if diff := cmp.Diff([]string{"index_project", "project_info", "delete_project", "recall_code", "search_symbols", "symbol_graph"}, got); diff != "" {
		t.Error(diff)
	}
}

// The transcript has a session about code as its clients have it, in place of the root of the tree and its ID the words ROOT and TREE.
func TestTranscripts_MemoryMCPCode(t *testing.T) {
	t.Parallel()
	s := startMCPCode(t, hippo.LocalScope(""))
	fresh := startWithCode(t, s.code, []string{memorymcp.Name})
	path := filepath.Join("testdata", "code", "memory-mcp.transcript")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{s.keys["$root"], "ROOT", s.keys["$tree"], "TREE"}
	got := replay(t, fresh, strings.NewReplacer(names[1], names[0], names[3], names[2]).Replace(string(b)))
	got = strings.NewReplacer(names...).Replace(got)
	got = regexp.MustCompile(`(_at": ")[^"]+|(index_bytes": )\d+`).ReplaceAllString(got, "${1}${2}N")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(b), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
