package cli_test

import (
	"encoding/json"
	"testing"

	"github.com/hippo-memory/hippo/internal/meter"
)

// What a model pays stays within the bounds.
func TestTokens(t *testing.T) {
	t.Parallel()
	var rows []meter.Row
	if err := json.Unmarshal(run(t, t.TempDir(), "tokens", "--json"), &rows); err != nil {
		t.Fatal(err)
	}
	bounds := 0
	for _, r := range rows {
		if r.Result == 0 {
			t.Errorf("%s: no tokens", r.What)
		}
		if r.Most > 0 {
			bounds++
		}
		if r.Most > 0 && r.Total() > r.Most {
			t.Errorf("%s: %d tokens, want at most %d", r.What, r.Total(), r.Most)
		}
	}
	if bounds < 6 {
		t.Errorf("%d bounds: %+v", bounds, rows)
	}
}
