package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestSearch_IsWeak: the answer to an unrelated query says that it may not answer. It has the best
// three insights whole and the beginning of the others, and all of them if the caller asks for that.
func TestSearch_IsWeak(t *testing.T) {
	t.Parallel()
	s := connectWith(t, meanings(t)["none"])
	s.hello()
	const end = "the last word of a release note that is longer than a line"
	for i := range 30 {
		s.record(fmt.Sprintf("Release %d went out on a Friday, ticket %d; Friday releases are %s", i, 100+i, end), .5)
	}
	const query = "Which opera did Wilhelmina Huber sing in Salzburg and Innsbruck before the last Friday with Griselda Moser?"
	type answer struct {
		Total      int     `json:"total_count"`
		Confidence float64 `json:"confidence"`
		Weak       string  `json:"weak"`
		Results    []struct {
			Insight struct {
				Content string `json:"content"`
			} `json:"insight"`
		} `json:"results"`
	}
	whole := func(a *answer) (n int) {
		for _, r := range a.Results {
			if strings.HasSuffix(r.Insight.Content, end) {
				n++
			}
		}
		return n
	}
	var got answer
	s.must("hippo_search_insights", object{"query": query}, &got)
	out := s.must("hippo_search_insights", object{"query": query}, nil)
	if got.Total != 30 || got.Weak == "" || len(got.Results) != 10 || whole(&got) != 3 || strings.Count(out.Text, end) != 3 {
		t.Fatalf("%+v\n%s", got, out.Text)
	}
	for _, want := range []string{"Weak: these may not answer the question", "no memory mentions opera", "detail full shows the whole texts"} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("%q lacks %q", out.Text, want)
		}
	}
	if n := strings.Count(out.Text, " weak "); n != 10 {
		t.Errorf("%d of the 10 hits show no relevance beside the low confidence: %s", n, out.Text)
	}
	var full answer
	s.must("hippo_search_insights", object{"query": query, "detail": "full"}, &full)
	out = s.must("hippo_search_insights", object{"query": query, "detail": "full"}, nil)
	if full.Weak == "" || whole(&full) != 10 || strings.Count(out.Text, end) != 10 {
		t.Errorf("with detail: %+v\n%s", full, out.Text)
	}
	var related answer
	s.must("hippo_search_insights", object{"query": "Friday release"}, &related)
	out = s.must("hippo_search_insights", object{"query": "Friday release"}, nil)
	if related.Confidence < .9 || related.Weak != "" || whole(&related) != 10 || !strings.Contains(out.Text, "confidence .9") {
		t.Errorf("related: %+v, %q", related, out.Text)
	}
}
