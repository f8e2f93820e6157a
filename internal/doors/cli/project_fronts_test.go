package cli_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/doors/cli"
)

// projectCommands are the commands that obey --project, each with arguments that do no harm. ID is a memory of the known project.
func projectCommands() map[string]string {
	return map[string]string{
		"audit": "", "clusters": "", "confirm": "", "consolidate": "--dry-run", "context": "", "diff": "ID", "downvote": "ID", "edit": "ID", "unvote": "ID",
		"entity add": "Zed", "entity alias": "Acme A", "entity list": "", "entity merge": "Acme Lotus", "entity modify": "Acme --kind firm", "entity remove": "Acme",
		"entity show": "Acme", "entity split": "Acme A", "export": "", "fact add": "Acme likes Lotus", "fact end": "Acme likes Lotus", "fact list": "", "fact remove": "Acme likes Lotus",
		"forget": "ID", "get": "ID", "graph communities": "", "graph draw": "ID", "graph neighbours": "ID", "graph path": "ID ID", "import": "notes.md --dry-run", "list": "", "log": "",
		"migrate": "--from STORE --to sqlite:DIR/PROJECT.db", "modify": "ID --importance 0.6", "project list": "", "project merge": "Shop Shop", "project move": "ID --to Shop", "project rename": "Shop Shop",
		"record": "Bolts", "relate": "ID explains ID", "relations": "ID", "restore": "ID", "run": "program.star", "search": "hinges", "status": "", "sync-file": "MEMORY.md", "undo": "", "upvote": "ID", "votes": "ID",
	}
}

// otherCommands are the commands that do not, each with the reason.
func otherCommands() map[string]string {
	const noStore, whole, mayBeNew = "it asks no store about memories", "it is about a store with all of its projects", "the project that it works for may be new"
	out := map[string]string{"backup": whole, "check": whole, "doctor": whole, "ui": whole, "capture": mayBeNew, "hook": mayBeNew, "serve": mayBeNew, "setup": mayBeNew}
	for c := range strings.FieldsSeq("bench demo embed eval flags guidance login logout merge-file times tools version") {
		out[c] = noStore
	}
	return out
}

// TestUnknownProject: a project that the store does not know is refused with those that it does know, at every front end, and one that is
// written otherwise is the known one. Each command, tool and route that takes a project is asked: one that is new has to be named here.
func TestUnknownProject(t *testing.T) {
	t.Parallel()
	f := newFronts(t)
	id := strings.Fields(f.command("record Hinges_need_oil --project new:Shop"))[2]
	t.Run("commands", func(t *testing.T) { unknownProjectInCommands(t, f, id) })
	t.Run("tools", func(t *testing.T) { unknownProjectInTools(t, f, id) })
	t.Run("routes", func(t *testing.T) { unknownProjectInRoutes(t, f, id) })
	if text := f.command("project list"); strings.Contains(text, "shed") {
		t.Errorf("a project was made in silence:\n%s", text)
	}
}

func unknownProjectInCommands(t *testing.T, f *fronts, id string) {
	for name, text := range map[string]string{"program.star": "list_memories()", "notes.md": "# Notes\n\nDoors need paint.\n"} {
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	obey, others, all := projectCommands(), otherCommands(), cli.Commands()
	for _, c := range all {
		_, other := others[c]
		other = other || slices.ContainsFunc([]string{"code", "completion", "db", "help", "model", "sync", "tenant", "token"}, func(group string) bool { return c == group || strings.HasPrefix(c, group+" ") })
		isGroup := slices.ContainsFunc(all, func(x string) bool { return strings.HasPrefix(x, c+" ") })
		args, obeys := obey[c]
		if obeys == (other || isGroup) {
			t.Errorf("hippo %s: say here how it obeys --project, or why it does not", c)
		}
		if !obeys {
			continue
		}
		for _, project := range []string{"shed", "sHOP"} {
			line := strings.NewReplacer("ID", id, "STORE", f.store, "DIR", f.dir, "PROJECT", project).Replace(args)
			x := exec.CommandContext(t.Context(), "hippo", slices.Concat([]string{"--store", f.store}, strings.Fields(c), strings.Fields(line), []string{"--project", project})...)
			x.Dir, x.Env = f.dir, append(slices.Clone(f.env), "EDITOR=true")
			out, err := x.CombinedOutput()
			if refused := strings.Contains(string(out), `no project "`+project); refused != (project == "shed") || refused && (err == nil || !strings.Contains(string(out), "known: Shop")) {
				t.Errorf("hippo %s %s --project %s: %v %s", c, line, project, err, out)
			}
		}
	}
}

// projectTools are the arguments of tools that take a project, by system.
func projectTools() map[string][][2]string {
	return map[string][][2]string{
		"hippo,graph": {
			{"hippo_search_insights", `{"query":"hinges","project":"PROJECT"}`},
			{"hippo_record_insight", `{"content":"Doors need oil","project":"PROJECT"}`},
			{"hippo_context", `{"project":"PROJECT"}`},
			{"hippo_modify_insight", `{"uuid":"ID","project":"PROJECT"}`},
			{"hippo_run", `{"program":"search('hinges', project='PROJECT')"}`},
			{"hippo_run", `{"program":"list_memories(project='PROJECT')"}`},
			{"hippo_run", `{"program":"store('Gates need oil', project='PROJECT')"}`},
		},
		"memory-service": {
			{"memory_search", `{"query":"hinges","store":"PROJECT"}`},
			{"memory_list", `{"store":"PROJECT"}`},
			{"memory_store", `{"content":"Locks need oil","store":"PROJECT"}`},
			{"memory_store_session", `{"turns":[{"role":"user","content":"hello there"}],"session_id":"a","store":"PROJECT"}`},
			{"memory_delete", `{"tags":["none has it"],"store":"PROJECT"}`},
			{"memory_delete", `{"content_hash":"ID","dry_run":true,"store":"PROJECT"}`},
			{"get_bootstrap_profile", `{"agent_ids":["a"],"project_id":"PROJECT"}`},
		},
		"memory-mcp": {
			{"search_memory", `{"query":"hinges","namespace":"PROJECT"}`},
			{"recall", `{"query":"hinges","namespace":"PROJECT"}`},
			{"list_memories", `{"namespace":"PROJECT"}`},
			{"get_valid", `{"namespace":"PROJECT"}`},
			{"store_memory", `{"content":"Keys need oil","namespace":"PROJECT"}`},
		},
	}
}

// unprojectTools are tools that take what is called as a project elsewhere, each with the reason why it is none.
func unprojectTools() map[string]string {
	const tree, owner = "project_id is a source tree", "namespace must be what the memory has"
	return map[string]string{"project_info": tree, "delete_project": tree, "recall_code": tree, "search_symbols": tree, "update_memory": owner}
}

func unknownProjectInTools(t *testing.T, f *fronts, id string) {
	for system, list := range projectTools() {
		call := f.calls(system)
		for _, c := range list {
			ask := func(project string) (string, bool) {
				return call(c[0], strings.NewReplacer("PROJECT", project, "ID", id).Replace(c[1]))
			}
			if text, failed := ask("shed"); !failed || !strings.Contains(text, `no project "shed"; known: Shop`) {
				t.Errorf("%v of an unknown project: got %s", c, text)
			}
			if text, failed := ask(" sHOP "); failed || strings.Contains(c[1], "hinges") && !strings.Contains(text, "Hinges") {
				t.Errorf("%v of a known project: got %s", c, text)
			}
		}
		s, err := start(t.Context(), f.dir, f.env, "hippo", "serve", "--tools", system, "--store", f.store)
		if err != nil {
			t.Fatal(err)
		}
		var listed struct {
			Tools []struct {
				Name        string
				InputSchema struct{ Properties map[string]any }
			}
		}
		r, err := s.request("tools/list", map[string]any{})
		if err == nil {
			err = json.Unmarshal(r, &listed)
		}
		if err != nil || len(listed.Tools) == 0 {
			t.Fatalf("tools of %s: %v %s", system, err, r)
		}
		for _, tool := range listed.Tools {
			asked := slices.ContainsFunc(list, func(c [2]string) bool { return c[0] == tool.Name })
			for _, name := range []string{"project", "projects", "project_id", "store", "namespace"} {
				if _, takes := tool.InputSchema.Properties[name]; takes && !asked && unprojectTools()[tool.Name] == "" {
					t.Errorf("%s takes %s: say here how, or why it is no project", tool.Name, name)
				}
			}
		}
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	}
}

// projectRoutes are requests of the routes that take a project.
func projectRoutes() [][2]string {
	return [][2]string{
		{"GET /api/v1/memories?project=PROJECT"},
		{"GET /api/v1/audit?project=PROJECT"},
		{"PATCH /api/v1/memories/ID", `{"project":"PROJECT"}`},
		{"POST /api/v1/search", `{"query":"hinges","project":["PROJECT"]}`},
		{"POST /api/v1/search/sources", `{"query":"hinges","sources":["memory","code"],"project":["PROJECT"]}`},
		{"GET /ui/browse?project=PROJECT"},
		{"GET /ui/timeline?project=PROJECT"},
		{"GET /?q=hinges&project=PROJECT"},
	}
}

// unprojectRoutes are those for which a project may be new: who works for one asks what to know before anything is recorded, and a
// program records for the project that it names.
func unprojectRoutes() []string { return []string{"POST /context", "POST /memories"} }

func unknownProjectInRoutes(t *testing.T, f *fronts, id string) {
	for _, c := range projectRoutes() {
		ask := func(project string) (int, string) {
			fill := strings.NewReplacer("PROJECT", project, "ID", id)
			return f.ask(fill.Replace(c[0]), fill.Replace(c[1]))
		}
		if status, text := ask("shed"); status != http.StatusNotFound || !strings.Contains(text, "known: Shop") {
			t.Errorf("%v of an unknown project: got %d %s", c, status, text)
		}
		if status, text := ask("sHOP"); status != http.StatusOK || strings.Contains(c[0]+c[1], "hinges") && !strings.Contains(text, "Hinges") {
			t.Errorf("%v of a known project: got %d %s", c, status, text)
		}
	}
	var document struct {
		Paths map[string]map[string]struct {
			Parameters  []struct{ Name string }
			RequestBody struct {
				Content map[string]struct {
					Schema struct{ Properties map[string]any }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(f.web("GET /api/v1/openapi.json", "")), &document); err != nil || len(document.Paths) == 0 {
		t.Fatalf("the document of the interface has %d paths: %v", len(document.Paths), err)
	}
	for path, methods := range document.Paths {
		for method, m := range methods {
			takes := slices.ContainsFunc(m.Parameters, func(p struct{ Name string }) bool { return p.Name == "project" })
			for _, c := range m.RequestBody.Content {
				takes = takes || c.Schema.Properties["project"] != nil
			}
			route := strings.ToUpper(method) + " " + strings.TrimPrefix(path, "/api/v1")
			asked := slices.ContainsFunc(projectRoutes(), func(c [2]string) bool {
				request, _, _ := strings.Cut(c[0], "?")
				return strings.ReplaceAll(request, "/ID", "/{id}") == strings.Replace(route, " ", " /api/v1", 1)
			})
			if takes && !asked && !slices.Contains(unprojectRoutes(), route) {
				t.Errorf("%s takes a project: say here how, or why it may be new", route)
			}
		}
	}
}
