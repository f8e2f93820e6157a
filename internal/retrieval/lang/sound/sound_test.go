package sound_test

import (
	"testing"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/sound"
)

func TestKey_is_that_of_the_name_in_other_scripts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key   string
		words []string
	}{
		{"LNDN", []string{"london", "лондон", "لندن"}},
		{"PNTRS", []string{"panthers", "пантерс", "بانثرز"}},
		{"TSL", []string{"tesla", "тесла", "تيسلا"}},
		{"LTR", []string{"luther", "лютер", "لوثر"}},
		{"FKTR", []string{"victoria", "виктория", "فيكتوريا"}},
		{"SPN", []string{"chopin", "шопен", "شوبان"}},
		{"FRS", []string{"warsaw", "وارسو"}},
		{"NRMN", []string{"norman", "норманны", "النورمان"}},
		{"APL", []string{"apollo", "ابولو"}},
		{"HGNT", []string{"huguenot", "الهوغونوت"}},
		{"SFL", []string{"zwolle", "زفوله"}},
		{"FLP", []string{"philip", "филип", "فيليب"}},
		{"MKS", []string{"max", "макс", "ماكس"}},
		{"SR", []string{"tsar", "царь"}},
		{"GR", []string{"jar", "джар"}},
		{"MS", []string{"mats", "матс", "mass"}},
	} {
		for _, w := range c.words {
			if got := sound.Key(w); got != c.key {
				t.Errorf("Key(%q) = %q, want %q", w, got, c.key)
			}
		}
	}
}

func TestKey_of_what_is_no_word_of_one_script(t *testing.T) {
	t.Parallel()
	for _, w := range []string{"", "1066", "a1", "web-1066", "лондoн", "東京", "\xff", "mañana", "a\x00b"} {
		if got := sound.Key(w); got != "" {
			t.Errorf("Key(%q) = %q, want none", w, got)
		}
	}
}

// A word that has the key of one in another script begins with one of its beginnings.
func TestBeginnings(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"london", "philip", "warsaw", "cicero", "tsar", "джон", "царь", "وارسو", "الهوغونوت", "apollo", "يمن"} {
		r, size := utf8.DecodeRuneInString(word)
		key, found := sound.Key(word), false
		for s := sound.Latin; s <= sound.Arabic; s++ {
			if s == sound.ScriptOf(word) {
				continue
			}
			sound.Beginnings(s, key, func(b string) {
				if sound.ScriptOf(b) == s {
					t.Errorf("a beginning of the own script: %q", b)
				}
				found = found || b == string(r) || len(word) > size && len(b) > size && word[:min(len(b), len(word))] == b
			})
		}
		if !found {
			t.Errorf("no beginning of %q", word)
		}
	}
	sound.Beginnings(sound.Latin, "", func(string) { t.Error("a beginning of no key") })
}

func FuzzKey(f *testing.F) {
	f.Add("london")
	f.Add("النورمان")
	f.Fuzz(func(t *testing.T, word string) {
		for _, c := range []byte(sound.Key(word)) {
			if c < 'A' || c > 'Z' {
				t.Errorf("Key(%q) = %q", word, sound.Key(word))
			}
		}
	})
}
