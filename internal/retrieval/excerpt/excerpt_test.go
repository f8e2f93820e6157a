package excerpt_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/excerpt"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
)

const release = "The build takes nine minutes. Releases go out on Tuesdays, after a Friday release broke scanning. " +
	"The office plants are watered by Ana. Logs are kept for 30 days; older ones are moved to cold storage.\n" +
	"- the pager rotates every Monday\n- the freeze begins on 18 December"

func ask(words ...string) *excerpt.Question {
	list := make([]excerpt.Word, len(words))
	for i, w := range words {
		list[i] = excerpt.Word{Text: w, IDF: 3}
	}
	return excerpt.NewQuestion(bm25.Words(), nil, excerpt.Asked{Text: strings.Join(words, " "), Words: list})
}

func texts(text string, spans []hippo.Span) []string {
	var out []string
	for _, s := range spans {
		out = append(out, text[s.From:s.To])
	}
	return out
}

// The sentences that have the words of the question come first, whatever form the words have, and each is there for what the ones
// before it lack.
func TestBest(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		words []string
		want  []string
	}{
		{[]string{"release", "Tuesday"}, []string{"Releases go out on Tuesdays, after a Friday release broke scanning."}},
		{[]string{"when", "does", "the", "freeze", "begin"}, []string{"- the freeze begins on 18 December"}},
		{[]string{"pager", "logs"}, []string{"Logs are kept for 30 days; older ones are moved to cold storage.", "- the pager rotates every Monday"}},
		{[]string{"database", "migration"}, nil},
	} {
		got := texts(release, ask(x.words...).Best(release, hippo.Span{}))
		if len(got) < len(x.want) || x.want == nil && got != nil {
			t.Errorf("%v: got %q, want %q", x.words, got, x.want)
			continue
		}
		for _, want := range x.want {
			if !strings.Contains(strings.Join(got[:len(x.want)], "|"), want) {
				t.Errorf("%v: got %q, want %q", x.words, got, x.want)
			}
		}
	}
	if got := ask("Ana").Best("Ana waters the plants.", hippo.Span{}); got != nil {
		t.Errorf("of one sentence %v", got)
	}
}

// Among sentences that have the same words, one of the passage that was found is first.
func TestBest_InThePassage(t *testing.T) {
	t.Parallel()
	text := "The cache of quotes holds ninety seconds. " + strings.Repeat("Nothing of it is here. ", 20) + "The cache of sessions holds an hour."
	at := strings.LastIndex(text, "The cache")
	got := texts(text, ask("cache").Best(text, hippo.Span{From: at - 40, To: len(text)}))
	if len(got) == 0 || got[0] != "The cache of sessions holds an hour." {
		t.Errorf("got %q", got)
	}
}

// A sentence is found wherever it stands in a long text, and what is named lies in the text, apart from the rest, at whole characters.
func TestBest_Anywhere(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	fill := []string{"Die Züge fahren stündlich. ", "東京の天気は晴れです。", "A line without an end\n", strings.Repeat("word ", 90) + ". ", strings.Repeat("x", 500) + " ", "é\xff broken. "}
	for range 300 {
		var b strings.Builder
		place := r.IntN(40)
		for i := range 40 {
			if i == place {
				b.WriteString("\nThe quokka eats at noon.\n")
			}
			b.WriteString(fill[r.IntN(len(fill))])
		}
		text := b.String()
		spans := ask("when", "does", "the", "quokka", "eat").Best(text, hippo.Span{})
		if len(spans) == 0 || !strings.Contains(text[spans[0].From:spans[0].To], "quokka") {
			t.Fatalf("got %q of %q", texts(text, spans), text)
		}
		parts := excerpt.Split(text)
		for i, s := range parts {
			if s.From >= s.To || i > 0 && s.From < parts[i-1].To || !utf8.RuneStart(text[s.From]) || s.To < len(text) && !utf8.RuneStart(text[s.To]) {
				t.Fatalf("part %d of %q: %v", i, text, s)
			}
		}
	}
}

// Of a huge text the surroundings of the passage that was found are looked at.
func TestBest_Huge(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("日本語のテキスト。", 20_000)
	text := filler + "The quokka eats at noon. " + filler
	got := texts(text, ask("quokka").Best(text, hippo.Span{From: len(filler), To: len(filler) + 40}))
	if len(got) == 0 || got[0] != "The quokka eats at noon." {
		t.Errorf("got %q", got)
	}
}

func BenchmarkBest(b *testing.B) {
	for name, times := range map[string]int{"short": 1, "long": 20} {
		text := strings.Repeat(release+" ", times)
		q := ask("when", "does", "the", "freeze", "begin")
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				q.Best(text, hippo.Span{})
			}
		})
	}
}
