package excerpt_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/excerpt"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/preview"
)

// sentences are on different subjects, in several scripts, and of different lengths.
func sentences() []string {
	return []string{
		"The office plants are watered by Ana.", "Der Zug nach Köln fährt um acht Uhr.", "東京の天気は晴れです。", "Logs are kept for 30 days; older ones are moved to cold storage.",
		"Скорый поезд отправляется вечером.", "Is the pager on?", "- the freeze begins on 18 December", "## Notes of the meeting", "Ok.", "See docs/build.md, section 4.2, for the flags.",
		"The rollout was halted, because the canary reported three times as many errors as the build before, and nobody could explain what had changed since the last release went out to all of the customers in Europe.",
		"على المكتب كتاب", "A naïve café owner 🎉 paid.", strings.Repeat("x", 260) + ".",
	}
}

// composed joins sentences by spaces and line ends.
func composed(r *rand.Rand, list []string) string {
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteString([]string{" ", "\n", "  ", "\n\n"}[r.IntN(4)])
		}
		b.WriteString(s)
	}
	return b.String()
}

func asked(text string) *excerpt.Question {
	a := excerpt.Asked{Text: text}
	for i, w := range strings.Fields(text) {
		a.Words = append(a.Words, excerpt.Word{Text: w, IDF: 1 + float64(i%3)})
	}
	return excerpt.NewQuestion(bm25.Words(), &embedtest.Texts{}, a)
}

const answer, question = "The quokka eats at noon.", "when does the quokka eat"

// TestLaws: what is shown of a text keeps the limit, is made of parts of it in their order, each of which begins where a sentence or a clause
// does and ends between characters; a mark stands exactly where something was left out; and what answers is shown.
func TestLaws(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		list := make([]string, 2+r.IntN(30))
		for i := range list {
			list[i] = sentences()[r.IntN(len(sentences()))]
		}
		list[r.IntN(len(list))] = answer
		text, n := composed(r, list), 40+r.IntN(400)
		found := hippo.Span{}
		if r.IntN(2) == 0 {
			found.From = r.IntN(len(text))
			found.To = found.From + r.IntN(len(text)-found.From)
		}
		best := asked(question).Best(text, found)
		got := preview.Of(text, best, n)
		checkShown(t, text, got, n)
		if got.More > 0 && n > 210 && !strings.Contains(got.Text, answer) {
			t.Fatalf("%q of %q lacks what answers", got.Text, text)
		}
	}
}

// checkShown checks what is shown of a text.
func checkShown(t *testing.T, text string, got preview.Preview, n int) {
	t.Helper()
	if got.More == 0 {
		if got.Text != text && strings.TrimSpace(got.Text) != strings.TrimSpace(text) {
			t.Fatalf("%q is not %q", got.Text, text)
		}
		return
	}
	if size := utf8.RuneCountInString(got.Text); size > n || !utf8.ValidString(got.Text) {
		t.Fatalf("%d characters of %d: %q", size, n, got.Text)
	}
	starts := map[int]bool{0: true}
	for _, p := range excerpt.Split(text) {
		starts[p.From] = true
	}
	rest, cut := strings.CutPrefix(got.Text, "…")
	parts := strings.Split(rest, " … ")
	for _, part := range parts {
		if last, _ := utf8.DecodeLastRuneInString(part); unicode.IsSpace(last) {
			t.Fatalf("%q ends with a space", part)
		}
	}
	if !placed(text, 0, starts, parts, cut, got.Ends) {
		t.Fatalf("%q (ends: %v) is not made of parts of %q, with marks where something is left out", got.Text, got.Ends, text)
	}
}

// placed reports whether parts stand in a text behind byte at in their order, each at one of the starts, with something else before the first one
// if it is marked and before each of the others, and nothing behind the last one if that ends the text. The same words may stand in several places.
func placed(text string, at int, starts map[int]bool, parts []string, marked, ends bool) bool {
	if len(parts) == 0 {
		return ends == (strings.TrimSpace(text[at:]) == "")
	}
	for k := at; ; k++ {
		next := strings.Index(text[k:], parts[0])
		if next < 0 {
			return false
		}
		k += next
		left := strings.TrimSpace(text[at:k]) != ""
		if starts[k] && left == marked && placed(text, k+len(parts[0]), starts, parts[1:], true, ends) {
			return true
		}
	}
}

// TestBest_Padded: sentences on other subjects, wherever they are added, leave what answers in its place.
func TestBest_Padded(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	q := asked(question)
	for range 200 {
		list := []string{"Nothing of it is here, and that is that.", answer}
		for range 40 {
			at := r.IntN(len(list) + 1)
			list = append(list[:at:at], append([]string{sentences()[r.IntN(len(sentences()))]}, list[at:]...)...)
			text := composed(r, list)
			if best := q.Best(text, hippo.Span{}); len(best) == 0 || !strings.Contains(text[best[0].From:best[0].To], answer) {
				t.Fatalf("the best of %q is %q", text, texts(text, best))
			}
		}
	}
}

// TestBest_Meaning: where no sentence has a word of the question, the one whose meaning is nearest is the best.
func TestBest_Meaning(t *testing.T) {
	t.Parallel()
	text := "Alpha beta gamma delta. The quokka eats at noon. Epsilon zeta eta theta."
	table := embedtest.Texts{}
	v := make([]float32, table.Texts().Model().Dimension)
	table.Texts().EmbedTokens(v, 0, table.Tokenize(nil, "quokka noon"))
	a := excerpt.Asked{Text: "mealtime", Words: []excerpt.Word{{Text: "mealtime", IDF: 2}}, Meaning: v, Space: table.Texts().Model().Space}
	got := texts(text, excerpt.NewQuestion(bm25.Words(), &table, a).Best(text, hippo.Span{}))
	if len(got) == 0 || got[0] != answer {
		t.Errorf("got %q", got)
	}
	a.Space = "another space"
	if got := texts(text, excerpt.NewQuestion(bm25.Words(), &table, a).Best(text, hippo.Span{})); len(got) > 0 && got[0] == answer {
		t.Errorf("by a vector of another space %q", got)
	}
}

// TestBest_Before: the sentence before the best one is shown where there is room: it says what that speaks of.
func TestBest_Before(t *testing.T) {
	t.Parallel()
	text := "Nobody was there. The cookie lacked an attribute. Changed in session.ts. The sun shines."
	got := texts(text, ask("session", "ts").Best(text, hippo.Span{}))
	if len(got) != 2 || got[0] != "Changed in session.ts." || got[1] != "The cookie lacked an attribute." {
		t.Errorf("got %q", got)
	}
}

// TestBest_Passage: without a sentence that answers, the first one that begins in the passage that was found is shown.
func TestBest_Passage(t *testing.T) {
	t.Parallel()
	text := "Nobody was there. The cookie lacked an attribute. It was changed. The sun shines."
	got := texts(text, ask("database").Best(text, hippo.Span{From: 25, To: len(text)}))
	if len(got) != 1 || got[0] != "It was changed." {
		t.Errorf("got %q", got)
	}
}
