package mcpserver_test

import (
	"strings"
	"testing"
)

// TestMetadata: a program keeps data with an insight, and a modification merges it.
func TestMetadata(t *testing.T) {
	t.Parallel()
	s := connectWith(t, meanings(t)["none"])
	s.hello()
	var recorded struct{ UUID string }
	s.must("hippo_record_insight", object{"content": "Retries need jitter", "metadata": object{"ticket": "OPS-7", "n": 1}}, &recorded)
	s.must("hippo_modify_insight", object{"uuid": recorded.UUID, "metadata": `{"n":2,"list":[1]}`, "clear": "metadata.ticket"}, &struct{}{})
	var got struct {
		Memories []struct {
			Insight struct{ Metadata map[string]any }
		}
	}
	s.must("hippo_get", object{"ids": []string{recorded.UUID}}, &got)
	if m := got.Memories[0].Insight.Metadata; len(m) != 2 || m["n"] != 2.0 || m["list"] == nil {
		t.Errorf("metadata %v", m)
	}
	out := s.tool("hippo_modify_insight", object{"uuid": recorded.UUID, "metadata": []int{1}, "format": "json"})
	if !out.IsError || !strings.Contains(out.Text, "metadata: must be an object") {
		t.Errorf("a list as metadata: %+v", out)
	}
	out = s.tool("hippo_modify_insight", object{"uuid": recorded.UUID, "metadata": object{"n": 3}})
	if !out.IsError || !strings.Contains(out.Text, "metadata: is unknown") {
		t.Errorf("metadata of a model: %+v", out)
	}
}

// TestGet_LargestAsJSON: a program reads even the largest content whole.
func TestGet_LargestAsJSON(t *testing.T) {
	t.Parallel()
	s := connectWith(t, meanings(t)["none"])
	s.hello()
	content := strings.Repeat("a longer story, ", 512<<10/16)
	var recorded struct{ UUID string }
	s.must("hippo_record_insight", object{"content": content}, &recorded)
	var got struct {
		Memories []struct{ Insight struct{ Content string } }
	}
	s.must("hippo_get", object{"ids": []string{recorded.UUID}, "max_tokens": 1_000_000}, &got)
	if n := len(got.Memories[0].Insight.Content); n != len(content) {
		t.Errorf("%d bytes of %d", n, len(content))
	}
	out := s.tool("hippo_get", object{"ids": []string{recorded.UUID}, "max_tokens": 1_000_000})
	if !out.IsError || !strings.Contains(out.Text, "must be between 200 and 100000") {
		t.Errorf("as text: %.200s", out.Text)
	}
}
