package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestSearch_IsWeak: an unrelated query gets few insights that say they may not answer, and what
// there is if it asks for that.
func TestSearch_IsWeak(t *testing.T) {
	t.Parallel()
	s := connectWith(t, meanings(t)["none"])
	s.hello()
	for i := range 30 {
		s.record(fmt.Sprintf("Release %d went out on a Friday, ticket %d", i, 100+i), .5)
	}
	const query = "Which opera did Wilhelmina Huber sing in Salzburg and Innsbruck before the last Friday with Griselda Moser?"
	var got struct {
		Total      int     `json:"total_count"`
		Confidence float64 `json:"confidence"`
		Weak       string  `json:"weak"`
	}
	out := s.must("hippo_search_insights", object{"query": query}, &got)
	if got.Total != 5 || got.Weak == "" {
		t.Fatalf("%+v", got)
	}
	for _, want := range []string{"Weak: these may not answer it", "no memory mentions opera", `relevance_range {"min":0} shows all`} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("%q lacks %q", out.Text, want)
		}
	}
	got.Weak = ""
	s.must("hippo_search_insights", object{"query": query, "relevance_range": object{"min": 0}}, &got)
	if got.Total != 30 || got.Weak == "" {
		t.Errorf("with a range: %+v", got)
	}
	out = s.must("hippo_search_insights", object{"query": "Friday release"}, &got)
	if got.Confidence < .9 || !strings.Contains(out.Text, "confidence 0.9") {
		t.Errorf("related: %+v, %q", got, out.Text)
	}
}
