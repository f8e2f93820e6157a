package setup

import (
	"encoding/json"
	"strings"

	"github.com/hippo-memory/hippo/internal/agents/setup/splice"
)

// Entry is a server that a client has registered.
type Entry struct {
	Command string
	Args    []string
	Env     map[string]string
}

// readEntry returns the entry of a client in a text; ok is false if there is none that starts
// a program.
func (c *Client) readEntry(text []byte, path []string) (e Entry, ok bool) {
	raw := splice.Value(text, path)
	if c.server.entry == nil {
		raw = splice.TOMLValue(text, path)
	}
	return parseEntry(raw)
}

func parseEntry(raw []byte) (e Entry, ok bool) {
	var in struct {
		Command     json.RawMessage   `json:"command"`
		Args        []string          `json:"args"`
		Env         map[string]string `json:"env"`
		Environment map[string]string `json:"environment"`
	}
	if raw == nil || json.Unmarshal(raw, &in) != nil {
		return e, false
	}
	e = Entry{Args: in.Args, Env: in.Env}
	if in.Environment != nil {
		e.Env = in.Environment
	}
	var list []string
	if json.Unmarshal(in.Command, &list) == nil && len(list) > 0 {
		e.Command, e.Args = list[0], list[1:]
		return e, true
	}
	return e, json.Unmarshal(in.Command, &e.Command) == nil && e.Command != ""
}

// written reports whether an entry has the form that setup writes: people name no path.
func written(raw []byte) bool {
	e, ok := parseEntry(raw)
	return ok && strings.ContainsAny(e.Command, `/\\`) && len(e.Args) == 3 && e.Args[0] == "serve" && e.Args[1] == "--store"
}

// store returns the store that an entry names; empty if it names none.
func (e Entry) store() string {
	for i, arg := range e.Args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok && i+1 < len(e.Args) {
			value = e.Args[i+1]
		}
		switch name {
		case "--store":
			return value
		case "--memory-dir":
			return "dir:" + value
		case "--db":
			return "shared:" + value
		}
	}
	if dir := e.Env["HIPPO_MEMORY_DIR"]; dir != "" {
		return "dir:" + dir
	}
	if db := e.Env["HIPPO_DB_PATH"]; db != "" {
		return "shared:" + db
	}
	return e.Env["HIPPO_STORE"]
}
