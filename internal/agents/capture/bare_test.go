package capture_test

import (
	"testing"

	"github.com/hippo-memory/hippo/internal/agents/capture"
	"github.com/hippo-memory/hippo/internal/agents/transcript"
)

// The request to keep something is no part of it.
func TestCandidates_WithoutTheRequest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Let's use Postgres 17 for the billing service from now on. Remember that.": "Let's use Postgres 17 for the billing service from now on.",
		"Remember this: always deploy through the release branch.":                  "Remember this: always deploy through the release branch.",
		"Always use podman compose in this repository, never docker. Note that!":    "Always use podman compose in this repository, never docker.",
		"Please remember that. Always use podman compose in this repository.":       "Always use podman compose in this repository.",
		"Wir verwenden ab jetzt immer pnpm statt npm in diesem Repo. Merk dir das.": "Wir verwenden ab jetzt immer pnpm statt npm in diesem Repo.",
		"Remember that the staging gateway listens on port 8443, not on 443.":       "Remember that the staging gateway listens on port 8443, not on 443.",
	} {
		list := capture.Candidates([]transcript.Turn{{ID: "1", Role: transcript.RoleUser, Text: text, At: 1}})
		if len(list) != 1 || list[0].Content != want {
			t.Errorf("%q: got %+v, want %q", text, list, want)
		}
	}
}
