package screen_test

import (
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/base/screen"
)

const prose = "The staging cluster moved to the new rack on Tuesday, and the retries of the importer now wait with jitter. " +
	"Ana prefers small commits with a reason in the body; the review of the ranking took longer than planned. "

func Benchmark(b *testing.B) {
	for name, text := range map[string]string{
		"note_200B":    prose[:200],
		"prose_20KB":   strings.Repeat(prose, 120)[:20<<10],
		"prose_1KB":    strings.Repeat(prose, 5)[:1024],
		"keywords_1KB": strings.Repeat("the token of the api, its key and the password policy of linear and github; ", 14)[:1024],
		"prose_512KB":  strings.Repeat(prose, 3000)[:512<<10],
		"keys_512KB":   strings.Repeat("token = a1B2c3 and password: x ", 20000)[:512<<10],
		"base64_512KB": strings.Repeat("aGVsbG8gd29ybGQgaGVsbG8gd29y ", 20000)[:512<<10],
		"names_512KB":  strings.Repeat("sig=", 512<<10/4),
		"worst_512KB":  strings.Repeat(allKeywords(), 512<<10/len(allKeywords())+1)[:512<<10],
	} {
		b.Run("Secrets/"+name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				screen.Secrets(text)
			}
		})
		b.Run("Instructions/"+name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				screen.Instructions(text)
			}
		})
	}
}

// BenchmarkPhraseTable is what the first search for instructions costs in addition.
func BenchmarkPhraseTable(b *testing.B) {
	for b.Loop() {
		screen.NewPhraseTable()
	}
}

// allKeywords returns a text that has every keyword of every rule.
func allKeywords() string { return strings.Join(screen.Keywords(), " ") + " " }
