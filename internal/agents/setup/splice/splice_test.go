package splice_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/agents/setup/splice"
)

type command struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// server is the entry of the tests.
func server(d splice.Dialect) splice.Member {
	return splice.Member{Dialect: d, Path: []string{"mcpServers", "hippo"}, Value: command{"/bin/hippo", []string{"serve"}}, Ours: always}
}

func always([]byte) bool { return true }

// hook is an element of a list.
func hook(d splice.Dialect) splice.Element {
	return splice.Element{
		Dialect: d, Path: []string{"hooks", "Stop"}, Value: map[string]string{"command": "hippo hook stop"},
		Ours: func(e []byte) bool { return bytes.Contains(e, []byte("hippo hook")) },
	}
}

func apply(t testing.TB, e splice.Edit, text string) string {
	t.Helper()
	out, err := e.Apply([]byte(text))
	if err != nil {
		t.Fatalf("apply to %q: %v", text, err)
	}
	again, err := e.Apply(out)
	if err != nil || !bytes.Equal(again, out) {
		t.Fatalf("a second time: %q (%v), want no change of %q", again, err, out)
	}
	return string(out)
}

func TestMember_Layouts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"no_file", ``, "{\n  \"mcpServers\": {\n    \"hippo\": {\n      \"command\": \"/bin/hippo\",\n      \"args\": [\n        \"serve\"\n      ]\n    }\n  }\n}\n"},
		{"one_line", `{"a": 1}`, `{"a": 1, "mcpServers": {"hippo":{"command":"/bin/hippo","args":["serve"]}}}`},
		{"empty", `{}`, "{\n  \"mcpServers\": {\n    \"hippo\": {\n      \"command\": \"/bin/hippo\",\n      \"args\": [\n        \"serve\"\n      ]\n    }\n  }\n}"},
		{"tabs", "{\n\t\"a\": 1 // one\n}\n", "{\n\t\"a\": 1, // one\n\t\"mcpServers\": {\n\t\t\"hippo\": {\n\t\t\t\"command\": \"/bin/hippo\",\n\t\t\t\"args\": [\n\t\t\t\t\"serve\"\n\t\t\t]\n\t\t}\n\t}\n}\n"},
		{"trailing_comma", "{\n  \"mcpServers\": {\n    \"x\": {}, // x\n  },\n}", "{\n  \"mcpServers\": {\n    \"x\": {}, // x\n    \"hippo\": {\n      \"command\": \"/bin/hippo\",\n      \"args\": [\n        \"serve\"\n      ]\n    },\n  },\n}"},
		{"windows", "\ufeff{\r\n  \"mcpServers\": {}\r\n}\r\n", "\ufeff{\r\n  \"mcpServers\": {\r\n    \"hippo\": {\r\n      \"command\": \"/bin/hippo\",\r\n      \"args\": [\r\n        \"serve\"\r\n      ]\r\n    }\r\n  }\r\n}\r\n"},
		{"comment_inside", "{\"mcpServers\": { // none yet\n}}", "{\"mcpServers\": { // none yet\n  \"hippo\": {\n    \"command\": \"/bin/hippo\",\n    \"args\": [\n      \"serve\"\n    ]\n  }\n}}"},
		{"comment_after", "{ \"a\": 1 // one\n}", "{ \"a\": 1, \"mcpServers\": {\"hippo\":{\"command\":\"/bin/hippo\",\"args\":[\"serve\"]}} // one\n}"},
		{"added_keys_stay", `{"mcpServers": {"hippo": {"command": "old", "args": [], "disabled": true}}}`, `{"mcpServers": {"hippo": {"command": "/bin/hippo", "args": ["serve"], "disabled": true}}}`},
		{"other_kind", `{"mcpServers": {"hippo": {"url": "http://x"}}}`, `{"mcpServers": {"hippo": {"command":"/bin/hippo","args":["serve"]}}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := server(splice.Commas)
			got := apply(t, e, tc.text)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Fatalf("Apply (-want +got):\n%s", diff)
			}
			back, err := e.Remove([]byte(got), []byte(tc.text))
			switch {
			case err != nil:
				t.Error(err)
			case tc.name != "no_file" && !strings.Contains(tc.text, "old") && string(back) != tc.text:
				t.Errorf("Remove: got %q, want %q", back, tc.text)
			case tc.name == "no_file" && string(back) != "{}\n":
				t.Errorf("Remove: got %q, want an empty object", back)
			}
		})
	}
}

func TestMember_Refuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text    string
		dialect splice.Dialect
		want    string
	}{
		{`{"a": 1`, splice.Commas, "not valid JSON"},
		{`{a: 1}`, splice.Commas, "not valid JSON"},
		{`{'a': 1}`, splice.Commas, "not valid JSON"},
		{`[]`, splice.Commas, "not a JSON object"},
		{"{} // x", splice.Strict, "comment"},
		{"{\"a\": [1,\n2,]}", splice.Comments, "line 2 has a trailing comma"},
		{`{"mcpServers": []}`, splice.Commas, "mcpServers is not an object"},
		{`{"mcpServers": {}, "mcpServers": {}}`, splice.Commas, "twice"},
		{"{\"a\": \"\xff\"}", splice.Commas, "UTF-8"},
	} {
		if out, err := server(tc.dialect).Apply([]byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %q (%v), want an error with %q", tc.text, out, err, tc.want)
		}
	}
	if _, err := hook(splice.Strict).Apply([]byte(`{"hooks": {"Stop": {}}}`)); err == nil || !strings.Contains(err.Error(), "hooks.Stop is not a list") {
		t.Errorf("got %v, want a refusal", err)
	}
}

// What the user changed elsewhere stays, and only ours goes.
func TestRemove_AfterEdits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name               string
		edit               splice.Edit
		text, before, want string
	}{
		{"middle", server(splice.Commas), "{\"mcpServers\": {\n  \"a\": {}, // a\n  \"hippo\": {},\n  // b\n  \"b\": {}\n}}", "{}", "{\"mcpServers\": {\n  \"a\": {}, // a\n  // b\n  \"b\": {}\n}}"},
		{"first", server(splice.Commas), "{\"mcpServers\": {\n  \"hippo\": {},\n  \"b\": {}\n}}", "{}", "{\"mcpServers\": {\n  \"b\": {}\n}}"},
		{"own_container", server(splice.Commas), "{\n  \"x\": 1,\n  \"mcpServers\": {\n    \"hippo\": {}\n  }\n}", "{}", "{\n  \"x\": 1\n}"},
		{"container_of_user", server(splice.Commas), `{"mcpServers": {"hippo": {}}, "x": 1}`, `{"mcpServers": {}}`, `{"mcpServers": {}, "x": 1}`},
		{"old_entry", server(splice.Commas), `{"mcpServers": {"hippo": {"command": "new"}}, "x": 1}`, `{"mcpServers": {"hippo": {"command":  "old"}}}`, `{"mcpServers": {"hippo": {"command":  "old"}}, "x": 1}`},
		{"comment_before_brace", server(splice.Commas), "{\"mcpServers\": {\"a\": 1, // a\n\"hippo\": {} }}", "{}", "{\"mcpServers\": {\"a\": 1 // a\n }}"},
		{"comment_of_user", server(splice.Commas), "{\"mcpServers\": { // mine\n  \"hippo\": {}}}", "{}", "{\"mcpServers\": { // mine\n}}"},
		{"other_hooks", hook(splice.Commas), `{"hooks": {"Stop": [{"command": "x"}, {"command": "hippo hook stop"}, {"command": "y"}]}}`, "{}", `{"hooks": {"Stop": [{"command": "x"}, {"command": "y"}]}}`},
		{"last_hook", hook(splice.Commas), `{"a": 1, "hooks": {"Stop": [{"command": "hippo hook stop"}]}}`, "{}", `{"a": 1}`},
		{"not_there", hook(splice.Commas), `{"a": 1, "hooks": {"Stop": []}}`, "{}", `{"a": 1, "hooks": {"Stop": []}}`},
		{"table", table(), "a = 1\n\n[mcp_servers.hippo]\ncommand = \"x\" # mine\n[mcp_servers.hippo.env]\nA = \"b\"\n\n# next\n[other]\nb = 2\n", "", "a = 1\n\n# next\n[other]\nb = 2\n"},
		{"old_table", table(), "[mcp_servers.hippo]\ncommand = \"x\"\n\n[other]\nb = 2\n", "[mcp_servers.hippo]\ncommand = 'old' # mine\n", "[mcp_servers.hippo]\ncommand = 'old' # mine\n\n[other]\nb = 2\n"},
		{"block", splice.Block{Text: "b"}, "a\n\n<!-- hippo:begin -->\nold\n<!-- hippo:end -->\n\nc\n", "", "a\n\nc\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.edit.Remove([]byte(tc.text), []byte(tc.before))
			if diff := cmp.Diff(tc.want, string(got)); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func table() splice.Table {
	return splice.Table{Path: []string{"mcp_servers", "hippo"}, Keys: []splice.Key{{"command", "/bin/hippo"}, {"args", []string{"serve", `a"b\c`}}, {"startup_timeout_sec", 10}}, Ours: always}
}

const wantTable = "[mcp_servers.hippo]\ncommand = \"/bin/hippo\"\nargs = [\"serve\",\"a\\\"b\\\\c\"]\nstartup_timeout_sec = 10\n"

func TestTable_Layouts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"no_file", "", wantTable},
		{"appended", "# mine\nmodel = \"x\"\n", "# mine\nmodel = \"x\"\n\n" + wantTable},
		{"no_line_break", "a = 1", "a = 1\n\n" + wantTable},
		{"windows", "a = 1\r\n", "a = 1\r\n\r\n" + strings.ReplaceAll(wantTable, "\n", "\r\n")},
		{
			"added_keys_stay", "[mcp_servers.hippo] # mine\ncommand = \"old\" # o\nargs=[ 'x', # x\n] # l\nenabled = false\n[mcp_servers.hippo.env]\ncommand = \"c\"\n[z]\n",
			"[mcp_servers.hippo] # mine\nstartup_timeout_sec = 10\ncommand = \"/bin/hippo\" # o\nargs=[\"serve\",\"a\\\"b\\\\c\"] # l\nenabled = false\n[mcp_servers.hippo.env]\ncommand = \"c\"\n[z]\n",
		},
		{"other_kind", "[mcp_servers.hippo]\nurl = \"x\"\n# z\n[z]\n", wantTable + "# z\n[z]\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, apply(t, table(), tc.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for text, want := range map[string]string{
		"a = ":                   "not valid TOML: line 1: ",
		"a = 1\n\nb = = 2\n":     "not valid TOML: line 3: ",
		"mcp_servers = {}\n":     "edit the file by hand",
		"mcp_servers.hippo.a=1":  "edit the file by hand",
		"[[mcp_servers]]\na=1\n": "edit the file by hand",
	} {
		if out, err := table().Apply([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %q (%v), want an error with %q", text, out, err, want)
		}
	}
}

func TestBlock(t *testing.T) {
	t.Parallel()
	b := splice.Block{Text: "one\ntwo"}
	const block = "<!-- hippo:begin -->\none\ntwo\n<!-- hippo:end -->\n"
	for text, want := range map[string]string{
		"":                block,
		"# mine\n":        "# mine\n\n" + block,
		"# mine":          "# mine\n\n" + block,
		"\ufeff# mine":    "\ufeff# mine\n\n" + block,
		"a\r\n":           "a\r\n\r\n" + strings.ReplaceAll(block, "\n", "\r\n"),
		block + "after\n": block + "after\n",
		"<!-- hippo:begin -->\nold\n<!-- hippo:end --> x": strings.TrimSuffix(block, "\n") + " x",
	} {
		if got := apply(t, b, text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"<!-- hippo:begin -->\n", "<!-- hippo:end -->\n<!-- hippo:begin -->", block + block} {
		if out, err := b.Apply([]byte(text)); err == nil || !strings.Contains(err.Error(), "markers") {
			t.Errorf("%q: got %q (%v), want an error", text, out, err)
		}
	}
}

// draw makes a random JSON text of a dialect with comments, trailing commas and layouts.
func drawJSON(t *rapid.T, depth int) string {
	extra := func() string {
		return rapid.SampledFrom([]string{"", "", " ", "\n", "\n  ", "\r\n\t", "/* c */", " // c, }\n", "\n  // \"x\": {\n  "}).Draw(t, "extra")
	}
	if depth == 0 {
		return rapid.SampledFrom([]string{"1", "-2.50e3", "true", "null", `"a"`, `"\"},{//"`, `"é\u00e9"`}).Draw(t, "literal")
	}
	kind := rapid.SampledFrom([]string{"{", "[", ""}).Draw(t, "kind")
	if kind == "" {
		return drawJSON(t, 0)
	}
	return drawContainer(t, kind, depth, rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "mcp", "}", "//"}), 0, 4, rapid.ID).Draw(t, "keys"), extra)
}

func drawContainer(t *rapid.T, kind string, depth int, keys []string, extra func() string) string {
	var b strings.Builder
	b.WriteString(kind)
	for i, key := range keys {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(extra())
		if kind == "{" {
			fmt.Fprintf(&b, "%q%s:%s", key, extra(), extra())
		}
		if key == "mcpServers" || key == "hooks" {
			b.WriteString(drawContainer(t, "{", depth-1, rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b"}), 0, 2, rapid.ID).Draw(t, "keys"), extra))
		} else {
			b.WriteString(drawJSON(t, depth-1))
		}
		b.WriteString(extra())
	}
	if len(keys) > 0 && rapid.Bool().Draw(t, "trailing") {
		b.WriteString(",")
	}
	b.WriteString(extra())
	b.WriteString(map[string]string{"{": "}", "[": "]"}[kind])
	return b.String()
}

// Applying and removing gives back the text byte for byte where no container had to be
// created inside of an empty one, and a text that means the same elsewhere.
func TestProperty_JSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "mcpServers", "hooks"}), 0, 4, rapid.ID).Draw(t, "root")
		extra := func() string {
			return rapid.SampledFrom([]string{"", " ", "\n", "\n  ", "\r\n\t", "/* c */", " // c, }\n", "\n  // \"x\": {\n  "}).Draw(t, "extra")
		}
		text := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark") + extra() + drawContainer(t, "{", 3, keys, extra) + extra()
		for _, e := range []splice.Edit{server(splice.Commas), hook(splice.Commas)} {
			out, err := e.Apply([]byte(text))
			if err != nil {
				t.Fatalf("apply to %q: %v", text, err)
			}
			if again, err := e.Apply(out); err != nil || !bytes.Equal(out, again) {
				t.Fatalf("a second time: %q (%v), want no change of %q", again, err, out)
			}
			back, err := e.Remove(out, []byte(text))
			if err != nil {
				t.Fatalf("remove from %q: %v", out, err)
			}
			if string(back) != text && strings.Join(strings.Fields(string(back)), "") != strings.Join(strings.Fields(text), "") {
				t.Fatalf("got %q, want %q, white space aside; between them %q", back, text, out)
			}
		}
	})
}

// The same for TOML, up to line breaks at the end.
func TestProperty_TOML(t *testing.T) {
	t.Parallel()
	line := rapid.SampledFrom([]string{"# c", "", "x = 1 # y", "s = '''\n[mcp_servers.hippo]\n'''", "l = [\n 1, # one\n 2]", "d = 1979-05-27T07:32:00Z", "[mcp_servers.other]\ncommand = 'a'", "[t]", "[[list]]", "  [indented]"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfNDistinct(line, 0, 8, rapid.ID).Draw(t, "lines"), "\n")
		if rapid.Bool().Draw(t, "windows") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		out, err := table().Apply([]byte(text))
		if err != nil {
			t.Fatalf("apply to %q: %v", text, err)
		}
		if again, err := table().Apply(out); err != nil || !bytes.Equal(out, again) {
			t.Fatalf("a second time: %q (%v), want no change of %q", again, err, out)
		}
		back, err := table().Remove(out, []byte(text))
		if err != nil || strings.TrimRight(string(back), "\r\n") != strings.TrimRight(text, "\r\n") {
			t.Fatalf("got %q (%v), want %q", back, err, text)
		}
	})
}
