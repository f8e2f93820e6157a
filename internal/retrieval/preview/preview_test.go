package preview_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/preview"
)

var text = strings.Repeat("Nothing is here. ", 30) + "The answer is forty two. " + strings.Repeat("Nor is it here. ", 30) + "The end is near."

func spanOf(s string) hippo.Span {
	at := strings.Index(text, s)
	return hippo.Span{From: at, To: at + len(s)}
}

func TestOf(t *testing.T) {
	t.Parallel()
	answer, end := spanOf("The answer is forty two."), spanOf("The end is near.")
	for _, x := range []struct {
		name  string
		parts []hippo.Span
		n     int
		want  string
		ends  bool
	}{
		{"the beginning", nil, 16, "Nothing is here.", false},
		{"a sentence, and what follows", []hippo.Span{answer}, 41, "…The answer is forty two. Nor is it here.", false},
		{"two, in their order", []hippo.Span{end, answer}, 46, "…The answer is forty two. … The end is near.", true},
		{"the second does not fit", []hippo.Span{answer, end}, 28, "…The answer is forty two.", false},
		{"the first does not fit", []hippo.Span{answer}, 11, "…The answer", false},
	} {
		got := preview.Of(text, x.parts, x.n)
		shown := utf8.RuneCountInString(strings.ReplaceAll(strings.ReplaceAll(got.Text, " … ", ""), "…", ""))
		if got.Text != x.want || got.Ends != x.ends || got.More != utf8.RuneCountInString(text)-shown {
			t.Errorf("%s: got %+v, want %q", x.name, got, x.want)
		}
	}
	if got := preview.Of("short", []hippo.Span{{From: 2, To: 4}}, 4); got.Text != "short" || got.More != 0 || !got.Ends {
		t.Errorf("a short text: %+v", got)
	}
}

// Whatever the parts are, a preview keeps its limit, shows the beginning of the best one, and counts what it leaves out.
func TestOf_Limits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	text := []rune(strings.Repeat("wörter und 日本語 gemischt. ", 60))
	for range 2000 {
		var parts []hippo.Span
		at := 0
		for at < len(text)-60 {
			from := at + r.IntN(200)
			to := min(len(text), from+1+r.IntN(60))
			if from < to {
				parts = append(parts, hippo.Span{From: len(string(text[:from])), To: len(string(text[:to]))})
			}
			at = to
		}
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		n := 10 + r.IntN(400)
		got := preview.Of(string(text), parts, n)
		if shown := utf8.RuneCountInString(got.Text); shown > n+3 || got.More < len(text)-n || !utf8.ValidString(got.Text) {
			t.Fatalf("n %d: %d characters, %d more: %q", n, shown, got.More, got.Text)
		}
		if len(parts) > 0 {
			best := string(text)[parts[0].From:parts[0].To]
			if word, _, _ := strings.Cut(strings.TrimSpace(best), " "); len([]rune(word)) < n/2 && !strings.Contains(got.Text, word) {
				t.Fatalf("n %d: %q lacks %q", n, got.Text, best)
			}
		}
	}
}
