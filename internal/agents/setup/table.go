package setup

import "github.com/hippo-memory/hippo/internal/agents/setup/splice"

// Clients returns the table, in the order in which people see it. docs/setup.md says which rows
// were seen running and which rest on documents.
func Clients() []Client {
	return []Client{claudeCode(), claudeDesktop(), codex(), cursor(), vscode(), gemini(), windsurf(), opencode(), zed(), amazonQ()}
}

func claudeCode() Client {
	return Client{
		Name: "claude-code", Title: "Claude Code", aliases: []string{"claude"},
		programs: []string{"claude"}, traces: []string{"{claude}", "{claudejson}/.claude.json", "{home}/.local/bin/claude"},
		server: server{
			targets: map[Scope]target{
				User:    {files: []string{"{claudejson}/.claude.json"}, keys: []string{"mcpServers"}},
				Project: {files: []string{"{project}/.mcp.json"}, keys: []string{"mcpServers"}},
				Local:   {files: []string{"{claudejson}/.claude.json"}, keys: []string{"projects", "{project}", "mcpServers"}},
			},
			dialect: splice.Strict, entry: typedEntry,
		},
		hooks: hooks{
			targets: map[Scope]target{
				User:    {files: []string{"{claude}/settings.json"}},
				Project: {files: []string{"{project}/.claude/settings.json"}},
				Local:   {files: []string{"{project}/.claude/settings.local.json"}},
			},
			dialect: splice.Strict, entry: groupEntry,
			events: []event{
				{"SessionStart", "session-start", "startup|resume|clear|compact|fork", 5},
				{"UserPromptSubmit", "user-prompt", "", 5},
				{"PostToolUseFailure", "post-tool", "Bash", 5},
				{"PreToolUse", "pre-tool", "Task|Agent", 5},
				{"SubagentStart", "subagent-start", "", 5},
				{"PreCompact", "pre-compact", "", 5},
				{"SubagentStop", "subagent-stop", "", 10},
				{"Stop", "stop", "", 10},
				{"SessionEnd", "session-end", "", 10}, // without a timeout it is cancelled after a second
			},
		},
		guidance: map[Scope]guidance{
			User:    {files: []string{"{claude}/CLAUDE.md"}, text: "{claude}/hippo.md", ref: "hippo.md"},
			Project: {files: []string{"{project}/CLAUDE.md"}, text: "{project}/.claude/hippo.md", ref: ".claude/hippo.md"},
			Local:   {files: []string{"{project}/CLAUDE.local.md"}},
		},
		approvals: map[Scope]approval{
			User:  claudeApproval("{claude}/settings.json"),
			Local: claudeApproval("{project}/.claude/settings.local.json"),
		},
		notes: map[Scope][]string{
			"":      {"sessions that run now see it after a restart"},
			Project: {"it asks for your approval of a project's server at its next start"},
		},
	}
}

func claudeDesktop() Client {
	const file = "claude_desktop_config.json"
	return Client{
		Name: "claude-desktop", Title: "Claude Desktop",
		traces: []string{"{apps}/Claude", "{localapps}/Packages/Claude_*", "/Applications/Claude.app"},
		server: server{
			targets: map[Scope]target{User: {
				files: []string{"{localapps}/Packages/Claude_*/LocalCache/Roaming/Claude/" + file, "{apps}/Claude/" + file},
				keys:  []string{"mcpServers"},
			}},
			dialect: splice.Strict, entry: plainEntry,
		},
		notes: map[Scope][]string{"": {"quit and start the app: it reads the file at its start only"}},
	}
}

func codex() Client {
	return Client{
		Name: "codex", Title: "Codex",
		programs: []string{"codex"}, traces: []string{"{codex}"},
		server: server{targets: map[Scope]target{
			User:    {files: []string{"{codex}/config.toml"}, keys: []string{"mcp_servers"}},
			Project: {files: []string{"{project}/.codex/config.toml"}, keys: []string{"mcp_servers"}},
		}},
		hooks: hooks{
			targets: map[Scope]target{
				User:    {files: []string{"{codex}/hooks.json"}},
				Project: {files: []string{"{project}/.codex/hooks.json"}},
			},
			dialect: splice.Strict, entry: groupEntry,
			events: []event{
				{"SessionStart", "session-start", "", 5},
				{"UserPromptSubmit", "user-prompt", "", 5},
				{"PostToolUse", "post-tool", "", 5},
				{"PreCompact", "pre-compact", "", 5},
				{"SubagentStop", "subagent-stop", "", 10},
				{"Stop", "stop", "", 10},
				{"SessionEnd", "session-end", "", 3}, // longer ones are cut to 3
			},
			note: "start codex once and trust the new hooks: it runs none before that",
		},
		guidance: map[Scope]guidance{
			User:    {files: []string{"{codex}/AGENTS.md"}},
			Project: {files: []string{"{project}/AGENTS.md"}},
		},
		notes: map[Scope][]string{Project: {"it reads the files of a project only if you trust the folder"}},
	}
}

func cursor() Client {
	return Client{
		Name: "cursor", Title: "Cursor",
		programs: []string{"cursor", "cursor-agent"}, traces: []string{"{home}/.cursor", "/Applications/Cursor.app"},
		server: server{
			targets: map[Scope]target{
				User:    {files: []string{"{home}/.cursor/mcp.json"}, keys: []string{"mcpServers"}},
				Project: {files: []string{"{project}/.cursor/mcp.json"}, keys: []string{"mcpServers"}},
			},
			dialect: splice.Strict, entry: plainEntry,
		},
		hooks: hooks{
			targets: map[Scope]target{
				User:    {files: []string{"{home}/.cursor/hooks.json"}},
				Project: {files: []string{"{project}/.cursor/hooks.json"}},
			},
			dialect: splice.Strict, entry: plainHookEntry, version: 1,
			events: []event{{"sessionStart", "session-start", "", 0}, {"postToolUse", "post-tool", "", 0}, {"stop", "stop", "", 0}},
		},
		guidance: map[Scope]guidance{Project: {
			files: []string{"{project}/.cursor/rules/hippo.mdc"}, own: true,
			header: "---\ndescription: When to use the memory\nalwaysApply: true\n---\n\n",
		}},
		notes: map[Scope][]string{
			"":   {"switch the server on in Settings > MCP if it is off there"},
			User: {"it has no file for rules in all projects: paste the output of hippo guidance into Settings > Rules, or use --scope project"},
		},
	}
}

func vscode() Client {
	const header = "---\ndescription: When to use the memory\napplyTo: \"**\"\n---\n\n"
	return Client{
		Name: "vscode", Title: "VS Code", aliases: []string{"code", "copilot"},
		programs: []string{"code"}, traces: []string{"{apps}/Code/User", "/Applications/Visual Studio Code.app"},
		server: server{
			targets: map[Scope]target{
				User:    {files: []string{"{apps}/Code/User/mcp.json"}, keys: []string{"servers"}},
				Project: {files: []string{"{project}/.vscode/mcp.json"}, keys: []string{"servers"}},
			},
			dialect: splice.Commas, entry: typedEntry,
		},
		hooks: hooks{
			targets: map[Scope]target{
				User:    {files: []string{"{home}/.copilot/hooks/hippo.json"}},
				Project: {files: []string{"{project}/.github/hooks/hippo.json"}},
			},
			dialect: splice.Strict, entry: typedHookEntry,
			events: []event{
				{"SessionStart", "session-start", "", 5},
				{"PreToolUse", "pre-tool", "", 5},
				{"PostToolUse", "post-tool", "", 5},
				{"SubagentStart", "subagent-start", "", 5},
				{"PreCompact", "pre-compact", "", 5},
				{"SubagentStop", "subagent-stop", "", 10},
				{"Stop", "stop", "", 10},
			},
		},
		guidance: map[Scope]guidance{
			User:    {files: []string{"{apps}/Code/User/prompts/hippo.instructions.md"}, own: true, header: header, unconfirmed: true},
			Project: {files: []string{"{project}/.github/instructions/hippo.instructions.md"}, own: true, header: header},
		},
		notes: map[Scope][]string{"": {"it asks once whether you trust the server"}},
	}
}

func gemini() Client {
	places := map[Scope]target{
		User:    {files: []string{"{home}/.gemini/settings.json"}, keys: []string{"mcpServers"}},
		Project: {files: []string{"{project}/.gemini/settings.json"}, keys: []string{"mcpServers"}},
	}
	return Client{
		Name: "gemini", Title: "Gemini CLI", aliases: []string{"gemini-cli"},
		programs: []string{"gemini"}, traces: []string{"{home}/.gemini"},
		server: server{
			targets: places, dialect: splice.Comments,
			entry: func(c Command) any {
				return stdioEntry{Command: c.Binary, Args: c.args(), Timeout: startTimeout * 1000}
			},
		},
		hooks: hooks{
			targets: places, dialect: splice.Comments, entry: namedGroupEntry,
			events: []event{ // milliseconds; PreCompress fires before every call of the model
				{"SessionStart", "session-start", "", 5000},
				{"BeforeAgent", "user-prompt", "", 5000},
				{"AfterTool", "post-tool", "run_shell_command|write_file|replace", 5000},
				{"AfterAgent", "stop", "", 10000},
				{"SessionEnd", "session-end", "", 10000},
			},
		},
		guidance: map[Scope]guidance{
			User:    {files: []string{"{home}/.gemini/GEMINI.md"}},
			Project: {files: []string{"{project}/GEMINI.md"}},
		},
		approvals: map[Scope]approval{User: geminiApproval()},
	}
}

func windsurf() Client {
	return Client{
		Name: "windsurf", Title: "Windsurf",
		programs: []string{"windsurf"}, traces: []string{"{home}/.codeium/windsurf", "/Applications/Windsurf.app"},
		server: server{
			targets: map[Scope]target{User: {files: []string{"{home}/.codeium/windsurf/mcp_config.json"}, keys: []string{"mcpServers"}}},
			dialect: splice.Strict, entry: plainEntry,
		},
		hooks: hooks{
			targets: map[Scope]target{User: {files: []string{"{home}/.codeium/windsurf/hooks.json"}, unconfirmed: true}},
			dialect: splice.Strict, entry: plainHookEntry,
			events: []event{{"post_cascade_response", "stop", "", 0}}, // none of its hooks can inject
		},
		guidance: map[Scope]guidance{
			User:    {files: []string{"{home}/.codeium/windsurf/memories/global_rules.md"}, unconfirmed: true},
			Project: {files: []string{"{project}/.windsurf/rules/hippo.md"}, own: true, header: "---\ntrigger: always_on\n---\n\n"},
		},
		notes: map[Scope][]string{"": {"refresh the list of servers in Cascade"}},
	}
}

func opencode() Client {
	return Client{
		Name: "opencode", Title: "opencode",
		programs: []string{"opencode"}, traces: []string{"{config}/opencode", "{home}/.opencode"},
		server: server{
			targets: map[Scope]target{
				User:    {files: []string{"{config}/opencode/opencode.jsonc", "{config}/opencode/opencode.json"}, keys: []string{"mcp"}},
				Project: {files: []string{"{project}/opencode.jsonc", "{project}/opencode.json"}, keys: []string{"mcp"}},
			},
			dialect: splice.Commas, entry: opencodeEntry,
		},
		hooks: hooks{
			targets: map[Scope]target{
				User:    {files: []string{"{config}/opencode/plugins/hippo.js"}},
				Project: {files: []string{"{project}/.opencode/plugins/hippo.js"}},
			},
			script: opencodePlugin,
			events: []event{{"chat.message", "session-start", "", 0}, {"chat.message", "user-prompt", "", 0}, {"session.idle", "stop", "", 0}},
		},
		guidance: map[Scope]guidance{
			User:    {files: []string{"{config}/opencode/AGENTS.md"}},
			Project: {files: []string{"{project}/AGENTS.md"}},
		},
	}
}

func zed() Client {
	return Client{
		Name: "zed", Title: "Zed",
		programs: []string{"zed", "zeditor"}, traces: []string{"{zed}", "/Applications/Zed.app"},
		server: server{
			targets: map[Scope]target{
				User:    {files: []string{"{zed}/settings.json"}, keys: []string{"context_servers"}},
				Project: {files: []string{"{project}/.zed/settings.json"}, keys: []string{"context_servers"}, unconfirmed: true},
			},
			dialect: splice.Commas, entry: plainEntry,
		},
		guidance: map[Scope]guidance{
			User: {files: []string{"{zed}/AGENTS.md"}},
			// It reads the first of these that exists; one before it would hide the others.
			Project: {files: []string{
				"{project}/.rules", "{project}/.cursorrules", "{project}/.windsurfrules", "{project}/.clinerules",
				"{project}/.github/copilot-instructions.md", "{project}/AGENT.md", "{project}/AGENTS.md", "{project}/CLAUDE.md", "{project}/GEMINI.md", "{project}/AGENTS.md",
			}},
		},
	}
}

func amazonQ() Client {
	return Client{
		Name: "amazon-q", Title: "Amazon Q", aliases: []string{"q"},
		programs: []string{"q"}, traces: []string{"{home}/.aws/amazonq"},
		server: server{
			targets: map[Scope]target{
				User:    {files: []string{"{home}/.aws/amazonq/mcp.json"}, keys: []string{"mcpServers"}},
				Project: {files: []string{"{project}/.amazonq/mcp.json"}, keys: []string{"mcpServers"}},
			},
			dialect: splice.Strict,
			entry: func(c Command) any {
				return stdioEntry{Command: c.Binary, Args: c.args(), Timeout: 60 * 1000}
			},
		},
		guidance: map[Scope]guidance{
			User:    {files: []string{"{home}/.aws/amazonq/cli-agents/hippo.json"}, own: true, form: amazonQAgent},
			Project: {files: []string{"{project}/.amazonq/rules/hippo.md"}, own: true},
		},
		notes: map[Scope][]string{
			"":   {"an agent of your own sees the server only with \"useLegacyMcpJson\": true"},
			User: {"q chat --agent hippo has the guidance in all folders; q settings chat.defaultAgent hippo makes it the default"},
		},
	}
}
