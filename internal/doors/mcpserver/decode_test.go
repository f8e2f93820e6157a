package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
)

// An argument whose name is empty is as unknown as any other.
func TestDecode_EmptyName(t *testing.T) {
	t.Parallel()
	s := start(t)
	for tool, args := range map[string]object{
		"hippo_status":          {"": 1},
		"hippo_search_insights": {"limit": object{"count": 1, "": 2}},
		"hippo_record_insight":  {"content": "x", "situation": []string{"s"}, "importance": .5, "": nil},
	} {
		if o := s.tool(tool, args); !o.IsError || !strings.Contains(o.Text, "is unknown") {
			t.Errorf("%s(%v): got %s", tool, args, o.Text)
		}
	}
	if n := s.stored(); n != 0 {
		t.Errorf("%d stored", n)
	}
}

// Asking an input for its fields changes nothing, however often.
func TestFields_HaveNoSideEffects(t *testing.T) {
	t.Parallel()
	for tool, twice := range mcpserver.InputsAskedTwice() {
		if diff := cmp.Diff(twice[0], twice[1]); diff != "" {
			t.Errorf("%s: %s", tool, diff)
		}
	}
}
