package cli_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
)

// longText has what answers in the middle of more text than any front end shows of it.
func longText() string {
	var b strings.Builder
	for i := range 500 {
		if i == 300 {
			b.WriteString("The quokka eats at noon. ")
		}
		fmt.Fprintf(&b, "Berth %d is dredged in the week after the spring tide. ", i)
	}
	return strings.TrimSpace(b.String())
}

// TestExcerpts: of a long memory every front end shows what answers a question, with marks where something is left out. Without one, or with a
// blank one, nothing changes; of one that is too long the beginning counts; and an unknown ID is refused in the same words.
func TestExcerpts(t *testing.T) {
	t.Parallel()
	const answer, question = "The quokka eats at noon.", "when does the quokka eat"
	f := newFronts(t)
	hippoTools := f.tools("hippo")
	f.ids["long"] = strings.TrimRight(strings.Fields(hippoTools("hippo_record_insight", `{"content":"`+longText()+`"}`))[2], ",.")
	get := func(more string) string { return hippoTools("hippo_get", `{"ids":["$long"]`+more+`}`) }
	rest := func(query string) string {
		status, text := f.ask("GET /api/v1/memories/$long"+query, "")
		if status != http.StatusOK {
			t.Errorf("REST %s: %d %s", query, status, text)
		}
		return text
	}
	_, excerpt, _ := strings.Cut(rest("?query="+url.QueryEscape(question)), `"excerpt"`)
	for name, shown := range map[string]string{
		"MCP":         get(`,"query":"` + question + `"`),
		"MCP as JSON": get(`,"format":"json","question":"` + question + `"`),
		"MCP search":  hippoTools("hippo_search_insights", `{"query":"`+question+`"}`),
		"REST":        excerpt,
		"CLI":         f.command("get $long --query quokka"),
		"CLI search":  f.command("search quokka"),
		"MCP context": hippoTools("hippo_context", `{"prompt":"`+question+`"}`),
		"CLI context": f.command("context when_does_the_quokka_eat"),
	} {
		if !strings.Contains(shown, answer) || !strings.Contains(shown, "…") || len(shown) > 8<<10 {
			t.Errorf("%s: %d bytes: %.300q", name, len(shown), shown)
		}
	}
	for _, blank := range []string{"", `,"query":" "`} {
		if text := get(blank); strings.Contains(text, answer) || !strings.Contains(text, "get it again with more max_tokens") {
			t.Errorf("MCP with %q for a question: %.300q", blank, text)
		}
	}
	for _, blank := range []string{"", "?query=%20"} {
		if text := rest(blank); !strings.Contains(text, answer) || strings.Contains(text, "excerpt") {
			t.Errorf("REST with %q for a question: %.300q", blank, text)
		}
	}
	huge := question + " " + strings.Repeat("tide ", hippo.MaxQuery/5)
	if text := get(`,"query":"` + huge + `"`); !strings.Contains(text, "of the query count") || !strings.Contains(text, "…") {
		t.Errorf("MCP with a huge question: %.300q", text)
	}
	if text := rest("?query=" + url.QueryEscape(huge)); !strings.Contains(text, "of the query count") {
		t.Errorf("REST with a huge question: %.300q", text)
	}
}
