// Package transcript reads the transcripts that clients of models write: Claude Code, Codex,
// Gemini CLI and opencode. [ReadFile] and [Read] turn one into [Turn] values in the order of the
// conversation. A client is recognised by the content of its records, never by a file name.
//
// The input is JSON Lines, or one JSON document with a list of messages. Reading is lenient: a
// record that cannot be decoded is counted and skipped, a record over [MaxRecord] too, and the
// last line of a file without its line break is left for the next read unless it is complete.
//
// Invariant: text that a program put into the conversation is never part of [Turn.Text]. It
// stands in [Turn.Injected]: what hooks added, instructions, reminders, and everything between
// [FrameStart] and [FrameEnd].
//
// The package imports nothing of this module and starts no goroutine.
package transcript

import (
	"errors"
	"time"
)

// Client is a program that writes transcripts.
type Client string

// The clients whose transcripts can be read.
const (
	ClaudeCode Client = "claude-code"
	Codex      Client = "codex"
	GeminiCLI  Client = "gemini-cli"
	OpenCode   Client = "opencode"
)

// Clients returns every client, in the order in which they are recognised.
func Clients() []Client { return []Client{ClaudeCode, Codex, GeminiCLI, OpenCode} }

// Role is who produced a turn.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	// RoleTool is a turn that has only results of tools.
	RoleTool Role = "tool"
	// RoleSystem is a turn that has only injected text.
	RoleSystem Role = "system"
)

// The frame of a block that Hippo adds to a conversation. [FrameStart] is the beginning of the
// opening tag, which may have attributes.
const (
	FrameStart = "<hippo-memory"
	FrameEnd   = "</hippo-memory>"
)

// Limits. Sizes are in bytes.
const (
	// MaxRecord is the largest line, or message of a document, that is decoded.
	MaxRecord = 8 << 20
	// MaxDocument is the largest document (not JSON Lines) that is read.
	MaxDocument = 64 << 20
	// MaxText is the length to which Text and Injected of a turn are clipped.
	MaxText = 32 << 10
	// MaxOutput is the length to which the output of a tool is clipped: its first quarter and
	// its end.
	MaxOutput = 4 << 10
	// MaxInput is the length to which the input of a tool is clipped.
	MaxInput = 500
)

var (
	// ErrUnknownFormat means that the first records are of no known client.
	ErrUnknownFormat = errors.New("not a transcript of a known client (claude-code, codex, gemini-cli, opencode)")
	// ErrTooLarge means that a document is larger than [MaxDocument].
	ErrTooLarge = errors.New("the document is larger than 64 MiB; convert it to JSON Lines")
)

// Turn is one entry of a conversation. All text is valid UTF-8.
type Turn struct {
	// ID is that of the client, or "line-N" where it has none. Forks of a session keep it.
	ID   string
	Role Role
	// Text is what the role said, without what programs added; may be empty.
	Text string
	// Injected is what programs added to the turn; empty for most.
	Injected string
	// Calls are the tools that the assistant called, in order.
	Calls []Call
	// Results are the results of calls, of this turn or of earlier ones.
	Results []Result
	// Time is zero if unknown.
	Time time.Time
	// Cwd and Branch are the folder and the git branch of the turn; empty if unknown.
	Cwd, Branch string
	// Sidechain: the turn belongs to a subagent.
	Sidechain bool
	// At is the byte offset behind the record of the turn; of a document, the number of the
	// message, from 1.
	At int64
}

// Call is the use of a tool.
type Call struct {
	ID, Name string
	// Input summarises the arguments: the command, path, query or the like if there is one, else
	// their JSON. At most [MaxInput] bytes.
	Input string
}

// Result is what a tool returned.
type Result struct {
	// CallID is the ID of the [Call]; Name is that of its tool, empty if the call is unknown.
	CallID, Name string
	// Output is clipped to [MaxOutput] bytes.
	Output string
	// Error: the tool failed, or its command exited with another code than 0.
	Error bool
	// Refused: the user did not allow the call, or interrupted it.
	Refused bool
}

// Transcript is the part of a conversation that was read.
type Transcript struct {
	Client Client
	// Session is the client's ID of the session; empty if no record that was read has it.
	Session string
	// Turns are in the order of the conversation. A turn that the client wrote again has its
	// last state.
	Turns []Turn
	// Start and End are the byte offsets of what was read. A later read with [Options.From] = End
	// continues. For a document Start is 0 and End its size.
	Start, End int64
	// Document: the file is one JSON document, which is always read whole.
	Document bool
	// Malformed and TooLong count the records that were skipped.
	Malformed, TooLong int
	// More: the limit [Options.MaxBytes] ended the read before the end of the file.
	More bool
}

// Options say what to read. The zero value reads everything.
type Options struct {
	// Client is the client that wrote the transcript; empty: it is recognised.
	Client Client
	// From is the byte offset of the first line; ignored for documents. An offset inside a
	// line continues with the next line.
	From int64
	// MaxBytes limits what is read of JSON Lines; 0 means no limit. A read continues to the end
	// of the line in which the limit falls.
	MaxBytes int64
	// Tail applies MaxBytes to the end of the file: the newest lines are read.
	Tail bool
}
