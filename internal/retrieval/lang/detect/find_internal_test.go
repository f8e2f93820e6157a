package detect

import (
	"strings"
	"testing"
)

// Every line of the list is found with its languages, and what lies between the lines is not.
func TestFind(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for line := range strings.Lines(functionWords) {
		word, tags, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		var want Set
		for tag := range strings.FieldsSeq(tags) {
			l := Parse(tag)
			if l == Unknown || l > MaxLatin {
				t.Errorf("%q: no language in Latin letters has the tag %q", word, tag)
			}
			want |= SetOf(l)
		}
		if got := find([]byte(word)); got != functionWord|Hint(want) || want == 0 || seen[word] {
			t.Errorf("%q: got %x, want the languages %x, once", word, got, want)
		}
		seen[word] = true
	}
	for word := range seen {
		for _, other := range []string{word + "x", word[:len(word)-1], word + " ", "x" + word, word + " en", strings.ToUpper(word)} {
			if got := find([]byte(other)); (got != 0) != seen[other] {
				t.Errorf("%q: got %x, and it is in the list: %t", other, got, seen[other])
			}
		}
	}
	if find(nil) != 0 {
		t.Error("the empty word is a function word")
	}
}

func BenchmarkHintOf(b *testing.B) {
	words := strings.Fields("The quick brown fox jumps over the lazy dog, and nobody in the village ever knew why it was not seen again")
	for b.Loop() {
		for _, w := range words {
			HintOf(w)
		}
	}
}
