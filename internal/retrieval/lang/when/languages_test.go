package when_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

// checkFound finds each "phrase: span" in a question.
func checkFound(t *testing.T, table map[string]string) {
	t.Helper()
	for query, want := range table {
		got := "nothing"
		if f, ok := when.Find(query, friday()); ok {
			got = query[f.Start:f.End] + ": " + show(f.Span)
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", query, got, want)
		}
	}
}

// checkNothing finds no time in any of the questions.
func checkNothing(t *testing.T, queries ...string) {
	t.Helper()
	for _, query := range queries {
		if f, ok := when.Find(query, friday()); ok {
			t.Errorf("%q: found %q, %s", query, query[f.Start:f.End], show(f.Span))
		}
	}
}

func languages() map[string]map[string]string {
	return map[string]map[string]string{
		"german": germanTimes(), "french": frenchTimes(), "spanish": spanishTimes(), "portuguese": portugueseTimes(),
		"chinese": chineseTimes(), "japanese": japaneseTimes(),
	}
}

func TestParse_Languages(t *testing.T) {
	t.Parallel()
	for name, times := range languages() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, friday(), times)
		})
	}
}

// The tables that read an expression agree on it, and what English finds inside of one is of the
// same time, but for dates with slashes, in which English has the month first.
func TestParse_LanguagesAgree(t *testing.T) {
	t.Parallel()
	for name, times := range languages() {
		for text := range times {
			readings := when.Readings(text, friday())
			for _, s := range readings {
				if s != readings[0] {
					t.Errorf("%s: %q is %s and %s", name, text, show(readings[0]), show(s))
				}
			}
			if f, ok := when.FindEnglish(text, friday()); ok && len(readings) > 0 && !overlap(f.Span, readings[0]) && !strings.Contains(text, "/") {
				t.Errorf("%s: %q is %s, but has %s", name, text, show(readings[0]), show(f.Span))
			}
		}
	}
}

// overlap reports whether two spans have a moment in common.
func overlap(a, b when.Span) bool {
	return (a.Until.IsZero() || b.From.Before(a.Until)) && (b.Until.IsZero() || a.From.Before(b.Until))
}

// Words of the other tables do not change what English reads.
func TestFind_KeepsEnglish(t *testing.T) {
	t.Parallel()
	words := when.Vocabulary()
	rapid.Check(t, func(t *rapid.T) {
		text, now := drawText(t), drawNow(t)
		for range rapid.IntRange(0, 6).Draw(t, "foreign words") {
			text += rapid.SampledFrom(words).Draw(t, "word") + rapid.SampledFrom([]string{" ", " ", "", "-", "3 ", "2024"}).Draw(t, "gap")
		}
		checkText(t, text, now)
		english, found := when.FindEnglish(text, now)
		f, ok := when.Find(text, now)
		if f.Rest = ""; found && (!ok || f != english && f.End-f.Start <= english.End-english.Start) {
			t.Fatalf("%q: found %+v, in English %+v", text, f, english)
		}
	})
}

// An English question is not tried in another language.
func TestFind_English(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, now := drawText(t), drawNow(t)
		english, found := when.FindEnglish(text, now)
		if f, ok := when.Find(text, now); ok != found || f.Span != english.Span {
			t.Fatalf("%q: found %+v, in English %+v", text, f, english)
		}
	})
}
