package sharedstore

import "testing"

// The sums are those of Python 3.11: sha256(text.strip().lower().encode()).
func TestPlainHash(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Hello  ":         "2cf24dba5fb0",
		"\x1cA\x1f\u00a0": "ca978112ca1b",
		"\u0130stanbul":   "4a4df120f7d1",
		"ΟΔΥΣΣΕΥΣ":        "3c70e8e70fb6",
		"ΣΑΣ. Σ":          "7d83a9543a2b",
		"\u1e9e":          "cd3a7e92a911",
		"ΑΣ'":             "633cc6237ab2",
	} {
		if got := plainHash(text); got[:12] != want {
			t.Errorf("%q has %s, want %s", text, got[:12], want)
		}
	}
}
