package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// arguments are the input of a tool, which knows how to carry it out.
type arguments interface {
	input
	call(ctx context.Context, s *session) (reply, error)
}

// tool is one entry of tools/list.
type tool struct {
	name, title, description string
	schema                   string
	readOnly, destructive    bool
	idempotent               bool
	input                    func() arguments
}

// tools returns all tools, in the order in which they are listed.
func tools() []tool {
	return []tool{
		{
			name: "hippo_record_insight", title: "Record an insight",
			description: "Keep one insight: atomic, specific, useful later. The reply means it is stored durably.",
			schema:      recordSchema,
			input:       func() arguments { return &recordInput{} },
		},
		{
			name: "hippo_search_insights", title: "Search insights",
			description: "Find insights by query and situation, best first, with the true total. Found ones count as used.",
			schema:      searchSchema, idempotent: true,
			input: func() arguments { return &searchInput{} },
		},
		{
			name: "hippo_modify_insight", title: "Modify an insight",
			description: "Rework an insight; what is not given stays. Reworked content or situation counts as an upvote unless importance or reinforce is given.",
			schema:      modifySchema, destructive: true,
			input: func() arguments { return &modifyInput{} },
		},
		{
			name: "hippo_reinforce_insight", title: "Vote on insights",
			description: "Upvote what helped (importance x1.5), downvote what was wrong or misleading (x0.5). All or nothing.",
			schema:      reinforceSchema,
			input:       func() arguments { return &reinforceInput{} },
		},
		{
			name: "hippo_forget", title: "Forget insights",
			description: "Hide insights from search; restore undoes it. purge deletes for good: only if the user asks.",
			schema:      forgetSchema, destructive: true, idempotent: true,
			input: func() arguments { return &forgetInput{} },
		},
		{
			name: "hippo_context", title: "Session context",
			description: "What to know when a session begins: rules, open tasks, decisions, recent work, what the prompt reminds of.",
			schema:      contextSchema, readOnly: true, idempotent: true,
			input: func() arguments { return &contextInput{} },
		},
		{
			name: "hippo_status", title: "Memory status",
			description: "Counts, active day, store, and problems if there are any.",
			schema:      `{"type":"object","properties":{},"additionalProperties":false}`, readOnly: true, idempotent: true,
			input: func() arguments { return &statusInput{} },
		},
	}
}

// describe returns the tool as the protocol lists it.
func (t tool) describe() *mcp.Tool {
	no, destructive := false, t.destructive
	a := &mcp.ToolAnnotations{ReadOnlyHint: t.readOnly, IdempotentHint: t.idempotent, OpenWorldHint: &no}
	if !t.readOnly {
		a.DestructiveHint = &destructive
	}
	return &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.description,
		InputSchema: json.RawMessage(t.schema), Annotations: a,
	}
}
