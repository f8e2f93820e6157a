package transcript

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// errShape means that a record lacks what every record of its type has.
var errShape = errors.New("a record of another shape")

// claudeCode reads ~/.claude/projects/FOLDER/SESSION.jsonl. A record has type, uuid, sessionId,
// timestamp, cwd and gitBranch; those of type user and assistant have a message, those of type
// attachment have what hooks and the program added. Other types are no turns.
func claudeCode() adapter {
	return adapter{
		client: ClaudeCode,
		matches: func(r record) bool {
			switch r.text("type") {
			case "user", "assistant", "system", "attachment":
				return r.has("uuid", "sessionId") || r.has("message", "sessionId")
			case "summary":
				return r.has("leafUuid")
			case "file-history-snapshot":
				return r.has("snapshot")
			case "queue-operation", "mode", "permission-mode":
				return r.has("sessionId")
			}
			return false
		},
		add: addClaude,
	}
}

func addClaude(c *conversation, r record) error {
	if s := r.text("sessionId"); s != "" {
		c.session = s
	}
	t := Turn{
		ID: r.text("uuid"), Time: parseTime(r["timestamp"]), Cwd: r.text("cwd"), Branch: r.text("gitBranch"), Sidechain: r.flag("isSidechain"),
	}
	switch r.text("type") {
	case "attachment":
		t.Role, t.Injected = RoleSystem, claudeAttachment(r["attachment"])
		c.put(t)
	case "user", "assistant":
		if r.flag("isApiErrorMessage") {
			return nil
		}
		m, ok := decoded[struct {
			Role    Role
			Content json.RawMessage
		}](r["message"])
		if !ok || m.Role != RoleUser && m.Role != RoleAssistant {
			return errShape
		}
		t.Role = m.Role
		said := claudeContent(&t, m.Content)
		switch {
		case r.flag("isMeta") || r.flag("isCompactSummary") || r.flag("isVisibleInTranscriptOnly"):
			t.Injected = t.Text
			t.Text = ""
		case said != "":
			t.Text = joined(t.Text, said)
		}
		c.put(t)
	}
	return nil
}

// claudeContent adds content to a turn. It returns what the user said when refusing a call.
func claudeContent(t *Turn, content json.RawMessage) (said string) {
	var text []string
	for _, p := range parts(content) {
		switch p.Type {
		case "text":
			if interrupted(p.Text) {
				t.Results = append(t.Results, Result{Refused: true})
				continue
			}
			text = append(text, p.Text)
		case "tool_use":
			t.Calls = append(t.Calls, Call{ID: p.ID, Name: p.Name, Input: summary(p.Input)})
		case "tool_result":
			res := Result{CallID: p.ToolUseID, Output: texts(p.Content), Error: p.IsError}
			if p.IsError {
				res.Refused, said = refusal(res.Output)
				res.Error = !res.Refused
			}
			t.Results = append(t.Results, res)
		}
	}
	t.Text = strings.Join(text, "\n\n")
	return said
}

// interrupted reports whether a text is the mark of an interruption.
func interrupted(s string) bool { return strings.HasPrefix(s, "[Request interrupted by user") }

// refusal reports whether the result of a call says that the user did not allow it, and returns
// what the user said instead.
func refusal(output string) (refused bool, said string) {
	for _, mark := range [...]string{"The user doesn't want to ", "User rejected ", "The user rejected "} {
		refused = refused || strings.HasPrefix(output, mark)
	}
	if !refused {
		return false, ""
	}
	const before = "the user said:"
	_, said, _ = strings.Cut(output, before)
	said, _, _ = strings.Cut(said, "\n\nNote: ")
	return true, strings.TrimSpace(said)
}

// claudeAttachment returns the text of an attachment: that of its usual keys.
func claudeAttachment(raw json.RawMessage) string {
	a, _ := decoded[record](raw)
	var out []string
	for _, key := range [...]string{"content", "text", "additionalContext", "stdout"} {
		if s := texts(a[key]); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n")
}
