package transcript

import (
	"encoding/json"
	"strings"
)

// codex reads ~/.codex/sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl: records {timestamp, type,
// payload}. session_meta and turn_context have the session, the folder and the branch;
// response_item has the messages, calls and their output. event_msg repeats them for display.
// Early versions wrote the payloads of response_item alone.
func codex() adapter {
	return adapter{
		client: Codex,
		matches: func(r record) bool {
			switch r.text("type") {
			case "session_meta", "response_item", "event_msg", "turn_context", "compacted":
				return r.has("payload")
			case "message":
				return r.has("role", "content") && !r.has("sessionId")
			}
			return false
		},
		add: addCodex,
	}
}

func addCodex(c *conversation, r record) error {
	kind := r.text("type")
	if !r.has("payload") {
		return addCodexItem(c, r, r)
	}
	p, ok := decoded[record](r["payload"])
	if !ok {
		return errShape
	}
	switch kind {
	case "session_meta":
		c.session = p.text("id")
		if git, ok := decoded[record](p["git"]); ok {
			c.branch = git.text("branch")
		}
		if source, ok := decoded[record](p["source"]); ok && source.has("subagent") {
			c.sidechain = true
		}
		fallthrough
	case "turn_context":
		if cwd := p.text("cwd"); cwd != "" {
			c.cwd = cwd
		}
	case "response_item":
		return addCodexItem(c, r, p)
	}
	return nil
}

// addCodexItem adds an item of a response; r has its time.
func addCodexItem(c *conversation, r, p record) error {
	t := Turn{ID: p.text("id"), Time: parseTime(r["timestamp"])}
	switch p.text("type") {
	case "message":
		t.Role, t.Text = Role(p.text("role")), texts(p["content"])
		switch {
		case t.Role == "developer" || t.Role == RoleSystem || codexContext(t.Text):
			t.Role, t.Injected, t.Text = RoleSystem, t.Text, ""
		case t.Role != RoleUser && t.Role != RoleAssistant:
			return errShape
		}
	case "function_call", "custom_tool_call", "local_shell_call":
		input := p["arguments"]
		for _, key := range [...]string{"input", "action"} {
			if len(input) == 0 {
				input = p[key]
			}
		}
		name := p.text("name")
		if name == "" {
			name = "shell"
		}
		t.Role, t.Calls = RoleAssistant, []Call{{ID: p.text("call_id"), Name: name, Input: summary(input)}}
	case "function_call_output", "custom_tool_call_output":
		res := codexOutput(p["output"])
		res.CallID = p.text("call_id")
		t.Role, t.Results = RoleTool, []Result{res}
	}
	c.put(t)
	return nil
}

// codexContext reports whether a user's message was written by the program.
func codexContext(s string) bool {
	for _, begin := range [...]string{"# AGENTS.md instructions", "<environment_context>", "<user_instructions>", "<turn_aborted>"} {
		if strings.HasPrefix(strings.TrimSpace(s), begin) {
			return true
		}
	}
	return false
}

// codexOutput decodes the output of a call: text, a list of parts, or an object, which may itself
// stand in the text, with output and metadata.exit_code, or content and success.
func codexOutput(raw json.RawMessage) Result {
	if s, ok := decoded[string](raw); ok {
		if o, ok := decoded[record]([]byte(s)); ok && o.has("output") {
			return codexObject(o)
		}
		return Result{Output: bare(s), Error: failedExit(s), Refused: strings.HasPrefix(s, "exec command rejected by user")}
	}
	if o, ok := decoded[record](raw); ok {
		return codexObject(o)
	}
	return Result{Output: texts(raw)}
}

func codexObject(o record) Result {
	meta, _ := decoded[struct {
		Code int `json:"exit_code"`
	}](o["metadata"])
	output := o.text("output")
	if output == "" {
		output = texts(o["content"])
	}
	return Result{Output: output, Error: meta.Code != 0 || o.has("success") && !o.flag("success")}
}

// maxHead is how long the lines about a run are that Codex writes before its output, in bytes.
const maxHead = 300

// headOf returns the lines about the run before an output, and the output.
func headOf(s string) (head, output string, ok bool) {
	head, output, ok = strings.Cut(s+"\n", "\nOutput:\n")
	output = strings.TrimSuffix(output, "\n")
	if !ok || len(head) > maxHead {
		return "", s, false
	}
	return head, output, true
}

// bare returns an output without the lines about the run before it.
func bare(s string) string {
	_, output, _ := headOf(s)
	return output
}

// failedExit reports whether the lines about a run name an exit code other than 0, or that it did not begin.
func failedExit(s string) bool {
	head, _, ok := headOf(s)
	if !ok {
		return strings.HasPrefix(s, "err: ") || strings.HasPrefix(s, "failed ") || strings.HasPrefix(s, "execution error")
	}
	for _, before := range [...]string{"Exit code: ", "exited with code ", "Exit Code: "} {
		if _, code, ok := strings.Cut(head, before); ok {
			return code != "" && code[0] != '0' && code[0] != '('
		}
	}
	return false
}
