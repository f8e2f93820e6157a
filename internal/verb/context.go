package verb

import (
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
)

// Context asks what an agent should know now.
type Context struct {
	Prompt    string
	Project   Project
	MaxTokens *int
	At        Moment
	// State is the work in progress; PromptOnly leaves out what the prompt does not remind of.
	State      string
	PromptOnly bool
}

// Args are the arguments that fill a Context. The command line has a flag of all commands for the project, and the others ask in their own.
func (c *Context) Args() []Arg {
	return append([]Arg{
		{Name: "prompt", Field: "Prompt", About: "the prompt of the user; empty: a session begins", Brief: "what the user asks", Is: Listed, To: &c.Prompt},
		{Name: "project", As: lacking(Script, Shell), About: `default: the current project of the token; "none" is none`, Is: Listed, To: &c.Project},
		{Name: "state", As: lacking(MCP, Script, Shell), About: "the work in progress: the branch, recent commits, changed paths", To: &c.State},
		{Name: "prompt_only", As: lacking(MCP, Script, Shell), About: "only what the prompt reminds of", To: &c.PromptOnly},
		{
			Name: "max_tokens", Also: "budget", Field: "MaxTokens", About: "the largest text, in estimated tokens",
			Rules: Schema{"minimum": api.MinTokens, "maximum": api.MaxTokens, "default": api.DefaultTokens}, Is: Listed | Count, To: &c.MaxTokens,
		},
	}, c.At.unlisted()...)
}

// Query returns the question, for a time in the zone of its days. The error is a [*hippo.FieldError].
func (c *Context) Query(now time.Time) (q briefing.Query, err error) {
	q.Prompt, q.PromptOnly, q.State = c.Prompt, c.PromptOnly, c.State
	if q.MaxTokens, err = tokensOf(c.MaxTokens); err == nil {
		q.At, err = c.At.Moment(now)
	}
	return q, err
}

// tokensOf returns a limit in tokens: 0, which stands for the usual one, if none is given.
func tokensOf(given *int) (int, error) {
	switch {
	case given == nil:
		return 0, nil
	case *given == 0:
		return 0, hippo.Fieldf("MaxTokens", "must be between %d and %d, got 0", api.MinTokens, api.MaxTokens)
	default:
		return *given, nil
	}
}
