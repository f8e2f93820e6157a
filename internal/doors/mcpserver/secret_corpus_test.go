package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/base/screen/screentest"
)

// No secret of the corpus is stored by a tool, and no answer shows one; of the texts without a secret at most 6 are refused.
func TestSecrets_Corpus(t *testing.T) {
	t.Parallel()
	s := start(t)
	const prefix = "cases:\n"
	for i, c := range screentest.Secrets() {
		if testing.Short() && i%5 > 1 { // package screen has all of them
			continue
		}
		args := object{"content": prefix + c.Text, "situation": []string{"s"}, "importance": .5}
		if i%2 == 0 {
			args["content"], args["situation"] = "harmless", []string{"s", strings.Join(strings.Fields(c.Text), " ")}
		}
		o := s.tool("hippo_record_insight", args)
		if !o.IsError || !strings.Contains(o.Text, "error [secret]") && len(c.Text) < 1000 {
			t.Errorf("%q: got %s", c.Text, o.Text)
		}
		if len(c.Hidden) >= 10 && strings.Contains(o.Text+string(o.Data), c.Hidden[4:10]) {
			t.Errorf("it is shown: %s", o.Text)
		}
	}
	refused := 0
	for i, c := range screentest.Harmless() {
		if testing.Short() && i%5 > 1 {
			continue
		}
		if o := s.tool("hippo_record_insight", object{"content": prefix + c.Text, "situation": []string{"s"}, "importance": .5}); o.IsError {
			refused++
			t.Logf("%q: got %s", c.Text, o.Text)
		}
	}
	if refused > 6 {
		t.Errorf("%d texts without a secret are refused, want at most 6", refused)
	}
}
