package hook

// vscode is Copilot in VS Code. It takes no text with a prompt.
func vscode() *client {
	return &client{name: "vscode", messages: true, events: map[Event]string{SessionStart: "SessionStart", PostTool: "PostToolUse", SubagentStart: "SubagentStart"}}
}
