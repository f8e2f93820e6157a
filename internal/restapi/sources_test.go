package restapi_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestSources: insights are found where there is no code to ask, and the answer says that.
func TestSources(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := s.record(`{"content":"the pump needs oil"}`)
	var out struct {
		Results []struct {
			Source string
			Memory struct{ Insight struct{ UUID string } }
		}
		InsightCount int `json:"insight_count"`
		Notes        []string
	}
	s.do(http.MethodPost, "/search/sources", `{"query":"pump oil"}`).want(http.StatusOK).into(&out)
	if len(out.Results) != 1 || out.Results[0].Source != "memory" || out.Results[0].Memory.Insight.UUID != m.UUID || out.InsightCount != 1 {
		t.Errorf("%+v", out)
	}
	if len(out.Notes) != 1 || !strings.Contains(out.Notes[0], "answers no questions about code") {
		t.Errorf("%q", out.Notes)
	}
	for body, field := range map[string]string{
		`{"query":"x","sources":["mail"]}`: "sources", `{"query":"x","sources":["memory"]}`: "sources", `{"query":"x","ranker":"bm25"}`: "ranker", `{}`: "query",
		`{"query":"x","limit":60,"offset":60}`: "limit",
	} {
		s.do(http.MethodPost, "/search/sources", body).failed(http.StatusBadRequest, "invalid", field)
	}
}
