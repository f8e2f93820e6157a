package hook

// codex is Codex CLI. Its schemas are closed: an unknown field fails the hook.
func codex() *client {
	return &client{name: "codex", events: map[Event]string{
		SessionStart: "SessionStart", UserPrompt: "UserPromptSubmit", PostTool: "PostToolUse", SubagentStart: "SubagentStart",
	}}
}
