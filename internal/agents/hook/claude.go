package hook

// claude is Claude Code. It takes additionalContext at more events, which are of no use here, and at
// none of PreCompact and SessionEnd.
func claude() *client {
	return &client{name: "claude-code", messages: true, events: map[Event]string{
		SessionStart: "SessionStart", UserPrompt: "UserPromptSubmit", PostTool: "PostToolUse", SubagentStart: "SubagentStart",
	}}
}
