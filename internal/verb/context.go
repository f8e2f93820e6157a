package verb

import (
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
)

// Context asks what an agent should know now.
type Context struct {
	Prompt    string
	MaxTokens *int
	At        Moment
}

// Args are the arguments that fill a Context.
func (c *Context) Args() []Arg {
	return append([]Arg{
		{Name: "prompt", Field: "Prompt", About: "the prompt of the user; empty: a session begins", Brief: "what the user asks", Is: Listed, To: &c.Prompt},
		{
			Name: "max_tokens", Also: "budget", Field: "MaxTokens", About: "the largest text, in estimated tokens",
			Rules: Schema{"minimum": briefing.MinTokens, "maximum": briefing.MaxTokens, "default": briefing.DefaultTokens}, Is: Listed | Count, To: &c.MaxTokens,
		},
	}, c.At.unlisted()...)
}

// Query returns the question, for a time in the zone of its days. The error is a [*hippo.FieldError].
func (c *Context) Query(now time.Time) (q briefing.Query, err error) {
	q.Prompt = c.Prompt
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
		return 0, hippo.Fieldf("MaxTokens", "must be between %d and %d, got 0", briefing.MinTokens, briefing.MaxTokens)
	default:
		return *given, nil
	}
}
