package engine_test

import (
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/engine"
)

// A panic of what is computed beside the call is an error of the call; the process goes on.
func TestCommunities_Panic(t *testing.T) {
	t.Parallel()
	if err := engine.GroupBroken(); err == nil || strings.Count(err.Error(), "panic: ") != 2 {
		t.Errorf("error %v", err)
	}
}
