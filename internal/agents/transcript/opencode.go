package transcript

import (
	"encoding/json"
	"strings"
)

// openCode reads what "opencode export SESSION" prints: {info, messages: [{info, parts}]}, or a
// message a line. Parts that are synthetic were added by programs.
func openCode() adapter {
	return adapter{
		client: OpenCode,
		matches: func(r record) bool {
			if !r.has("info") {
				return false
			}
			info, _ := decoded[record](r["info"])
			return info.has("role") && r.has("parts") || info.has("directory") && info.has("id")
		},
		add: addOpenCode,
	}
}

func addOpenCode(c *conversation, r record) error {
	info, ok := decoded[struct {
		ID, Role, Directory string
		SessionID           string
		ParentID            string
		Time                struct{ Created json.RawMessage }
		Path                struct{ Cwd string }
	}](r["info"])
	if !ok {
		return errShape
	}
	if info.Role == "" { // the session
		c.session, c.cwd, c.sidechain = info.ID, info.Directory, info.ParentID != ""
		return nil
	}
	if info.SessionID != "" {
		c.session = info.SessionID
	}
	t := Turn{ID: info.ID, Role: Role(info.Role), Time: parseTime(info.Time.Created), Cwd: info.Path.Cwd}
	ps, ok := decoded[[]openCodePart](r["parts"])
	if !ok || t.Role != RoleUser && t.Role != RoleAssistant {
		return errShape
	}
	var text, added []string
	for _, p := range ps {
		switch {
		case p.Type == "text" && (p.Synthetic || p.Ignored):
			added = append(added, p.Text)
		case p.Type == "text":
			text = append(text, p.Text)
		case p.Type == "tool":
			p.add(&t)
		}
	}
	t.Text, t.Injected = unquoted(strings.Join(text, "\n\n")), strings.Join(added, "\n")
	c.put(t)
	return nil
}

// unquoted returns a prompt without the quotes in which "opencode run" puts it.
func unquoted(s string) string {
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' && strings.Count(s, `"`) == 2 {
		return s[1 : len(s)-1]
	}
	return s
}

type openCodePart struct {
	Type, Text, Tool   string
	CallID             string
	Synthetic, Ignored bool
	State              struct {
		Status, Output, Error string
		Input                 json.RawMessage
		Metadata              struct{ Exit int }
	}
}

// add adds a call and, if it is over, its result.
func (p *openCodePart) add(t *Turn) {
	t.Calls = append(t.Calls, Call{ID: p.CallID, Name: p.Tool, Input: summary(p.State.Input)})
	res := Result{CallID: p.CallID, Name: p.Tool, Output: p.State.Output}
	switch p.State.Status {
	case "completed":
		res.Error = p.State.Metadata.Exit != 0
	case "error":
		res.Output = p.State.Error
		res.Refused = strings.Contains(res.Output, "rejected permission") || strings.Contains(res.Output, "dismissed this question")
		res.Error = !res.Refused
	default:
		return
	}
	t.Results = append(t.Results, res)
}
