package hook

// opencode is opencode. It runs the hook from a plugin, which hippo setup writes, and which reads
// the answer of Claude Code.
func opencode() *client {
	return &client{name: "opencode", events: map[Event]string{
		SessionStart: "SessionStart", UserPrompt: "UserPromptSubmit", PostTool: "PostToolUse",
	}}
}
