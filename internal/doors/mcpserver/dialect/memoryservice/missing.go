package memoryservice

import d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"

// missing returns the tools whose function is not there. They answer with what to use instead, and
// are not listed.
func missing() []d.Tool {
	var out []d.Tool
	for _, t := range [][2]string{
		{"memory_ingest", "a server does not read files that a client names; hippo import FILE stores documents and exports"},
		{"memory_harvest", "a server does not read transcripts that a client names; hippo capture and the hooks of hippo setup keep what is worth keeping of them"},
		{"memory_distill", "no language model distils memories; memory_consolidate with action run summarises groups, with merge it joins those that you name"},
		{"memory_explore", "there is no graph of entities; memory_search finds what names them"},
		{"memory_detail", "there is no graph of entities; memory_search with the name finds what names it"},
		{"get_quarantined_memories", "nothing is quarantined: what a tool said has low trust and is not injected by itself; memory_search finds it"},
		{"unquarantine_memory", "nothing is quarantined; memory_quality with action rate confirms a memory"},
		// Older names.
		{"ingest_document", "a server does not read files that a client names; hippo import FILE stores documents and exports"},
		{"ingest_directory", "a server does not read folders that a client names; hippo import FILE stores documents and exports"},
		{"consolidation_status", "the server that holds the store decides about a schedule; memory_consolidate with action run consolidates now, with recommend it says what it would do"},
		{"scheduler_status", "the server that holds the store decides about a schedule; memory_consolidate with action run consolidates now, with recommend it says what it would do"},
		{"pause_consolidation", "the server that holds the store decides about a schedule; memory_consolidate with action run consolidates now, with recommend it says what it would do"},
		{"resume_consolidation", "the server that holds the store decides about a schedule; memory_consolidate with action run consolidates now, with recommend it says what it would do"},
		{"get_raw_embedding", "vectors are not shown; memory_search with include_debug shows scores"},
	} {
		out = append(out, d.Tool{Name: t[0], Unlisted: true, Missing: t[1]})
	}
	return out
}
