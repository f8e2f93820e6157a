package setup

import (
	"strconv"

	"github.com/hippo-memory/hippo/internal/agents/setup/splice"
)

// approval says where a client lists the tools that it calls without asking the user. Only tools that read are
// listed: they tell the model no more than the hooks inject unasked. Every other tool asks as before.
type approval struct {
	files []string // see [Host.choose]
	// list are the keys of a list of names in a JSON file, and names the elements that are ours.
	list  []string
	names []string
	// text is the whole file instead.
	text string
}

// edits returns the edits that list the tools.
func (a *approval) edits() []splice.Edit {
	if a.text != "" {
		return []splice.Edit{splice.Whole{Text: a.text, Mark: scriptMark}}
	}
	var out []splice.Edit
	for _, name := range a.names {
		quoted := strconv.Quote(name)
		out = append(out, splice.Element{
			Dialect: splice.Strict, Path: a.list, Value: name, Ours: func(element []byte) bool { return string(element) == quoted },
		})
	}
	return out
}

// claudeApproval lists the tools in the permissions of Claude Code.
func claudeApproval(file string) approval {
	return approval{
		files: []string{file}, list: []string{"permissions", "allow"},
		names: []string{"mcp__" + ServerName + "__hippo_search_insights", "mcp__" + ServerName + "__hippo_context"},
	}
}

// geminiApproval is a policy of its own: the key "trust" of a server would allow all its tools.
func geminiApproval() approval {
	return approval{
		files: []string{"{home}/.gemini/policies/hippo.toml"},
		text: "# " + scriptMark + `; "hippo setup gemini --remove" removes it.` + "\n" +
			"[[rule]]\nmcpName = \"" + ServerName + "\"\ntoolName = [\"hippo_search_insights\", \"hippo_context\"]\ndecision = \"allow\"\npriority = 100\n",
	}
}
