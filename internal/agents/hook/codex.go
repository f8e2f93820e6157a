package hook

// codex is Codex CLI. Its schemas are closed: an unknown field fails the hook.
func codex() *client {
	return &client{name: "codex", messages: true, events: map[Event]string{
		SessionStart: "SessionStart", UserPrompt: "UserPromptSubmit", PostTool: "PostToolUse", SubagentStart: "SubagentStart",
	}}
}
