package cli_test

import (
	"strings"
	"testing"
)

// TestEnded: what has ended, has not begun or is superseded is marked, and not before what holds, at every front end.
func TestEnded(t *testing.T) {
	t.Parallel()
	f := newFronts(t)
	for name, list := range map[string][]probe{
		"hippo": called(f.tools("hippo,graph"), hippoTools()...), "memory-service": called(f.tools("memory-service"), memoryServiceTools()...),
		"claude-hippo": called(f.tools("claude-hippo"), claudeHippoTools()...), "memory-mcp": called(f.tools("memory-mcp"), memoryMCPTools()...),
		"commands": called(func(_, line string) string { return f.command(line) }, commands()...),
		"HTTP":     called(f.web, requests()...),
	} {
		t.Run(name, func(t *testing.T) {
			for _, p := range list {
				p.check(t, pilots())
			}
		})
	}
	graph := f.tools("graph,memory-mcp")
	t.Run("relations", func(t *testing.T) {
		for _, p := range append(called(graph, factTools()...), called(f.web, factRequests()...)...) {
			p.check(t, facts())
		}
		for _, p := range called(func(_, line string) string { return f.command(line) }, factCommands()...) {
			p.check(t, facts())
		}
	})
}

func hippoTools() [][3]string {
	run := func(program, shows string) [3]string {
		return [3]string{"hippo_run", `{"program":` + program + `}`, shows}
	}
	return [][3]string{
		{"hippo_search_insights", `{"query":"who is the port pilot"}`},
		{"hippo_search_insights", `{"query":"The port pilot is Bob."}`},
		{"hippo_search_insights", `{"query":"who is the port pilot","detail":"full"}`},
		{"hippo_search_insights", `{"tags":["pilotage"]}`},
		{"hippo_search_insights", `{"situation_filter":["steering ships"],"strict":true}`},
		{"hippo_search_insights", `{"when":"today","type":["decision"]}`},
		{"hippo_get", `{"ids":["$Bob","$Dan","$Carl","$Eve"]}`, "as given"},
		{"hippo_context", `{}`, "Eve"},
		{"hippo_context", `{"prompt":"is the port pilot Bob or Dan or Carl"}`, "Eve"},
		{"hippo_graph", `{"action":"neighbours","from":"$Eve"}`},
		{"hippo_graph", `{"action":"communities"}`},
		{"hippo_graph", `{"action":"draw","from":"$Eve"}`},
		{"hippo_graph", `{"action":"draw","from":"$Eve","format":"graphviz"}`},
		{"hippo_graph", `{"action":"path","from":"$Bob","to":"$Dan"}`, "as given Bob Dan Eve"},
		run(`"search('who is the port pilot')"`, ""), run(`"search('port pilot', ranker='cosine')"`, ""), run(`"recall('today')"`, ""),
		run(`"search_by_tag(['pilotage'])"`, ""), run(`"search_by_tag(['pilotage', 'other'], match='any')"`, ""), run(`"list_memories()"`, ""),
		run(`"get(['$Bob', '$Dan', '$Carl'])"`, "as given Bob Dan Carl"), run(`"context('port pilot')"`, "Eve"),
	}
}

func memoryServiceTools() [][3]string {
	list := [][3]string{
		{"memory_search", `{"tags":["pilotage"],"include_superseded":true}`},
		{"memory_search", `{"time_expr":"today","tags":["pilotage","other"],"include_superseded":true}`},
		{"memory_search", `{"query":"port pilot","mode":"ranked","include_superseded":true,"ranking_weights":{"semantic":0.5,"quality":0.5}}`},
		{"memory_search", `{"query":"port pilot","mode":"ranked","include_superseded":true,"ranking_weights":{"quality":1}}`},
		{"memory_search", `{"query":"port pilot","include_superseded":true,"quality_boost":1}`},
		{"memory_search", `{"query":"pilotage of nothing","include_superseded":true,"fallback":true}`},
		{"memory_list", `{}`},
		{"memory_list", `{"tags":["pilotage","other"]}`},
		{"recall_memory", `{"query":"port pilot today"}`, "Eve Bob Dan"},
		{"recall_by_timeframe", `{"start_date":"2026-01-01","n_results":20}`, "Eve Bob Dan"},
		{"retrieve_with_quality_boost", `{"query":"port pilot"}`, "Eve Bob Dan"},
		{"debug_retrieve", `{"query":"port pilot"}`, "Eve Bob Dan"},
		{"exact_match_retrieve", `{"content":"port pilot"}`, "Eve Bob Dan"},
		{"search_by_tag", `{"tags":["pilotage"]}`, "Eve Bob Dan"},
		{"find_connected_memories", `{"hash":"$Eve"}`, "Bob Dan Carl"},
		{"get_memory_subgraph", `{"hash":"$Eve"}`},
	}
	for _, mode := range []string{"semantic", "exact", "hybrid", "ranked"} {
		list = append(list,
			[3]string{"memory_search", `{"query":"port pilot","mode":"` + mode + `"}`, "Eve Bob Dan"},
			[3]string{"memory_search", `{"query":"port pilot","include_superseded":true,"mode":"` + mode + `"}`})
	}
	return list
}

func claudeHippoTools() [][3]string {
	var list [][3]string
	for _, mode := range []string{"semantic", "associative", "hybrid", "exact"} {
		list = append(list,
			[3]string{"hippo_recall", `{"query":"port pilot","mode":"` + mode + `"}`},
			[3]string{"hippo_recall", `{"query":"port pilot","no_surprise_boost":true,"mode":"` + mode + `"}`},
			[3]string{"hippo_recall", `{"query":"port pilot","seed_id":"$Eve","mode":"` + mode + `"}`})
	}
	return append(list,
		[3]string{"retrieve_memory", `{"query":"port pilot"}`}, [3]string{"hippo_list_recent", `{}`}, [3]string{"list_memories", `{"tags":["pilotage","other"]}`},
		[3]string{"hippo_recall", `{"query":"The port pilot is Bob."}`}, [3]string{"hippo_session_summary", `{}`, "Eve"})
}

func memoryMCPTools() [][3]string {
	return [][3]string{
		{"search_memory", `{"query":"port pilot","mode":"vector"}`, "Eve"},
		{"search_memory", `{"query":"port pilot","mode":"bm25"}`, "Eve"},
		{"recall", `{"query":"port pilot"}`, "Eve"},
		{"recall", `{"query":"port pilot","valid_at":"2025-06-01T00:00:00Z"}`, "Bob Carl"},
		{"list_memories", `{}`},
		{"get_valid", `{}`, "Eve"},
		{"get_memory", `{"id":"$Bob"}`, "Bob"},
		{"get_memory", `{"id":"$Carl"}`, "Carl"},
		{"get_memory", `{"id":"$Dan"}`, "Dan"},
	}
}

func commands() [][3]string {
	return [][3]string{
		{"", "search port pilot"},
		{"", "search port pilot --json"},
		{"", "search port pilot --lines"},
		{"", "search port pilot --explain"},
		{"", "search port pilot --ranker hybrid"},
		{"", "search port pilot --ranker cosine"},
		{"", "search port pilot --ranker bm25"},
		{"", "search port pilot --ranker surprise"},
		{"", "search port pilot --ranker insight"},
		{"", "search"},
		{"", "search --tag pilotage"},
		{"", "search port pilot --sources memory,code"},
		{"", "list"},
		{"", "list --json"},
		{"", "list --lines"},
		{"", "list --tag pilotage"},
		{"", "get $Bob $Dan $Carl $Eve", "as given"},
		{"", "get $Bob $Dan $Carl $Eve --json", "as given"},
		{"", "get $Bob $Dan $Carl $Eve --lines", "as given"},
		{"", "context", "Eve"},
		{"", "context port pilot Bob", "Eve"},
		{"", "context port pilot Bob --json", "Eve"},
		{"", "relations $Eve", "Bob Dan Carl"},
		{"", "graph neighbours $Eve"},
		{"", "graph neighbours $Eve --json"},
		{"", "graph draw $Eve"},
		{"", "graph path $Bob $Dan", "as given Bob Dan Eve"},
		{"", "graph communities"},
		{"", "entity show Bob", "as given Bob"},
		{"", "fact list Dan --former", "Dan"},
	}
}

func requests() [][3]string {
	return [][3]string{
		{"GET /api/v1/memories", ""},
		{"GET /api/v1/memories/$Bob", "", "Bob"},
		{"GET /api/v1/memories/$Dan", "", "Dan"},
		{"POST /api/v1/memories/get", `{"uuids":["$Bob","$Dan","$Carl","$Eve"]}`, "as given"},
		{"GET /api/v1/memories/$Carl/history", "", "as given Carl Eve"},
		{"POST /api/v1/search", `{"query":"port pilot"}`},
		{"POST /api/v1/search", `{"query":"port pilot","ranker":"cosine"}`},
		{"POST /api/v1/search", `{"tags":["pilotage"]}`},
		{"POST /api/v1/search/sources", `{"query":"port pilot"}`},
		{"POST /api/v1/context", `{"prompt":"port pilot"}`, "Eve"},
		{"GET /api/v1/graph/neighbours?id=$Eve", ""},
		{"GET /api/v1/graph/communities", ""},
		{"GET /api/v1/graph/drawing?id=$Eve", ""},
		{"GET /api/v1/graph/path?from=$Bob&to=$Dan", "", "as given Bob Dan Eve"},
		{"GET /api/v1/entities/Bob", "", "Bob"},
		{"POST /api/recall", `{"query":"port pilot"}`},
		{"POST /api/recall", `{"query":"port pilot","mode":"semantic"}`},
		{"POST /api/recall", `{"query":"port pilot","mode":"associative"}`},
		{"POST /api/recall", `{"query":"port pilot","quality_boost":true,"quality_weight":1}`},
		{"POST /api/recall/by-tags", `{"tags":["pilotage","other"]}`},
		{"POST /api/context", `{"context":"port pilot","auto_ingest":false}`, "Eve"},
		{"GET /api/memories", ""},
		{"GET /api/memories/$Bob", "", "Bob"},
		{"GET /?q=port+pilot", ""},
		{"GET /ui/browse", ""},
		{"GET /ui/timeline", ""},
		{"GET /ui/memory/$Bob", "", "as given"},
		{"GET /ui/memory/$Eve", ""},
		{"GET /ui/memory/$Eve/graph", "", "as given"},
		{"GET /ui/review/audit", "", "Bob"},
	}
}

func factTools() [][3]string {
	return [][3]string{
		{"hippo_relate", `{"action":"list","from":"Acme"}`},
		{"hippo_graph", `{"action":"neighbours","from":"Acme"}`},
		{"hippo_graph", `{"action":"draw","from":"Acme"}`, "as given"},
		{"hippo_graph", `{"action":"draw","from":"Acme","format":"graphviz"}`, "as given"},
		{"hippo_graph", `{"action":"path","from":"Acme","to":"Launch"}`, "leads"},
		{"hippo_graph", `{"action":"entity","from":"Acme"}`},
		{"knowledge_graph", `{"action":"get_related","entity_id":"$Acme"}`, "uses"},
	}
}

func factCommands() [][3]string {
	return [][3]string{
		{"", "relations Acme"},
		{"", "relations Acme --json"},
		{"", "graph neighbours Acme"},
		{"", "graph neighbours Acme --json"},
		{"", "graph draw Acme", "as given"},
		{"", "graph path Acme Launch", "leads"},
		{"", "entity show Acme"},
		{"", "entity show Acme --json"},
		{"", "fact list", "uses"},
		{"", "fact list --former"},
	}
}

func factRequests() [][3]string {
	return [][3]string{
		{"GET /api/v1/memories/$Acme/relations", ""},
		{"GET /api/v1/graph/neighbours?id=$Acme", ""},
		{"GET /api/v1/entities/Acme", ""},
		{"GET /api/v1/graph/drawing?id=$Acme", "", "as given"},
		{"GET /ui/memory/$Acme", ""},
		{"GET /ui/memory/$Acme/graph", "", "as given"},
	}
}

// TestEnded_Explained: an explanation has the factor of what does not hold, and adds up.
func TestEnded_Explained(t *testing.T) {
	t.Parallel()
	f := newFronts(t)
	for request, want := range map[string]string{
		f.command("search port pilot --explain"): " × validity 0.50", f.command("search port pilot --explain --ranker bm25"): " × validity 0.50",
		f.command("search port pilot --explain --json"):                                    `"validity": 0.5`,
		f.web("POST /api/v1/search", `{"query":"port pilot","explain":true}`):              `"validity":0.5`,
		f.web("GET /?q=port+pilot", ""):                                                    "Validity",
		f.tools("hippo")("hippo_search_insights", `{"query":"port pilot","explain":true}`): "validity * 0.50",
	} {
		if n := strings.Count(request, want); n != 2 {
			t.Errorf("%q is there %d times, want 2, for Bob and Dan:\n%s", want, n, request)
		}
	}
}
