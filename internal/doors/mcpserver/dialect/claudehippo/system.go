// Package claudehippo holds the tools of claude-hippo 0.5, among them the memory tool of Anthropic, and the four names
// that it shares with mcp-memory-service: they take the arguments of both, and answer with the fields of both.
// A memory is addressed by a whole number, by its content hash, or by its ID.
package claudehippo

import (
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/verb"
)

// Name selects this system.
const Name = "claude-hippo"

// New returns the system.
func New() *d.System {
	return &d.System{
		Name:  Name,
		Is:    verb.Verbatim,
		Tools: append(tools(), memoryTool()),
	}
}

// tools returns all tools but the memory tool.
func tools() []d.Tool {
	return []d.Tool{
		{Name: "hippo_remember", Description: "Store a memory, with a score of how surprising it is. The result means that it is durable.", Writes: true, Call: callRemember, Params: rememberParams()},
		{Name: "hippo_recall", Description: "Find memories, the best first: relevance, and what was surprising.", ReadOnly: true, Call: callRecall, Params: RecallParams("limit")},
		{Name: "hippo_list_recent", Description: "The newest memories.", ReadOnly: true, Call: callList, Params: listParams()},
		{Name: "hippo_forget", Description: "Forget a memory; restore undoes it, dry_run only counts.", Destructive: true, Call: callForget, Params: forgetParams()},
		{
			Name: "hippo_session_summary", Description: "What was stored in the last hours: counts, tags, the most surprising.", ReadOnly: true, Call: callSummary,
			Params: verb.Table{{Name: "hours", Rules: verb.Between(1, maxHours, defaultHours), To: verb.New[int]}},
		},
		{Name: "ping", Description: "State and counts.", ReadOnly: true, Call: callPing},
		{Name: "store_memory", Description: "The same as hippo_remember.", Writes: true, Call: callStore, Params: verb.With(rememberParams(), verb.Arg{Name: "client_hostname", To: verb.New[string]})},
		{Name: "retrieve_memory", Description: "The same as hippo_recall.", ReadOnly: true, Call: callRetrieve, Params: RecallParams("n_results")},
		{Name: "list_memories", Description: "The same as hippo_list_recent, with pages.", ReadOnly: true, Call: callListPages, Params: listParams()},
		{Name: "delete_memory", Description: "The same as hippo_forget, also by tags, type and time.", Destructive: true, Call: callDelete, Params: DeleteParams()},
	}
}
