package tokencount_test

import (
	"testing"

	"github.com/hippo-memory/hippo/internal/base/tokencount"
)

func TestOf(t *testing.T) {
	t.Parallel()
	// The true numbers are those of the vocabulary o200k.
	for text, actual := range map[string]int{
		"": 0, "hello world": 2, "The gateway goes down when the certificate of the proxy expires.": 12,
	} {
		if n := tokencount.Of(text); n < actual || n > 2*actual {
			t.Errorf("%q: %d tokens, the true number is %d", text, n, actual)
		}
	}
}

// The estimate of tokens is not below the true number, on texts of many kinds. The true numbers are
// those of the vocabulary o200k.
func TestOf_IsFromAbove(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		actual int
		text   string
	}{
		"prose":   {24, "Retries without jitter took the gateway down; the second deploy of a day waits until the first one has served real traffic."},
		"code":    {33, "func (b *budget) take(text string) bool {\n\tcost := budget(Tokens(text))\n\tif cost > *b {\n\t\treturn false\n\t}\n}"},
		"json":    {44, `{"results":[{"insight":{"uuid":"01a19b98-7960-73c6-aef3-f372fe94f82a","importance":0.8}}],"total_count":2}`},
		"hit":     {39, "7f4a7c15 .87 Retries without jitter took the gateway down (debugging outages) | Nov 2\n2026-11-02, +4,100 chars"},
		"hex":     {43, "9e3779b97f4a7c15 3c6ef372fe94f82a da3e39cb94b95bdb 78dde6e5fd29f044"},
		"path":    {36, "/var/lib/hippo/memory.db --max-tokens=1200 HIPPO_STORE=sqlite:~/x https://example.com/a?b=c&d=1"},
		"german":  {20, "Der Dienst für die Überweisungen fällt aus, wenn das Zertifikat des Vermittlers abläuft."},
		"russian": {23, "Шлюз упал, потому что все клиенты повторили запросы одновременно, без случайной задержки."},
		"chinese": {16, "网关在星期五宕机了，因为所有客户端同时重试。"},
		"emoji":   {17, "🦛 remembers 👍🏽 across 👨‍👩‍👧 sessions"},
		"spaced":  {18, "a b c 1 2 3 d e f 4 5 6"},
	} {
		if n := tokencount.Of(x.text); n < x.actual || n > 4*x.actual {
			t.Errorf("%s: %d tokens, the true number is %d", name, n, x.actual)
		}
	}
}
