package hook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo/internal/base/screen"
	"github.com/hippo-memory/hippo/internal/base/termtext"
)

// client is how one client of agents calls hooks. There is a file for each.
type client struct {
	name string
	// events are the events at which the client takes text for its model, with the names that
	// it gives them.
	events map[Event]string
	// format returns the value to print; nil means [hookOutput].
	format func(event Event, name, text string) any
	// quiet is what to print if there is nothing to say; nil: nothing.
	quiet func(event Event) any
	// startsLate: what a session start injects is injected with the first prompt.
	startsLate bool
	// messages: the client shows its user the systemMessage of an answer.
	messages bool
	// anonymous: the client does not identify its sessions.
	anonymous bool
	// prompt returns the user's part of a prompt; nil: all of it.
	prompt func(string) string
}

// clients returns all clients.
func clients() []*client {
	return []*client{claude(), codex(), gemini(), opencode(), cursor(), vscode(), kiro(), amazonQ(), windsurf()}
}

// Clients returns the names of all clients.
func Clients() []string {
	var names []string
	for _, c := range clients() {
		names = append(names, c.name)
	}
	return names
}

func clientOf(name string) (*client, error) {
	for _, c := range clients() {
		if c.name == name {
			return c, nil
		}
	}
	return nil, fmt.Errorf("client must be one of %s, got %.40q", strings.Join(Clients(), ", "), name)
}

// injects reports whether the client takes text at an event.
func (c *client) injects(e Event) bool { return c.events[e] != "" }

// hookOutput is the answer of Claude Code and of the clients that follow it.
type hookOutput struct {
	Specific hookSpecific `json:"hookSpecificOutput"`
}

type hookSpecific struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// plain is an answer that is printed as it is.
type plain string

// reply returns what to print to inject a text; without a text, nothing, or what the client asks
// for.
func (c *client) reply(event Event, in *Input, text string) ([]byte, error) {
	var answer any
	switch {
	case text == "" || !c.injects(event):
		if c.quiet == nil {
			return nil, nil
		}
		answer = c.quiet(event)
	case c.format != nil:
		answer = c.format(event, c.nameOf(event, in), text)
	default:
		answer = hookOutput{hookSpecific{c.nameOf(event, in), text}}
	}
	if answer == nil {
		return nil, nil
	}
	if text, ok := answer.(plain); ok {
		return []byte(text + "\n"), nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(answer)
	return b.Bytes(), err
}

// Complaint returns what shows, once for each session, why no hook of it can work: a message for the user, or for a client
// that shows none a text for its model. At other events it answers as one that has nothing to say, so that no client waits.
func Complaint(event Event, clientName string, problem error) []byte {
	c, err := clientOf(clientName)
	if err != nil { // the log has the problem
		return nil
	}
	text := ""
	if event == SessionStart {
		text = "Hippo remembers nothing in this session: " + termtext.Line(screen.Redact(problem.Error())) + ". hippo doctor shows more."
	}
	if text != "" && c.messages {
		c = &client{events: map[Event]string{event: "message"}, format: userMessage}
	}
	b, _ := c.reply(event, &Input{}, text) // texts have a JSON
	return b
}

// userMessage is an answer that the client shows to the user.
func userMessage(_ Event, _, text string) any {
	return struct {
		Message string `json:"systemMessage"`
	}{text}
}

// nameOf returns the client's name of an event. A tool that failed has an event of its own.
func (c *client) nameOf(event Event, in *Input) string {
	if name := c.events[event]; strings.HasPrefix(in.Name, name) {
		return in.Name
	}
	return c.events[event]
}
