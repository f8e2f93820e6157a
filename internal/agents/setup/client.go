package setup

import (
	"github.com/hippo-memory/hippo/internal/agents/setup/splice"
)

// ServerName is the name of the server in the files of clients.
const ServerName = "hippo"

// Client is a row of the table: a program that agents run in.
type Client struct {
	Name     string // for the command line and for hippo hook --client
	Title    string // for people
	aliases  []string
	programs []string // names on the PATH that show that it is installed
	traces   []string // paths that show that it is installed, see [Host.expand]
	server   server
	hooks    hooks
	guidance map[Scope]guidance
	// approvals are for tools that read; a scope that others share has none.
	approvals map[Scope]approval
	// notes are what is left to the user after a change, by scope; those of "" hold for all.
	notes map[Scope][]string
}

// target is the place of an entry.
type target struct {
	files []string // see [Host.choose]
	// keys lead to the object that holds the entry. "{project}" is the folder of the project.
	keys []string
	// unconfirmed: the vendor's documents do not name the file.
	unconfirmed bool
}

// server says where and how a client lists its MCP servers.
type server struct {
	targets map[Scope]target
	dialect splice.Dialect
	entry   func(Command) any // nil: a table in TOML
}

// hooks says where and how a client lists its hooks.
type hooks struct {
	targets map[Scope]target
	dialect splice.Dialect
	// events are the hooks; each is an element of the list at the name of the event.
	events []event
	entry  func(e event, command string) any
	// version is the value of the key "version", which the file must have; 0: none.
	version int
	// script is the whole file instead of entries.
	script func(Command) string
	// note is what is left to the user.
	note string
}

// event is a hook of a client.
type event struct {
	name    string // by which the client knows it
	command string // the argument of hippo hook
	matcher string // selects occasions or tools; empty: all
	timeout int    // in the unit of the client
}

// guidance says where a client reads instructions for its model.
type guidance struct {
	files []string // see [Host.choose]
	// own: the file belongs to us alone, and begins with header. Else it gets a block.
	own    bool
	header string
	// form returns the whole file of our own for the text; nil: the header and the text.
	form func(text string) string
	// text is the file, of ours alone, that holds the text; the block then imports it by ref.
	text, ref string
	// unconfirmed: the vendor's documents do not name the file.
	unconfirmed bool
}

// Command is what a client runs.
type Command struct {
	Binary string // absolute path
	Store  string // URL, as in [config.Store.String]
}

// args are the arguments that serve the store.
func (c Command) args() []string { return []string{"serve", "--store", c.Store} }

// stdioEntry is the entry of most clients.
type stdioEntry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Timeout int      `json:"timeout,omitempty"`
}

// startTimeout is how many seconds a client waits for the server to start. A start takes
// milliseconds; a machine that wakes up takes longer.
const startTimeout = 10

func plainEntry(c Command) any { return stdioEntry{Command: c.Binary, Args: c.args()} }

func typedEntry(c Command) any {
	return stdioEntry{Type: "stdio", Command: c.Binary, Args: c.args()}
}

// opencodeEntry has the program and its arguments in one list.
func opencodeEntry(c Command) any {
	return struct {
		Type    string   `json:"type"`
		Command []string `json:"command"`
		Enabled bool     `json:"enabled"`
	}{"local", append([]string{c.Binary}, c.args()...), true}
}

// groupedHook is a hook of one handler.
type groupedHook struct {
	Matcher string        `json:"matcher,omitempty"`
	Hooks   []handlerHook `json:"hooks"`
}

type handlerHook struct {
	Name    string `json:"name,omitempty"`
	Type    string `json:"type,omitempty"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
}

// groupEntry is the shape of Claude Code, which Codex shares.
func groupEntry(e event, command string) any {
	return groupedHook{Matcher: e.matcher, Hooks: []handlerHook{{Type: "command", Command: command, Timeout: e.timeout}}}
}

// namedGroupEntry is the shape of Gemini CLI.
func namedGroupEntry(e event, command string) any {
	return groupedHook{Matcher: e.matcher, Hooks: []handlerHook{{Name: ServerName + "-" + e.command, Type: "command", Command: command, Timeout: e.timeout}}}
}

// typedHookEntry is the shape of VS Code.
func typedHookEntry(e event, command string) any {
	return handlerHook{Type: "command", Command: command, Timeout: e.timeout}
}

// plainHookEntry is the shape of Cursor and Windsurf.
func plainHookEntry(_ event, command string) any { return handlerHook{Command: command} }
