package hook

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/screen"
)

const (
	// maxTasks bounds how many subagents of a session may wait for their start.
	maxTasks = 16
	// taskAge is how long a task waits for its subagent: what a user does not allow never starts.
	taskAge = 5 * time.Minute
)

// Agent is a subagent. It begins without the context of the session, so that what the session knows does not count for it.
type Agent struct {
	// ID identifies it in its session, and Name is its type, such as "Explore". The main agent may have a name, but no ID.
	ID, Name string
	// Transcript is the path of its transcript, from a subagent that stops.
	Transcript string
	// Task is what the agent asks of a subagent that starts next; nil: the event is no such call.
	Task *Task
}

// Task is what a subagent is asked to do. Clients pass it to the tool that starts one, and not to the hook of the start.
type Task struct {
	Agent  string `json:"agent,omitempty"` // the type of the subagent; empty: the usual one
	Prompt string `json:"prompt"`
	At     int64  `json:"at"` // in seconds
}

// taskOf returns the task in the input of a tool; nil: the tool starts no subagent.
func taskOf(tool string, input json.RawMessage) *Task {
	switch tool {
	case "Task", "Agent", "runSubagent", "spawn_agent":
	default:
		return nil
	}
	var in struct {
		Prompt       string `json:"prompt"`
		Message      string `json:"message"`
		SubagentType string `json:"subagent_type"`
		AgentType    string `json:"agent_type"`
		AgentName    string `json:"agentName"`
	}
	if json.Unmarshal(input, &in) != nil {
		return nil
	}
	t := &Task{Agent: in.SubagentType + in.AgentType + in.AgentName, Prompt: strings.TrimSpace(in.Prompt + in.Message)}
	if t.Prompt == "" {
		return nil
	}
	return t
}

// reader identifies whose context an event is about, for its ledger: that of a subagent or of the session.
func (in *Input) reader() string {
	if in.Agent.ID == "" {
		return in.Session
	}
	return in.Session + " agent " + in.Agent.ID
}

// read returns the path of the transcript of that context.
func (in *Input) read() string {
	if in.Agent.ID == "" {
		return in.Transcript
	}
	return in.Agent.Transcript
}

// noteTask notes what the next subagent is asked to do. Two clients may run the same hook.
func noteTask(ctx context.Context, in *Input, c *Config) error {
	if in.Agent.Task == nil || c.Silent != nil && c.Silent(ctx, in.Dir) {
		return nil
	}
	ledger, err := openLedger(ctx, c, in.Session)
	if err != nil {
		return err
	}
	defer ledger.close()
	t := *in.Agent.Task
	t.Prompt, t.At = screen.Redact(cut(t.Prompt, hippo.MaxQuery)), c.Now().Unix() // it stays in a file for a moment
	ledger.dropTasks(c.Now())
	same := func(x Task) bool { return x.Agent == t.Agent && x.Prompt == t.Prompt }
	if len(ledger.data.Tasks) >= maxTasks || slices.ContainsFunc(ledger.data.Tasks, same) {
		return nil
	}
	ledger.data.Tasks = append(ledger.data.Tasks, t)
	return ledger.save(c.Now())
}

// takeTask makes the task of a subagent that starts its prompt, unless the event has one: the oldest that waits for a subagent
// of its type.
func takeTask(ctx context.Context, in *Input, c *Config) error {
	if in.Prompt != "" {
		return nil
	}
	var d ledgerData
	if !ledgers(c).Peek(in.Session, &d) || len(d.Tasks) == 0 {
		return nil
	}
	ledger, err := openLedger(ctx, c, in.Session)
	if err != nil {
		return err
	}
	defer ledger.close()
	ledger.dropTasks(c.Now())
	i := slices.IndexFunc(ledger.data.Tasks, func(t Task) bool { return strings.EqualFold(t.Agent, in.Agent.Name) })
	if i < 0 {
		i = slices.IndexFunc(ledger.data.Tasks, func(t Task) bool { return t.Agent == "" })
	}
	if i < 0 {
		return nil
	}
	in.Prompt = ledger.data.Tasks[i].Prompt
	ledger.data.Tasks = slices.Delete(ledger.data.Tasks, i, i+1)
	return ledger.save(c.Now())
}

// dropTasks drops the tasks whose subagents did not start.
func (l *ledger) dropTasks(now time.Time) {
	l.data.Tasks = slices.DeleteFunc(l.data.Tasks, func(t Task) bool { return now.Sub(time.Unix(t.At, 0)) > taskAge })
}
