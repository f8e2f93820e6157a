package setup

import (
	_ "embed"
	"encoding/json"
	"strings"
)

//go:embed opencode.js
var opencodeScript string

// scriptMark is in every file of code or settings that belongs to us alone.
const scriptMark = `Written by "hippo setup"`

// opencodePlugin returns the plugin of opencode: a script that runs the hooks.
func opencodePlugin(c Command) string {
	command, err := json.Marshal([]string{c.Binary, "--client", "opencode", "--store", c.Store})
	if err != nil {
		panic(err) // texts can be marshalled
	}
	return strings.Replace(opencodeScript, "COMMAND", string(command), 1)
}
