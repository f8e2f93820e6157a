package mcpserver_test

import (
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// TestModify_KeepsTheReason: the history says who ended a fact, and why.
func TestModify_KeepsTheReason(t *testing.T) {
	t.Parallel()
	s := connectWith(t, meanings(t)["none"])
	s.hello()
	var recorded struct{ UUID string }
	s.must("hippo_record_insight", object{"content": "The gateway listens on port 80"}, &recorded)
	s.must("hippo_modify_insight", object{"uuid": recorded.UUID, "valid_until": "+1d", "reason": "the gateway was shut down"}, &struct{}{})
	s.must("hippo_modify_insight", object{"uuid": recorded.UUID, "valid_until": "none"}, &struct{}{})
	ops, err := memory.Operations(t.Context(), s.engine.In(hippo.LocalScope("")), api.Operations{Count: 5})
	if err != nil || len(ops.Operations) != 2 {
		t.Fatalf("history: %+v, %v", ops, err)
	}
	if last, ended := ops.Operations[0], ops.Operations[1]; last.Reason != "" || ended.Reason != "the gateway was shut down" || ended.By.Client != "mcp" {
		t.Errorf("history: %+v", ops)
	}
}
