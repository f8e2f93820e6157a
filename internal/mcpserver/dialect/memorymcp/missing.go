package memorymcp

import d "github.com/hippo-memory/hippo/internal/mcpserver/dialect"

// missing returns the tools about code, which say what to use instead.
func missing() []d.Tool {
	const (
		ask   = "hippo_code answers questions about source trees: search, symbol, callers, callees, related, outline, map"
		index = "a server indexes no folder that a client names: the user runs hippo code index PATH, hippo code status or hippo code forget PATH"
	)
	var out []d.Tool
	for _, x := range []struct{ name, instead string }{
		{"search_code", ask},
		{"recall_code", ask},
		{"search_symbols", ask},
		{"symbol_graph", ask},
		{"get_symbol_callers", ask},
		{"get_symbol_callees", ask},
		{"get_related_symbols", ask},
		{"index_project", index},
		{"get_index_status", index},
		{"list_projects", index},
		{"delete_project", index},
		{"project_info", index},
		{"get_project_stats", index},
	} {
		out = append(out, d.Tool{Name: x.name, Unlisted: true, Missing: x.instead})
	}
	return out
}
