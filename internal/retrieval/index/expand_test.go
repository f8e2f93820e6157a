package index_test

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
)

// ranked returns the numbers of the notes that match, the best first.
func ranked(x *index.Index, q query) []int {
	list, _ := search(x, q)
	slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(b.Score, a.Score) })
	out := make([]int, len(list))
	for i := range list {
		out[i] = int(binary.BigEndian.Uint32(list[i].ID[12:]))
	}
	return out
}

// Strings that are typed in part, wrongly, or in other pieces find what they stand for.
func TestSearch_expands_words_that_no_memory_has(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(
		note(1, "Do not call NewPkgName from go/token/position.go"),
		note(2, "Commit 49d044a942 split the function"),
		note(3, "WEB-1066: the worker did not stop"),
		note(4, "a new package has a name"),
		note(5, `tls says "invalid key usage"`),
		note(6, "Straßenbahn nach Zürich"),
	)
	x := open(t, s, nil)
	for _, c := range []struct {
		name, text string
		want       int // the best match, 0: there is none
	}{
		{"prefix_of_a_symbol", "newpkgn", 1},
		{"prefix_of_a_commit", "49d044a", 2},
		{"prefix_of_three_letters", "pos", 0},
		{"one_edit", "NewPkgNmae", 1},
		{"two_edits", "nwePkgNane", 1},
		{"three_edits", "nwepkgnanexy", 0},
		{"typos_in_a_sentence", "invalfd key usaeg", 5},
		{"one_digit_of_a_ticket", "WEB-1065", 3},
		{"another_number", "1065", 0},
		{"letters_beyond_ASCII", "strassenbhan zürihc", 6},
		{"split_words", "new pkg name", 1},
		{"base_name_of_a_path", "position.go", 1},
		{"nothing_near", "elephant", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := append(ranked(x, query{Text: c.text}), 0)
			if got[0] != c.want {
				t.Errorf("%q finds %v, want %d first", c.text, got, c.want)
			}
		})
	}
}

// What stands for a word counts less than the word, and never beyond the bound.
func TestSearch_weighs_expansions_below_exact_words(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "one rotation"), note(2, "two secrets"), note(3, "new cipher"), note(4, "the newcipher"))
	x := open(t, s, nil)
	exact, most := search(x, query{Text: "secrets"})
	for _, c := range []struct {
		text   string
		weight float64
	}{
		{"secr", .8 * 4 / 6}, // of secret
		{"sercet", .6},
	} {
		got, bound := search(x, query{Text: c.text})
		if len(got) != 1 || math.Abs(got[0].Score-c.weight*exact[0].Score) > 1e-12 || math.Abs(got[0].Coverage-c.weight) > 1e-12 || bound != most {
			t.Errorf("%q finds %+v, bound %v; want %v of score %v", c.text, got, bound, c.weight, exact[0].Score)
		}
	}
	// The word that both form adds half of its score to that of its memory, and no coverage.
	parts, _ := search(x, query{Text: "new cipher"})
	whole, _ := search(x, query{Text: "newcipher"})
	var joined found
	for _, m := range parts {
		if m.ID == id(4) {
			joined = m
		}
	}
	if math.Abs(joined.Score-whole[0].Score/2) > 1e-12 || joined.Coverage != 0 {
		t.Errorf("new cipher finds newcipher with %+v, want half the score of %+v", joined, whole[0])
	}
	if got, bound := search(x, query{Text: "new cipher"}); len(got) != 2 || bound < 2*bm25.IDF(4, 1)*2.2 {
		t.Errorf("found %d memories within %v", len(got), bound)
	}
}

// Several variants of a word count as one word: the best of them.
func TestSearch_counts_the_best_variant(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "zebracon"), note(2, "zebracon zebracox zebracoy"), note(3, "unrelated words"))
	x := open(t, s, nil)
	list, most := search(x, query{Text: "zebrac"})
	for _, m := range list {
		if m.Coverage > .8 || m.Score > most {
			t.Errorf("%v has coverage %v and score %v of at most %v", m.ID, m.Coverage, m.Score, most)
		}
	}
	if len(list) != 2 {
		t.Errorf("found %v, want two memories", list)
	}
}

// Neither the words of others nor those of deleted memories become variants.
func TestSearch_expands_within_the_scope(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	foreign, gone := note(1, "zirconium"), note(2, "zirconic")
	foreign.Namespace = "other"
	s.put(foreign, gone, note(3, "zircons shine"))
	x := open(t, s, nil)
	s.purge(id(2))
	catchUp(t, x)
	fresh := newSource("s")
	fresh.put(note(3, "zircons shine"))
	want, wantMost := search(open(t, fresh, nil), query{Text: "zirco zirconiun"})
	got, most := search(x, query{Text: "zirco zirconiun"})
	if d := difference(want, got); d != "" || most != wantMost {
		t.Errorf("it differs from a store of one memory, bound %v and %v (-want +got):\n%s", wantMost, most, d)
	}
}

// With Literal, words match only themselves.
func TestSearch_literally(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "NewCipher"), note(2, "new cipher"))
	x := open(t, s, &index.Options{Analyzer: bm25.Plain(), Literal: true})
	for text, want := range map[string]int{"newciph": 0, "newcihper": 0, "new cipher": 1, "newcipher": 1} {
		if got := ids(x, query{Text: text}); len(got) != want {
			t.Errorf("%q finds %v, want %d", text, got, want)
		}
	}
}

// A query of many words that no memory has, or of one very long word, costs a bounded search.
func TestSearch_expands_few_words(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "alphabet bravery charlatan delicious elephants fortunate graceful hibernate island"))
	x := open(t, s, nil)
	got, _ := search(x, query{Text: "alphabte bravrey charlatna deliciuos elephatns furtunate gracefil hibernaet islnad"})
	if len(got) != 1 || got[0].Coverage > 8./9 {
		t.Errorf("found %+v, want eight of nine words", got)
	}
	if got := ids(x, query{Text: strings.Repeat("x", 1<<19)}); len(got) != 0 {
		t.Errorf("found %v", got)
	}
}

// A name is found in other scripts than the query has it in, and by nothing else.
func TestSearch_finds_names_in_other_scripts(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(
		note(1, "Тесла приехал в 308 раз"),
		note(2, "سيارة تيسلا جديدة"),
		note(3, "The Hindu temple of Angkor"),
		note(4, "Собор в Кёльне закрыт"),
		note(5, "The Warsaw office moved"),
	)
	x := open(t, s, nil)
	for _, c := range []struct {
		name, text string
		want       []int
	}{
		{"two_scripts", "Tesla", []int{1, 2}},
		{"from_Cyrillic", "Ангкор", []int{3}},
		{"from_Arabic", "وارسو", []int{5}},
		{"three_sounds", "Koeln", []int{4}},
		{"two_sounds", "key", nil},
		{"a_number_is_no_name", "309", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := ranked(x, query{Text: c.text})
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("%q found %v, want %v", c.text, got, c.want)
			}
		})
	}
}
