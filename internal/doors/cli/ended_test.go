package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// subject is something of which a front end must show whether it holds.
type subject struct {
	name, text string // text: a pattern of what shows it
	state      string // as JSON, "" if it holds
	mark       string // a pattern in a text
}

// pilots are four memories that answer one question, of which the first holds. relations are those of an entity.
func pilots() []subject {
	return []subject{
		{"Eve", `pilot is Eve`, "", ""},
		{"Bob", `pilot is Bob`, "ended", `\bended\b`},
		{"Dan", `pilot is Dan`, "not_yet", `\bnot\s+(before|yet)\b`},
		{"Carl", `pilot is Carl`, "superseded", `\bsuperseded\b`},
	}
}

func facts() []subject {
	return []subject{
		{"uses", `\buses\b`, "", ""}, {"leads", `\bleads\b`, "ended", `\bended\b`}, {"owns", `\bowns\b`, "not_yet", `\bnot\s+(before|yet)\b`},
	}
}

// sighting is a place at which a subject is shown.
type sighting struct {
	*subject
	marked bool
}

// sightings returns where an answer shows subjects, in its order.
func sightings(answer string, subjects []subject) []sighting {
	var v any
	if json.Unmarshal([]byte(answer), &v) == nil {
		var out []sighting
		inJSON(json.NewDecoder(strings.NewReader(answer)), subjects, &out)
		return out
	}
	return inText(answer, subjects)
}

// inText finds subjects in a text: its mark may be anywhere between the one before it and the one after it.
func inText(text string, subjects []subject) (out []sighting) {
	text, _, _ = strings.Cut(text, "\nTimeline:") // a history
	text = regexp.MustCompile(`</?mark>`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`(?s)<(script|style|title|textarea)\b.*?</(script|style|title|textarea)>|<[^>]*>`).ReplaceAllString(text, " ")
	var names []string
	for _, s := range subjects {
		names = append(names, s.text)
	}
	at := regexp.MustCompile(strings.Join(names, "|")).FindAllStringIndex(text, -1)
	for i := 0; i < len(at); {
		begin, next := 0, i+1
		for next < len(at) && text[at[next][0]:at[next][1]] == text[at[i][0]:at[i][1]] {
			next++
		}
		if i > 0 {
			begin = at[i-1][1]
		}
		end := len(text)
		if next < len(at) {
			end = at[next][0]
		}
		k := slices.IndexFunc(subjects, func(s subject) bool { return regexp.MustCompile(s.text).MatchString(text[at[i][0]:at[i][1]]) })
		out = append(out, sighting{&subjects[k], regexp.MustCompile(subjects[k].mark).MatchString(text[begin:end])})
		i = next
	}
	return out
}

// inJSON finds subjects in a value: what shows them is a member of an object, which has their state beside it.
func inJSON(d *json.Decoder, subjects []subject, out *[]sighting) {
	t, err := d.Token()
	if err != nil {
		return
	}
	switch t {
	case json.Delim('['):
		for d.More() {
			inJSON(d, subjects, out)
		}
		_, _ = d.Token()
	case json.Delim('{'):
		first, members := len(*out), map[string]any{}
		for d.More() {
			token, _ := d.Token()
			key, _ := token.(string)
			var raw json.RawMessage
			if d.Decode(&raw) != nil {
				return
			}
			var text string
			switch {
			case key == "timeline": // a history
			case json.Unmarshal(raw, &text) == nil:
				members[key] = text
			default:
				members[key] = nil
				inJSON(json.NewDecoder(bytes.NewReader(raw)), subjects, out)
			}
		}
		_, _ = d.Token()
		*out = slices.Insert(*out, first, inObject(members, subjects)...)
	}
}

// inObject finds subjects in the texts of an object.
func inObject(members map[string]any, subjects []subject) (out []sighting) {
	for i := range subjects {
		for key, v := range members {
			text, ok := v.(string)
			if ok && key != "query" && regexp.MustCompile(subjects[i].text).MatchString(text) {
				state, _ := members["state"].(string)
				marked := state == subjects[i].state || subjects[i].mark != "" && regexp.MustCompile(subjects[i].mark).MatchString(text)
				out = append(out, sighting{&subjects[i], marked})
				break
			}
		}
	}
	return out
}

// probe is one way to read memories or relations, and those that it shows.
type probe struct {
	name   string
	answer func() string
	shows  string // names, in any order; all if empty
	// given: the order is that of a request, of a way or of a file, and not one of what matters most.
	given bool
}

func (p *probe) check(t *testing.T, subjects []subject) {
	t.Helper()
	answer := p.answer()
	found := sightings(answer, subjects)
	shown := map[string]bool{}
	for i, s := range found {
		shown[s.name] = true
		if s.state == "" {
			if i > 0 && !p.given && slices.IndexFunc(found, func(x sighting) bool { return x.state == "" }) == i {
				t.Errorf("%s: %s, which does not hold, is before %s:\n%s", p.name, found[0].name, s.name, answer)
			}
			continue
		}
		if !s.marked {
			t.Errorf("%s: %s is not marked as %s:\n%s", p.name, s.name, s.state, answer)
		}
	}
	for _, s := range subjects {
		if want := p.shows == "" || slices.Contains(strings.Fields(p.shows), s.name); shown[s.name] != want {
			t.Errorf("%s: %s is shown: %v, want %v:\n%s", p.name, s.name, shown[s.name], want, answer)
		}
	}
}

// fronts are all front ends over one store.
type fronts struct {
	t          *testing.T
	dir, store string
	env        []string
	server     *webServer
	token      string
	ids        map[string]string
}

// newFronts opens a store of [pilots], whose last three are more important and, but for Carl, newer, and an entity with [facts].
func newFronts(t *testing.T) *fronts {
	t.Helper()
	dir := t.TempDir()
	f := &fronts{t: t, dir: dir, store: "sqlite:" + filepath.Join(dir, "memory.db"), env: append(environ(dir), "HIPPO_MODEL=static"), ids: map[string]string{}}
	var err error
	if f.server, err = startWeb(t.Context(), dir, f.env, "--http", "127.0.0.1:0", "--store", f.store); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.server.kill() })
	token, err := os.ReadFile(filepath.Join(dir, "home", "data", "hippo", "token"))
	if err != nil {
		t.Fatal(err)
	}
	f.token = strings.TrimSpace(string(token))
	mcp := f.tools("hippo,graph")
	record := func(name, importance string, more ...string) {
		arguments := `{"content":"Port pilot is ` + name + `.","situation":["steering ships"],"tags":["pilotage"],"type":"decision","source":"user","importance":` + importance
		f.ids[name] = strings.TrimRight(strings.Fields(mcp("hippo_record_insight", arguments+strings.Join(more, "")+"}"))[2], ",.")
	}
	record("Carl", "0.9")
	record("Eve", "0.4", `,"supersedes":["`+f.ids["Carl"]+`"]`)
	record("Bob", "0.9", `,"valid_from":"2025-01-01","valid_until":"2026-01-01"`)
	record("Dan", "0.9", `,"valid_from":"2999-01-01"`)
	for _, name := range []string{"Bob", "Carl", "Dan"} {
		mcp("hippo_relate", `{"from":"`+f.ids[name]+`","kind":"related","to":"`+f.ids["Eve"]+`"}`)
	}
	for _, name := range []string{"Acme", "Launch", "Landing", "Lotus"} {
		f.ids[name] = strings.Fields(mcp("hippo_relate", `{"action":"entity","from":"`+name+`"}`))[2]
	}
	mcp("hippo_relate", `{"from":"Acme","kind":"leads","to":"Launch","valid_from":"2025-01-01","valid_until":"2025-06-01"}`)
	mcp("hippo_relate", `{"from":"Acme","kind":"uses","to":"Lotus","valid_from":"2025-06-01"}`)
	mcp("hippo_relate", `{"from":"Acme","kind":"owns","to":"Landing","valid_from":"2999-06-01"}`)
	return f
}

// tools returns how to call the tools of some systems with their arguments as JSON.
func (f *fronts) tools(systems string) func(tool, arguments string) string {
	f.t.Helper()
	call := f.calls(systems)
	return func(tool, arguments string) string {
		f.t.Helper()
		text, failed := call(tool, arguments)
		if failed {
			f.t.Errorf("%s %s: %s", tool, arguments, text)
			return ""
		}
		return text
	}
}

// calls is [fronts.tools] for calls that may be refused.
func (f *fronts) calls(systems string) func(tool, arguments string) (text string, failed bool) {
	f.t.Helper()
	s, err := start(context.WithoutCancel(f.t.Context()), f.dir, f.env, "hippo", "serve", "--tools", systems, "--store", f.store)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		if err := s.stop(); err != nil {
			f.t.Error(err)
		}
	})
	return func(tool, arguments string) (string, bool) {
		f.t.Helper()
		r, failed, err := s.call(tool, json.RawMessage(f.named(arguments)))
		if err != nil {
			f.t.Fatalf("%s %s: %v", tool, arguments, err)
		}
		var result struct {
			Content []struct{ Text string } `json:"content"`
		}
		if err := json.Unmarshal(r, &result); err != nil {
			f.t.Fatal(err)
		}
		return result.Content[0].Text, failed
	}
}

// named replaces $NAME by the ID of a memory.
func (f *fronts) named(text string) string {
	for name, id := range f.ids {
		text = strings.ReplaceAll(text, "$"+name, id)
	}
	return text
}

// command returns what a command prints.
func (f *fronts) command(line string) string {
	args := strings.Fields(f.named(line))
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "_", " ")
	}
	c := exec.CommandContext(f.t.Context(), "hippo", append([]string{"--store", f.store}, args...)...)
	c.Dir, c.Env = f.dir, f.env
	out, err := c.Output()
	if err != nil {
		f.t.Errorf("hippo %s: %v", line, err)
	}
	return string(out)
}

// web returns the answer to a request with a body, if there is one.
func (f *fronts) web(request, body string) string {
	f.t.Helper()
	status, answer := f.ask(request, body)
	if status != http.StatusOK {
		f.t.Errorf("%s: %d\n%s", request, status, answer)
	}
	return answer
}

// ask returns the status and the answer to a request.
func (f *fronts) ask(request, body string) (status int, answer string) {
	f.t.Helper()
	method, path, _ := strings.Cut(f.named(request), " ")
	r, err := http.NewRequestWithContext(f.t.Context(), method, f.server.url+path, strings.NewReader(f.named(body)))
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+f.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = a.Body.Close() }()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		f.t.Errorf("%s: %s %v\n%s", request, a.Status, err, b)
	}
	return a.StatusCode, string(b)
}

// called are probes of tools: each a tool and its arguments, and then the names that it shows.
func called(call func(tool, arguments string) string, list ...[3]string) (out []probe) {
	for _, x := range list {
		shows, given := strings.CutPrefix(x[2], "as given ")
		if x[2] == "as given" {
			shows, given = "", true
		}
		out = append(out, probe{fmt.Sprint(x[0], " ", x[1]), func() string { return call(x[0], x[1]) }, shows, given})
	}
	return out
}
