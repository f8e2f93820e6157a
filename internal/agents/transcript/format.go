package transcript

import (
	"encoding/json"
	"fmt"
)

// record is a line of a transcript, or a message of a document, by its keys.
type record map[string]json.RawMessage

// text returns a string of the record; empty if there is none.
func (r record) text(key string) string {
	s, _ := decoded[string](r[key])
	return s
}

// flag returns a truth value of the record.
func (r record) flag(key string) bool {
	b, _ := decoded[bool](r[key])
	return b
}

// has reports whether the record has all of the keys.
func (r record) has(keys ...string) bool {
	for _, k := range keys {
		if _, ok := r[k]; !ok {
			return false
		}
	}
	return true
}

// adapter knows the transcripts of one client.
type adapter struct {
	client Client
	// matches reports whether a record can only be of this client.
	matches func(record) bool
	// add adds what a record says to the conversation. The error means that it has another
	// shape than the client writes.
	add func(*conversation, record) error
}

// adapters is the table of clients, in the order of [Clients].
func adapters() []adapter {
	return []adapter{claudeCode(), codex(), geminiCLI(), openCode()}
}

// adapterOf returns the adapter of a client.
func adapterOf(c Client) (adapter, error) {
	for _, a := range adapters() {
		if a.client == c {
			return a, nil
		}
	}
	return adapter{}, fmt.Errorf("client %q: %w", c, ErrUnknownFormat)
}

// recognise returns the adapter to which a record belongs.
func recognise(r record) (adapter, bool) {
	for _, a := range adapters() {
		if a.matches(r) {
			return a, true
		}
	}
	return adapter{}, false
}

// conversation collects turns.
type conversation struct {
	session     string
	cwd, branch string
	sidechain   bool
	turns       []Turn
	line        int               // of the record that is added, from 1
	at          int64             // the offset behind it
	byID        map[string]int    // the place of a turn in turns
	tools       map[string]string // the name of a tool by the ID of its call
}

func newConversation() *conversation {
	return &conversation{byID: map[string]int{}, tools: map[string]string{}}
}

// put adds a turn, or replaces the one with its ID. It separates injected text, clips what is
// long, fills in the folder and the branch, and leaves out a turn with nothing in it.
func (c *conversation) put(t Turn) {
	if t.Role != RoleSystem {
		var added string
		if t.Text, added = split(t.Text); added != "" {
			t.Injected = joined(t.Injected, added)
		}
	}
	t.Text, t.Injected = clip(t.Text, MaxText), clip(t.Injected, MaxText)
	if t.Text == "" && t.Injected == "" && len(t.Calls) == 0 && len(t.Results) == 0 {
		return
	}
	t.Role = c.role(&t)
	for _, x := range t.Calls {
		c.tools[x.ID] = x.Name
	}
	for i := range t.Results {
		r := &t.Results[i]
		r.Output = clip(r.Output, MaxOutput)
		if r.Name == "" {
			r.Name = c.tools[r.CallID]
		}
	}
	if t.Cwd == "" {
		t.Cwd = c.cwd
	}
	if t.Branch == "" {
		t.Branch = c.branch
	}
	t.Sidechain = t.Sidechain || c.sidechain
	t.At = c.at
	if t.ID == "" {
		t.ID = fmt.Sprintf("line-%d", c.line)
	}
	if i, again := c.byID[t.ID]; again {
		c.turns[i] = t
		return
	}
	c.byID[t.ID] = len(c.turns)
	c.turns = append(c.turns, t)
}

// role corrects the role of a turn that has only results, or only injected text.
func (c *conversation) role(t *Turn) Role {
	switch {
	case t.Text != "" || t.Role == RoleAssistant:
		return t.Role
	case len(t.Results) > 0:
		return RoleTool
	default:
		return RoleSystem
	}
}

// rewind removes the turn with an ID and all that follow it.
func (c *conversation) rewind(id string) {
	from, ok := c.byID[id]
	if !ok {
		return
	}
	for _, t := range c.turns[from:] {
		delete(c.byID, t.ID)
	}
	c.turns = c.turns[:from]
}

// joined joins two texts, either of which may be empty.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
