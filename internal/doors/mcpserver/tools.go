package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hippo-memory/hippo/internal/verb"
)

// arguments are the input of a tool, which knows how to carry it out.
type arguments interface {
	verb.Object
	call(ctx context.Context, s *session) (reply, error)
}

// request is the arguments of a tool with those that every tool takes.
type request struct {
	arguments
	format string
}

// Args implements [verb.Object].
func (r *request) Args() []verb.Arg {
	return append(r.arguments.Args(), verb.FormatArg(&r.format))
}

// json reports whether the caller asked for data and not for text.
func (r *request) json() bool { return r.format == verb.FormatJSON }

// tool is one entry of tools/list.
type tool struct {
	name, title, description string
	example                  string // of its arguments, for errors; empty: {}
	readOnly, destructive    bool
	idempotent               bool
	// writes: it can do nothing for a caller who may only read.
	writes bool
	// essential: clients that show a model only the names of tools, until it searches for them,
	// show this one whole.
	essential bool
	input     func() arguments
}

// tools returns all tools, in the order in which they are listed.
func tools() []tool {
	return []tool{
		{
			name: "hippo_record_insight", title: "Record an insight",
			description: "Keep one insight: atomic, specific, useful later.",
			essential:   true, writes: true,
			example: `{"content":"Retries need jitter","situation":["debugging outages"],"importance":0.6}`,
			input:   func() arguments { return &recordInput{} },
		},
		{
			name: "hippo_search_insights", title: "Search insights",
			description: "Find insights, best first. A line: id, relevance, content (situation) | date.",
			idempotent:  true, essential: true,
			example: `{"query":"gateway outages","limit":5}`,
			input:   func() arguments { return &searchInput{} },
		},
		{
			name: "hippo_get", title: "Read insights whole",
			description: "Insights by id, with relations; of a long one what answers query.",
			readOnly:    true, idempotent: true, essential: true,
			example: `{"ids":["7f4a7c15"]}`,
			input:   func() arguments { return &getInput{} },
		},
		{
			name: "hippo_modify_insight", title: "Modify an insight",
			description: "Change an insight; what is not given stays. New content or situation counts as an upvote.",
			destructive: true, writes: true,
			example: `{"uuid":"7f4a7c15","content":"Retries need random jitter"}`,
			input:   func() arguments { return &modifyInput{} },
		},
		{
			name: "hippo_reinforce_insight", title: "Vote on insights",
			description: "Upvote what helped, downvote what misled.",
			writes:      true,
			example:     `{"upvotes":["7f4a7c15"]}`,
			input:       func() arguments { return &reinforceInput{} },
		},
		{
			name: "hippo_forget", title: "Forget insights",
			description: "Hide insights; restore undoes it. purge deletes for good: only if the user asks.",
			destructive: true, idempotent: true, writes: true,
			example: `{"uuids":["7f4a7c15"]}`,
			input:   func() arguments { return &forgetInput{} },
		},
		{
			name: "hippo_context", title: "Session context",
			description: "What to know when a session begins: rules, open tasks, decisions, recent work.",
			readOnly:    true, idempotent: true,
			example: `{"prompt":"why did the gateway go down"}`,
			input:   func() arguments { return &contextInput{} },
		},
		{
			name: "hippo_status", title: "Memory status",
			description: "Counts, store and problems.",
			readOnly:    true, idempotent: true,
			input: func() arguments { return &statusInput{} },
		},
		runTool(),
	}
}

// describe returns the tool as the protocol lists it.
func (t tool) describe() *mcp.Tool {
	no, destructive := false, t.destructive
	a := &mcp.ToolAnnotations{ReadOnlyHint: t.readOnly, IdempotentHint: t.idempotent, OpenWorldHint: &no}
	if !t.readOnly {
		a.DestructiveHint = &destructive
	}
	out := &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.description,
		InputSchema: verb.ToolSchema(t.input().Args()), Annotations: a,
	}
	if t.essential {
		out.Meta = mcp.Meta{"anthropic/alwaysLoad": true}
	}
	return out
}
