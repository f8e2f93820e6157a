package client

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
)

// ContextQuery asks for what an agent should know now.
type ContextQuery struct {
	// Prompt is what the user asks; empty: a session begins. The first [hippo.MaxQuery] bytes count.
	Prompt string
	// MaxTokens bounds the text by an estimate, 100 to 8,000; 0 means 700.
	MaxTokens int
	// At, with ValidAt, selects what held then; otherwise what holds now.
	At hippo.Moment
}

// Context returns what an agent should know now, as text: rules, open tasks, decisions, recent work, and what a prompt reminds of. It is empty if
// there is nothing. It does not count as use. Errors: a [*hippo.FieldError]. Cost: that of a search, if there is a prompt.
func Context(ctx context.Context, c *Client, q ContextQuery) (string, error) {
	b, err := engine.Context(ctx, c.memories, briefing.Query{Prompt: q.Prompt, MaxTokens: q.MaxTokens, At: q.At})
	if err != nil {
		return "", err
	}
	return b.Text(), nil
}
