package hook

// cursor is Cursor. It takes text at the start of a session only. A prompt waits for permission to
// continue.
func cursor() *client {
	return &client{
		name:   "cursor",
		events: map[Event]string{SessionStart: "sessionStart"},
		format: func(_ Event, _, text string) any {
			return struct {
				Context string `json:"additional_context"`
			}{text}
		},
		quiet: func(e Event) any {
			if e != UserPrompt {
				return nil
			}
			return struct {
				Continue bool `json:"continue"`
			}{true}
		},
	}
}
