// Package hook answers the hooks of agents' clients: a client passes an event as JSON, and takes
// text for the context of its model in a shape of its own. The engine selects the text; a ledger
// for each session ensures that nothing is injected twice.
//
// A hook reads the store and never writes it, but for what [Config.Capture] does.
package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/screen"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// Event is what a hook is about, by the name of its subcommand.
type Event string

// The events.
const (
	SessionStart  Event = "session-start"
	UserPrompt    Event = "user-prompt"
	PreTool       Event = "pre-tool"
	PostTool      Event = "post-tool"
	SubagentStart Event = "subagent-start"
	SubagentStop  Event = "subagent-stop"
	PreCompact    Event = "pre-compact"
	Stop          Event = "stop"
	SessionEnd    Event = "session-end"
)

// Events returns every event.
func Events() []Event {
	return []Event{SessionStart, UserPrompt, PreTool, PostTool, SubagentStart, SubagentStop, PreCompact, Stop, SessionEnd}
}

// The budgets, in tokens, of what is injected at an event.
const (
	SessionTokens = 700
	PromptTokens  = 220
	ToolTokens    = 160
	AgentTokens   = 160
)

// maxOutput is the number of characters up to which every client passes a text on whole.
const maxOutput = 9500

// Config wires a hook.
type Config struct {
	// Open opens the memory. It is called at most once, and not for events at which nothing
	// can be injected. The caller closes what it opened.
	Open func(ctx context.Context) (*engine.Engine, error)
	// Project returns the project that a folder belongs to, and Work what is in progress there. They may take until the
	// deadline, and run beside each other.
	Project func(ctx context.Context, dir string) project.Identity
	Work    func(ctx context.Context, dir string) api.Work
	// Silent reports whether nothing may be injected in a folder; nil: in none.
	Silent func(ctx context.Context, dir string) bool
	// Scope is that of the user, without a project.
	Scope hippo.Scope
	// Capture, if it is not nil, is called at [PreCompact], [Stop], [SubagentStop] and
	// [SessionEnd]: it may record what the session taught.
	Capture func(ctx context.Context, event Event, in *Input) error
	// StateDir is the folder of the ledgers.
	StateDir string
	// SessionTokens and PromptTokens are the budgets of a session start and of a prompt; 0
	// means the constant of that name.
	SessionTokens, PromptTokens int
	// LockTimeout is how long a hook waits for another one of its session; 0 means 100 ms.
	LockTimeout time.Duration
	Now         func() time.Time
}

// Run answers one event of a client, which is read from in, and returns what to print: nothing, or
// one JSON object. The error is for a log; the client must not see it.
func Run(ctx context.Context, event Event, clientName string, in io.Reader, c *Config) ([]byte, error) {
	cl, err := clientOf(clientName)
	if err != nil {
		return nil, err
	}
	input, err := read(in, cl)
	if err != nil {
		return nil, err
	}
	noteFolder(c.StateDir, cl.name, input.Dir, c.Now())
	switch event {
	case PreCompact, Stop, SubagentStop, SessionEnd:
		if c.Capture == nil {
			return cl.reply(event, input, "")
		}
		out, failed := cl.reply(event, input, "")
		return out, errors.Join(c.Capture(ctx, event, input), failed)
	case PreTool:
		return nil, noteTask(ctx, input, c)
	case SubagentStart:
		if err := takeTask(ctx, input, c); err != nil {
			return nil, err
		}
		return answer(ctx, event, cl, input, c)
	case SessionStart, UserPrompt, PostTool:
		return answer(ctx, event, cl, input, c)
	default:
		return nil, fmt.Errorf("unknown event %q", event)
	}
}

// answer returns what to print at an event at which a client takes text.
func answer(ctx context.Context, event Event, cl *client, in *Input, c *Config) ([]byte, error) {
	text, err := inject(ctx, event, cl, in, c)
	if err != nil {
		text = ""
	}
	out, failed := cl.reply(event, in, text)
	return out, errors.Join(err, failed)
}

// inject returns the text to inject at an event; empty for none.
func inject(ctx context.Context, event Event, cl *client, in *Input, c *Config) (string, error) {
	if event == SessionStart && cl.startsLate {
		return "", postpone(ctx, in, c)
	}
	q, starts, ok := queryOf(event, cl, in, c)
	if !ok || c.Silent != nil && c.Silent(ctx, in.Dir) {
		return "", nil
	}
	go screen.Instructions(" ") // builds its tables, beside the opening of the store
	place := begin(ctx, c.Project, in.Dir)
	var work <-chan api.Work
	if starts {
		work = begin(ctx, c.Work, in.Dir)
	}
	e, err := c.Open(ctx)
	if err != nil || e == nil {
		return "", err
	}
	ledger, err := openLedger(ctx, c, in.reader())
	if err != nil {
		return "", err
	}
	defer ledger.close()
	transcript := readTranscript(in.read())
	if starts {
		ledger.begin(in.Source, transcript, c.Now())
		ledger.data.Pending = false
	}
	q.Known = func(m *hippo.Memory) bool { return ledger.has(m) || transcript.holds(m) }
	id, err := wait(ctx, place)
	if err == nil && work != nil {
		q.Work, err = wait(ctx, work)
	}
	if err != nil {
		return "", err
	}
	q.State = cut(q.State, hippo.MaxQuery)
	b, err := contextIn(ctx, e.In(c.Scope), id, q)
	if err != nil {
		return "", err
	}
	text := b.Text
	if len([]rune(text)) > maxOutput {
		return "", fmt.Errorf("the text has %d characters, at most %d fit", len([]rune(text)), maxOutput)
	}
	for _, i := range b.Items {
		ledger.add(i.Memory)
	}
	return text, ledger.save(c.Now()) // before it is printed: never twice
}

// contextIn returns what to know in a project.
func contextIn(ctx context.Context, m *engine.Memories, id project.Identity, q briefing.Query) (*api.Briefing, error) {
	m, err := memory.Locate(ctx, m, id)
	if err != nil {
		return nil, err
	}
	return query.Context(ctx, m, q)
}

// postpone notes that a session starts, so that its next prompt injects what a start does.
func postpone(ctx context.Context, in *Input, c *Config) error {
	ledger, err := openLedger(ctx, c, in.Session)
	if err != nil {
		return err
	}
	defer ledger.close()
	ledger.begin(in.Source, readTranscript(in.Transcript), c.Now())
	ledger.data.Pending = true
	return ledger.save(c.Now())
}

// begin calls a function in another goroutine and returns the channel of its result.
func begin[T any](ctx context.Context, f func(context.Context, string) T, dir string) <-chan T {
	result := make(chan T, 1)
	go func() { result <- f(ctx, dir) }()
	return result
}

// wait returns a result, or the reason why ctx ended before.
func wait[T any](ctx context.Context, result <-chan T) (x T, err error) {
	select {
	case x = <-result:
		return x, nil
	case <-ctx.Done():
		return x, context.Cause(ctx)
	}
}

// queryOf returns what an event asks for. ok is false if that is nothing; starts: a session starts with it.
func queryOf(event Event, cl *client, in *Input, c *Config) (q briefing.Query, starts, ok bool) {
	atStart, atPrompt := cmp.Or(c.SessionTokens, SessionTokens), cmp.Or(c.PromptTokens, PromptTokens)
	switch {
	case !cl.injects(event):
		return q, false, false
	case event == SessionStart:
		return briefing.Query{MaxTokens: atStart}, true, true
	case event == UserPrompt && cl.startsLate && isPending(c, in.Session):
		return briefing.Query{Prompt: in.Prompt, MaxTokens: atStart + atPrompt}, true, true
	case event == SubagentStart:
		return briefing.Query{Prompt: in.Prompt, PromptOnly: true, MaxTokens: AgentTokens}, false, asks(in.Prompt)
	case event == UserPrompt:
		return briefing.Query{Prompt: in.Prompt, PromptOnly: true, MaxTokens: atPrompt}, false, asks(in.Prompt)
	default:
		failure := failureOf(in)
		names := namesOf(failure, in.Command)
		return briefing.Query{Prompt: failure, PromptOnly: true, Names: names, MaxTokens: ToolTokens}, false, len(names) > 0
	}
}

// asks reports whether a prompt says enough to be reminded of something: no command of the client,
// and more than a word or two like "yes, go on".
func asks(prompt string) bool {
	const minWords, minOther = 3, 8 // characters where words have no spaces between them
	if strings.HasPrefix(prompt, "/") || strings.HasPrefix(prompt, "!") {
		return false
	}
	long := 0
	for w := range strings.FieldsSeq(prompt) {
		if len([]rune(w)) > 2 {
			long++
		}
		if w[0] >= 0x80 && len([]rune(w)) >= minOther {
			return true
		}
	}
	return long >= minWords
}
