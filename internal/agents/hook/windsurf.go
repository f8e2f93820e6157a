package hook

// windsurf is Windsurf, whose hooks inject nothing.
func windsurf() *client { return &client{name: "windsurf"} }
