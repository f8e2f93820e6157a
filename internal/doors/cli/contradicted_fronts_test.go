package cli_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestContradicted: a text that a fact contradicts is marked at every front end that shows hits, once, and one that only mentions
// what the fact is about is not.
func TestContradicted(t *testing.T) {
	t.Parallel()
	f := newFronts(t)
	mcp := f.tools("hippo,graph")
	for _, text := range []string{"Ana works at Initech.", "Ana and the Initech account: send the invoice."} {
		mcp("hippo_record_insight", `{"content":"`+text+`","situation":["asking where Ana works"],"source":"user"}`)
	}
	for _, fact := range []string{`"to":"Initech","valid_from":"2020-01-01"`, `"to":"Globex","valid_from":"2026-01-01"`} {
		for _, name := range []string{"Ana", "Initech", "Globex"} {
			mcp("hippo_relate", `{"action":"entity","from":"`+name+`"}`)
		}
		mcp("hippo_relate", `{"from":"Ana","kind":"works_at",`+fact+`}`)
	}
	mark := regexp.MustCompile(`says otherwise since 2026-01-01: Ana works at Globex|"contradicted_by": ?\{`)
	for name, list := range map[string][]probe{
		"hippo": called(mcp, [][3]string{
			{"hippo_search_insights", `{"query":"where does Ana work"}`},
			{"hippo_search_insights", `{"query":"where does Ana work","detail":"full"}`},
			{"hippo_search_insights", `{"query":"where does Ana work","format":"json"}`},
			{"hippo_search_insights", `{"query":"Ana works at Initech","ranker":"bm25"}`},
			{"hippo_search_insights", `{"query":"where does Ana work","sources":["memory","code"]}`},
			{"hippo_context", `{"prompt":"where does Ana work"}`},
			{"hippo_run", `{"program":"[[m.content, m.contradicted_by] for m in search('where does Ana work')]"}`},
		}...),
		"memory-service": called(f.tools("memory-service"), [][3]string{
			{"memory_search", `{"query":"where does Ana work"}`}, {"retrieve_memory", `{"query":"where does Ana work"}`}, {"recall_memory", `{"query":"where does Ana work today"}`},
		}...),
		"claude-hippo": called(f.tools("claude-hippo"), [][3]string{{"hippo_recall", `{"query":"where does Ana work"}`}, {"retrieve_memory", `{"query":"where does Ana work"}`}}...),
		"memory-mcp":   called(f.tools("memory-mcp"), [][3]string{{"search_memory", `{"query":"Ana works at Initech"}`}, {"recall", `{"query":"where does Ana work"}`}}...),
		"commands": called(func(_, line string) string { return f.command(line) }, [][3]string{
			{"", "search where does Ana work"},
			{"", "search where does Ana work --json"},
			{"", "search where does Ana work --lines"},
			{"", "search where does Ana work --sources memory,code"},
			{"", "search where does Ana work --sources memory,code --lines"},
			{"", "context where does Ana work"},
			{"", "context where does Ana work --json"},
		}...),
		"HTTP": called(f.web, [][3]string{
			{"POST /api/v1/search", `{"query":"where does Ana work"}`},
			{"POST /api/v1/search/sources", `{"query":"where does Ana work"}`},
			{"POST /api/v1/context", `{"prompt":"where does Ana work"}`},
			{"POST /api/recall", `{"query":"where does Ana work"}`},
			{"POST /api/context", `{"context":"where does Ana work","auto_ingest":false}`},
			{"GET /?q=where+does+Ana+work", ""},
		}...),
	} {
		t.Run(name, func(t *testing.T) {
			for _, p := range list {
				answer := strings.Join(strings.Fields(p.answer()), " ")
				if !strings.Contains(regexp.MustCompile(`</?mark>`).ReplaceAllString(answer, ""), "Ana works at Initech") || !strings.Contains(answer, "invoice") && !reminds(p.name) {
					t.Errorf("%s does not show both:\n%s", p.name, answer)
				}
				if n := len(mark.FindAllString(answer, -1)); n != 1 {
					t.Errorf("%s has %d marks, want 1:\n%s", p.name, n, answer)
				}
			}
		})
	}
}

// reminds reports whether a request brings only what is related to its words.
func reminds(request string) bool { return strings.HasPrefix(request, "POST /api/context") }
