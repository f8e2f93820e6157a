package recall

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/contradict"
)

// A cached claim is that of the memory that was asked about: of two with one text each has its own author and project. The cache keeps a
// bounded number of texts, and none that is too long to claim anything.
func TestClaimCache(t *testing.T) {
	t.Parallel()
	var c claimCache
	newer := ClaimOf(&hippo.Memory{Content: "The timeout of berth 7 is 60 s."})
	for i := range 5 * recentClaims {
		m := &hippo.Memory{Content: fmt.Sprintf("The timeout of berth %d is 30 s.", i%(2*recentClaims)), Project: fmt.Sprint(i % 3)}
		got := c.of(m)
		if got.Memory != m || got.project != m.Project {
			t.Fatalf("%d: got a claim of %v in %q", i, got.Memory, got.project)
		}
		want, _ := ClaimOf(m).text.Contradicts(newer.text)
		if reason, _ := got.text.Contradicts(newer.text); reason != want || (reason != "") != (i%(2*recentClaims) == 7) {
			t.Fatalf("%d: %q, not %q", i, reason, want)
		}
		if len(c.recent) > recentClaims || len(c.former) > recentClaims {
			t.Fatalf("%d: %d and %d texts", i, len(c.recent), len(c.former))
		}
	}
	n := len(c.recent)
	if long := (&hippo.Memory{Content: strings.Repeat("The tide turns. ", contradict.MaxBytes/16+1)}); !c.of(long).Empty() || len(c.recent) != n {
		t.Errorf("%d texts after a long one, %d before", len(c.recent), n)
	}
}
