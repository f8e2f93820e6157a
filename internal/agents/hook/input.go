package hook

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/screen"
)

// maxInput is the size of the JSON of an event, in bytes: it has the output of a tool.
const maxInput = 16 << 20

// Input is an event as a client describes it. Fields that the client does not give are empty.
type Input struct {
	// Session identifies the session. Clients that also run the hooks of others give both the
	// same one.
	Session string
	// Transcript is the path of the transcript of the session.
	Transcript string
	// Dir is the folder that the session works in.
	Dir string
	// Name is the client's name of the event.
	Name string
	// Source is why a session starts: startup, resume, clear or compact.
	Source string
	Prompt string
	// Command is what a shell was to run.
	Command string
	// Response is what a tool returned, as JSON.
	Response json.RawMessage
	// LastMessage is the last message of the assistant.
	LastMessage string
	// Agent is the subagent that the event is of; zero: it is of the session itself.
	Agent Agent
	// Document is the end of the transcript as a JSON document, from clients that have no file of it.
	Document json.RawMessage
	// Error is why a tool failed.
	Error string
}

// Subagent returns the name of the subagent whose transcript an event is about; empty: it is that of the session.
func (in *Input) Subagent(event Event) string {
	if event != SubagentStop || in.Agent.Transcript == "" {
		return ""
	}
	const maxAgent = 60
	name := []rune(screen.Redact(strings.Join(strings.Fields(cmp.Or(in.Agent.Name, in.Agent.ID, "subagent")), " ")))
	return string(name[:min(len(name), maxAgent)])
}

// fresh is the source of a session of a client that names neither sessions nor sources: it has
// nothing of the one before.
const fresh = "fresh"

// read reads an event. Keys are read in snake case and in camel case.
func read(in io.Reader, cl *client) (*Input, error) {
	fields, err := readFields(in)
	if err != nil {
		return nil, err
	}
	text := func(keys ...string) (s string) {
		for _, k := range keys {
			if s = textOf(fields[k]); s != "" {
				return s
			}
		}
		return ""
	}
	x := &Input{
		Session: text("sessionid", "conversationid", "trajectoryid"), Transcript: text("transcriptpath"), Dir: text("cwd"), Name: text("hookeventname"),
		Source: text("source"), Prompt: text("prompt"), LastMessage: text("lastassistantmessage", "promptresponse"),
		Agent: Agent{ID: text("agentid"), Name: text("agenttype"), Transcript: text("agenttranscriptpath")}, Error: text("error"), Response: fields["toolresponse"], Document: fields["transcript"],
	}
	var tool struct {
		Command json.RawMessage `json:"command"`
	}
	if json.Unmarshal(fields["toolinput"], &tool) == nil {
		x.Command = commandOf(tool.Command)
	}
	x.Agent.Task = taskOf(text("toolname"), fields["toolinput"])
	var roots []string
	if json.Unmarshal(fields["workspaceroots"], &roots) == nil && x.Dir == "" && len(roots) > 0 {
		x.Dir = roots[0]
	}
	if x.Session == "" && cl.anonymous && x.Dir != "" {
		x.Session, x.Source = cl.name+" in "+x.Dir, fresh
	}
	if x.Session == "" {
		return nil, errors.New("the event has no session_id")
	}
	if cl.prompt != nil {
		x.Prompt = cl.prompt(x.Prompt)
	}
	x.Prompt = cut(strings.TrimSpace(x.Prompt), hippo.MaxQuery)
	return x, nil
}

// commandOf returns a command that is a text, or a list of words.
func commandOf(raw json.RawMessage) (command string) {
	var list []string
	if json.Unmarshal(raw, &command) != nil && json.Unmarshal(raw, &list) == nil {
		return strings.Join(list, " ")
	}
	return command
}

// cut returns the beginning of a text of at most n bytes, as valid UTF-8.
func cut(text string, n int) string {
	text = strings.ToValidUTF8(text, "")
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
