package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// doors are the front ends, by name.
func doors() map[string]func(t *testing.T, dir string) door {
	return map[string]func(t *testing.T, dir string) door{
		"cli": openShell, "mcp": openTools, "script": openPrograms, "rest": openRoutes, "go": openLibrary, "socket": openSocket, "http": openRemote,
		"service": openService,
	}
}

// foreign reports whether a door speaks the interface of another system, which has few of the verbs. It is asked about projects alone.
func foreign(door string) bool { return door == "service" }

// wing is what doors have in common: a store with the memories of testdata/doors/seed.jsonl, in a folder that is no repository.
type wing struct {
	t          *testing.T
	dir, store string
	env        []string
}

func newWing(t *testing.T, dir string) *wing {
	t.Helper()
	w := &wing{t: t, dir: dir, store: "sqlite:" + filepath.Join(dir, "memory.db"), env: append(environ(dir), "HIPPO_MODEL=static")}
	seed, err := filepath.Abs(filepath.Join("testdata", "doors", "seed.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := w.command("import", seed).CombinedOutput(); err != nil {
		t.Fatalf("import: %v\n%s", err, out)
	}
	tree := filepath.Join(dir, "tree")
	if err := errors.Join(os.Mkdir(tree, 0o700), os.WriteFile(filepath.Join(tree, "lagoon.go"), []byte("package tide\n\n// Lagoon returns the lagoon that a tide fills.\nfunc Lagoon() int { return 4 }\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if out, err := w.command("code", "index", tree).CombinedOutput(); err != nil {
		t.Fatalf("code index: %v\n%s", err, out)
	}
	return w
}

func (w *wing) command(args ...string) *exec.Cmd {
	c := exec.CommandContext(w.t.Context(), "hippo", append([]string{"--store", w.store}, args...)...)
	c.Dir, c.Env = w.dir, w.env
	return c
}

// server starts one for the store.
func (w *wing) server() (s *webServer, token string) {
	w.t.Helper()
	s, err := startWeb(w.t.Context(), w.dir, w.env, "--http", "127.0.0.1:0", "--store", w.store, "--tools", "hippo,code")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = s.kill() })
	text, err := os.ReadFile(filepath.Join(w.dir, "home", "data", "hippo", "token"))
	if err != nil {
		w.t.Fatal(err)
	}
	return s, strings.TrimSpace(string(text))
}

func (*wing) close() {}

// spelling is how a door spells verbs and arguments.
type spelling struct {
	verbs map[string]string
	// names are those of arguments, by VERB.ARGUMENT or ARGUMENT. Others are as in the table.
	names map[string]string
}

func (s *spelling) name(verb, arg string) string {
	for _, key := range []string{verb + "." + arg, arg} {
		if name, ok := s.names[key]; ok {
			return name
		}
	}
	return arg
}

// refused is an error as the table has it: with the name of the field in the table where the door names it as it was written, without hints that
// only one door gives, and absent where the door does not know an argument of the table.
func (s *spelling) refused(verb string, args map[string]any, r *refusal) *refusal {
	r.Message, _, _ = strings.Cut(strings.TrimPrefix(r.Message, r.Field+": "), "; for example ")
	r.Message = strings.TrimPrefix(r.Message, "invalid: ")
	if unknown, _, is := strings.Cut(r.Message, ": known are "); is {
		r.Message = unknown
	}
	field, element, _ := strings.Cut(r.Field, "[")
	for arg := range args {
		if field == s.name(verb, arg) {
			if r.Field = arg; element != "" {
				r.Field += "[" + element
			}
			if strings.HasPrefix(r.Message, "is unknown") && isArgument(arg) {
				r.Code = absent
			}
		}
	}
	return r
}

// isArgument reports whether some door has this argument: others are mistakes, for which the error is compared.
func isArgument(name string) bool {
	return slices.Contains(strings.Fields(`query situation strict limit offset tags without_tags type project when as_of known_at created_after created_before event_after event_before
		author session pinned archived min_relevance max_relevance min_trust ranker mode no_touch explain sources detail max_tokens forgotten source import content importance
		event_time valid_from valid_until supersedes reason clear vote add_situation id ids upvotes downvotes undo restore purge from to kind weight depth direction name prompt
		path language kinds learned format each metadata`), name)
}

// shell is the command line.
type shell struct {
	*wing
	spelling
}

func openShell(t *testing.T, dir string) door {
	return &shell{newWing(t, dir), spelling{
		verbs: map[string]string{
			"search": "search", "list": "list", "record": "record", "modify": "modify", "upvote": "upvote", "downvote": "downvote", "forget": "forget", "restore": "restore", "get": "get",
			"context": "context", "relate": "relate", "relations": "relations", "graph": "graph neighbours", "entity": "entity show", "entities": "entity add", "facts": "fact list", "fact": "fact add", "code": "code search", "status": "status",
		},
		names: map[string]string{
			"tags": "tag", "without_tags": "without_tag", "created_after": "since", "created_before": "until", "min_relevance": "min", "max_relevance": "max", "vote": "reinforce", "kinds": "kind",
			"entity.max_tokens": "tokens", "ids": "id", "graph.id": "id", "query": "words", "upvote.query": "query", "downvote.query": "query",
		},
	}}
}

// operands are the arguments of commands that have no flag.
func operands(verb string) []string {
	return map[string][]string{
		"search": {"query"}, "code": {"query"}, "record": {"content"}, "modify": {"id"}, "get": {"ids"}, "forget": {"ids"}, "restore": {"ids"}, "upvote": {"ids"}, "downvote": {"ids"},
		"relate": {"from", "kind", "to"}, "relations": {"id"}, "graph": {"id"}, "entity": {"name"}, "entities": {"name"}, "facts": {"name"}, "fact": {"from", "kind", "to"},
	}[verb]
}

func (d *shell) do(verb string, args map[string]any) (string, *refusal) {
	command, ok := d.verbs[verb]
	if !ok {
		return "", &refusal{Code: absent}
	}
	line := append(strings.Fields(command), "--json")
	if verb == "forget" {
		line = append(line, "--yes")
	}
	for _, arg := range sorted(args) {
		if slices.Contains(operands(verb), arg) {
			continue
		}
		for _, x := range each(args[arg]) {
			line = append(line, "--"+strings.ReplaceAll(d.name(verb, arg), "_", "-")+"="+fmt.Sprint(x))
		}
	}
	line = append(line, "--")
	for _, arg := range operands(verb) {
		for _, x := range each(args[arg]) {
			line = append(line, fmt.Sprint(x))
		}
	}
	c := d.command(line...)
	var failure strings.Builder
	c.Stderr = &failure
	out, err := c.Output()
	if err == nil {
		return string(out), nil
	}
	var e struct{ Error refusal }
	if json.Unmarshal([]byte(failure.String()), &e) != nil {
		d.t.Fatalf("hippo %s: %v\n%s", strings.Join(line, " "), err, failure.String())
	}
	if name, is := strings.CutPrefix(e.Error.Message, "unknown flag: --"); is {
		name, _, _ = strings.Cut(name, ";")
		e.Error = refusal{"invalid", name, "is unknown"}
	}
	e.Error.Message = strings.TrimPrefix(e.Error.Message, e.Error.Field+": ")
	e.Error.Field = strings.ReplaceAll(e.Error.Field, "-", "_")
	return "", d.refused(verb, args, &e.Error)
}

// each returns the elements of a list, a value that is none as a list of it, and nothing for nothing.
func each(value any) []any {
	switch x := value.(type) {
	case nil:
		return nil
	case []any:
		return x
	default:
		return []any{x}
	}
}

func sorted(args map[string]any) (names []string) {
	for name := range args {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// tools is MCP over stdio.
type tools struct {
	*wing
	spelling
	session *session
}

func openTools(t *testing.T, dir string) door { return newTools(t, dir) }

// openService is MCP with the tools of mcp-memory-service.
func openService(t *testing.T, dir string) door {
	return toolsOf(newWing(t, dir), "memory-service", spelling{
		verbs: map[string]string{"search": "memory_search", "list": "memory_list", "record": "memory_store"}, names: map[string]string{"project": "store"},
	})
}

func toolsOf(w *wing, systems string, s spelling) *tools {
	w.t.Helper()
	session, err := start(w.t.Context(), w.dir, w.env, "hippo", "serve", "--tools", systems, "--store", w.store)
	if err != nil {
		w.t.Fatal(err)
	}
	return &tools{w, s, session}
}

func newTools(t *testing.T, dir string) *tools {
	t.Helper()
	return toolsOf(newWing(t, dir), "hippo,graph,code", spelling{
		verbs: map[string]string{
			"search": "hippo_search_insights", "record": "hippo_record_insight", "modify": "hippo_modify_insight", "upvote": "hippo_reinforce_insight", "downvote": "hippo_reinforce_insight",
			"forget": "hippo_forget", "restore": "hippo_forget", "get": "hippo_get", "context": "hippo_context", "relate": "hippo_relate", "relations": "hippo_relate", "fact": "hippo_relate",
			"graph": "hippo_graph", "entity": "hippo_graph", "facts": "hippo_graph", "entities": "hippo_relate", "code": "hippo_code", "status": "hippo_status",
		},
		names: map[string]string{
			"situation": "situation_filter", "record.situation": "situation", "modify.situation": "situation", "modify.id": "uuid", "forget.ids": "uuids", "restore.ids": "uuids",
			"upvote.ids": "upvotes", "downvote.ids": "downvotes", "vote": "reinforce", "relations.id": "from", "graph.id": "from", "name": "from",
		},
	})
}

func (d *tools) do(verb string, args map[string]any) (string, *refusal) {
	tool, ok := d.verbs[verb]
	if !ok {
		return "", &refusal{Code: absent}
	}
	sent := map[string]any{}
	for arg, value := range args {
		sent[d.name(verb, arg)] = value
	}
	switch verb {
	case "restore":
		sent["restore"] = true
	case "relations":
		sent["action"] = "list"
	case "entity", "entities", "facts":
		sent["action"] = "entity"
	}
	raw, _, err := d.session.call(tool, sent)
	if err != nil {
		d.t.Fatal(err)
	}
	var r struct {
		Content []struct{ Text string }
		Meta    struct{ Hippo struct{ Error *refusal } } `json:"_meta"`
		IsError bool
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		d.t.Fatal(err)
	}
	if r.IsError {
		return "", d.refused(verb, args, r.Meta.Hippo.Error)
	}
	return r.Content[0].Text, nil
}

func (d *tools) close() {
	if err := d.session.stop(); err != nil {
		d.t.Error(err)
	}
}

// routes is REST.
type routes struct {
	*wing
	spelling
	front fronts
}

func openRoutes(t *testing.T, dir string) door {
	w := newWing(t, dir)
	d := &routes{wing: w, spelling: spelling{
		verbs: map[string]string{
			"search": "POST /search", "list": "GET /memories", "record": "POST /memories", "modify": "PATCH /memories/{id}", "upvote": "POST /reinforce", "downvote": "POST /reinforce",
			"forget": "POST /forget", "restore": "POST /restore", "get": "POST /memories/get", "context": "POST /context", "relate": "POST /relations", "relations": "GET /memories/{id}/relations",
			"graph": "GET /graph/neighbours", "entity": "GET /entities/{name}", "facts": "GET /entities/{name}", "entities": "POST /entities", "fact": "POST /relations", "code": "POST /search/sources", "status": "GET /status",
		},
		names: map[string]string{
			"situation": "situation_filter", "record.situation": "situation", "modify.situation": "situation", "ids": "uuids", "upvote.ids": "upvotes", "downvote.ids": "downvotes", "vote": "reinforce",
			"kinds": "kind",
		},
	}}
	d.front.t = t
	d.front.server, d.front.token = w.server()
	return d
}

func (d *routes) do(verb string, args map[string]any) (string, *refusal) {
	route, ok := d.verbs[verb]
	if !ok {
		return "", &refusal{Code: absent}
	}
	method, path, _ := strings.Cut(route, " ")
	sent, query := map[string]any{}, url.Values{}
	for arg, value := range args {
		if name := "{" + arg + "}"; strings.Contains(path, name) {
			path = strings.ReplaceAll(path, name, url.PathEscape(fmt.Sprint(value)))
			continue
		}
		if sent[d.name(verb, arg)] = value; arg == "project" && verb == "search" { // a list
			sent["project"] = each(value)
		}
		for _, x := range each(value) {
			query.Add(d.name(verb, arg), fmt.Sprint(x))
		}
	}
	var body string
	switch {
	case method == http.MethodGet && len(query) > 0:
		path += "?" + query.Encode()
	case method == http.MethodGet:
	case verb == "relate", verb == "fact":
		body = asJSON(d.t, map[string]any{"relations": []any{sent}})
	case verb == "code":
		sent["sources"] = []string{"code"}
		fallthrough
	default:
		body = asJSON(d.t, sent)
	}
	status, answer := d.front.ask(method+" /api/v1"+path, body)
	if status < 300 {
		return answer, nil
	}
	var r struct{ Code, Field, Detail string }
	if err := json.Unmarshal([]byte(answer), &r); err != nil {
		d.t.Fatalf("%s: %d %s", route, status, answer)
	}
	return "", d.refused(verb, args, &refusal{r.Code, r.Field, r.Detail})
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
