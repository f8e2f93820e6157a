package setup

import (
	_ "embed"
	"encoding/json"
	"strings"
)

//go:embed opencode.js
var opencodeScript string

// opencodePlugin returns the plugin of opencode: a script that runs the hooks.
func opencodePlugin(c Command) string {
	command, err := json.Marshal([]string{c.Binary, "--client", "opencode", "--store", c.Store})
	if err != nil {
		panic(err) // texts can be marshalled
	}
	return strings.Replace(opencodeScript, "COMMAND", string(command), 1)
}
