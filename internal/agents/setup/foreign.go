package setup

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/agents/setup/splice"
)

// Declined says what stays as it is if nobody agrees to replace the entry of another program.
func (p *Plan) Declined() error {
	return fmt.Errorf("%s has another program's entry named %s, %s: hippo setup %s --replace replaces it", p.Client.Title, ServerName, p.Replaces, p.Client.Name)
}

// Decline leaves the client alone, because nobody agreed to replace the entry of another program.
func (p *Plan) Decline() { p.Changes, p.Notes, p.Err = nil, nil, p.Declined() }

// foreign is [Client.foreign] for the file of the client in the scope of the options.
func (p *Planner) foreign(c *Client) string {
	t := c.server.targets[p.opts.Scope]
	f, err := p.host.readFile(p.host.choose(t.files))
	if err != nil {
		return "" // the plan has the error
	}
	return c.foreign(f.Content, p.host.keys(t), p.opts.Command.Binary)
}

// foreign returns what an entry with our name starts, if that is another program: there are several called hippo.
// Empty: there is no entry, or one of ours.
func (c *Client) foreign(text []byte, keys []string, binary string) string {
	raw := splice.Value(text, keys)
	if c.server.entry == nil {
		raw = splice.TOMLValue(text, keys)
	}
	if raw == nil {
		return ""
	}
	e, ok := parseEntry(raw)
	switch {
	case !ok:
		return "which starts no program on this machine"
	case e.Command == binary || e.startsHippo() || written(raw):
		return ""
	}
	return "which starts " + strings.Join(slices.Insert(e.Args, 0, e.Command), " ")
}

// startsHippo reports whether an entry starts a Hippo, wherever it is: the server, by the name of the program and arguments
// that it takes. The program of the same name on npm wants the argument mcp.
func (e Entry) startsHippo() bool {
	name := path.Base(strings.ReplaceAll(e.Command, `\`, "/"))
	switch strings.TrimSuffix(strings.ToLower(name), ".exe") {
	case "hippo-server":
		return true
	case "hippo":
		return len(e.Args) == 0 || e.Args[0] == "serve" || strings.HasPrefix(e.Args[0], "-")
	default:
		return false
	}
}
