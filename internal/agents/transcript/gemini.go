package transcript

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// geminiCLI reads ~/.gemini/tmp/PROJECT/chats/session-TIME-ID.jsonl: a header {sessionId,
// startTime, kind}, messages {id, timestamp, type, content, toolCalls}, {"$set": ...} and
// {"$rewindTo": id}. A message with an ID that was there already is its later state. Early
// versions wrote one document: the keys of the header, and messages.
func geminiCLI() adapter {
	return adapter{
		client: GeminiCLI,
		matches: func(r record) bool {
			kind := r.text("type")
			return r.has("sessionId", "startTime") && !r.has("uuid") || r.has("$rewindTo") ||
				r.has("id", "timestamp", "content") && (kind == "user" || kind == "gemini")
		},
		add: addGemini,
	}
}

func addGemini(c *conversation, r record) error {
	if s := r.text("sessionId"); s != "" {
		c.session = s
		c.sidechain = r.text("kind") == "subagent"
	}
	if dirs, ok := decoded[[]string](r["directories"]); ok && len(dirs) > 0 {
		c.cwd = dirs[0]
	}
	if id := r.text("$rewindTo"); id != "" {
		c.rewind(id)
		return nil
	}
	if !r.has("type") {
		if folder := geminiFolder(r["$set"]); folder != "" {
			c.cwd = folder
		}
		return nil
	}
	t := Turn{ID: r.text("id"), Time: parseTime(r["timestamp"]), Text: texts(r["content"])}
	switch r.text("type") {
	case "user":
		t.Role = RoleUser
	case "gemini":
		t.Role = RoleAssistant
	default: // info, error and warning are of the program
		return nil
	}
	calls, _ := decoded[[]geminiCall](r["toolCalls"])
	for _, x := range calls {
		t.Calls = append(t.Calls, Call{ID: x.ID, Name: x.Name, Input: summary(x.Args)})
		if x.Status == "success" || x.Status == "error" || x.Status == "cancelled" {
			t.Results = append(t.Results, x.outcome())
		}
	}
	c.put(t)
	return nil
}

// geminiFolder returns the first workspace directory that the context of the session lists.
func geminiFolder(set json.RawMessage) string {
	patch, _ := decoded[struct{ Messages []record }](set)
	for _, m := range patch.Messages {
		if _, list, ok := strings.Cut(texts(m["content"]), "Workspace Directories:**\n"); ok {
			folder, _, _ := strings.Cut(strings.TrimLeft(list, " -"), "\n")
			return strings.TrimSpace(folder)
		}
	}
	return ""
}

type geminiCall struct {
	ID, Name, Status string
	Args, Result     json.RawMessage
}

// outcome returns the result of a call that is over. A shell command that failed has the status
// of a success and its exit code in the output.
func (x *geminiCall) outcome() Result {
	var out []string
	failed := x.Status == "error"
	for _, p := range parts(x.Result) {
		if p.Text != "" {
			out = append(out, p.Text)
		}
		for _, key := range slices.Sorted(maps.Keys(p.Response.Response)) {
			if s := texts(p.Response.Response[key]); s != "" {
				out = append(out, s)
			}
			failed = failed || key == "error"
		}
	}
	output := strings.Join(out, "\n")
	const exit = "\nExit Code: "
	if i := strings.LastIndex(output, exit); i >= 0 {
		code := output[i+len(exit):]
		failed = failed || code != "" && code[0] >= '1' && code[0] <= '9'
	}
	return Result{CallID: x.ID, Name: x.Name, Output: output, Error: failed, Refused: x.Status == "cancelled"}
}
