package hook

import "strings"

// gemini is Gemini CLI. When it resumes a session, it drops every message of the user that begins with what a session
// start injected; without a terminal that is the message with the first prompt. What is injected at a prompt comes
// behind it, and stays.
func gemini() *client {
	return &client{
		name:       "gemini",
		events:     map[Event]string{UserPrompt: "BeforeAgent", PostTool: "AfterTool"},
		prompt:     withoutHookContext,
		startsLate: true, messages: true,
	}
}

// withoutHookContext removes the blocks that other hooks put before a prompt: without a terminal,
// Gemini passes on what the session start injected.
func withoutHookContext(prompt string) string {
	const begin, end = "<hook_context>", "</hook_context>"
	for {
		i := strings.Index(prompt, begin)
		if i < 0 {
			return prompt
		}
		j := strings.Index(prompt[i:], end)
		if j < 0 {
			return prompt[:i]
		}
		prompt = prompt[:i] + prompt[i+j+len(end):]
	}
}
