package hook

// kiro is Kiro, for which what a hook prints is the context.
func kiro() *client {
	return &client{
		name:   "kiro",
		events: map[Event]string{SessionStart: "SessionStart", UserPrompt: "UserPromptSubmit"},
		format: printed, anonymous: true,
	}
}

// amazonQ is Amazon Q CLI, from which Kiro came.
func amazonQ() *client {
	c := kiro()
	c.name, c.events = "amazon-q", map[Event]string{SessionStart: "agentSpawn", UserPrompt: "userPromptSubmit"}
	return c
}

func printed(_ Event, _, text string) any { return plain(text) }
