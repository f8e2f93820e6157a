package cue_test

import (
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
)

const (
	asks    = cue.IsQuestion
	hasTime = cue.HasTime
	number  = cue.HasNumber
	named   = cue.HasName
	former  = cue.AsksFormer
	now     = cue.AsksNow
)

func TestOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]cue.Cues{
		"":                                 0,
		" \t\n":                            0,
		"?":                                asks,
		"really? \n":                       asks,
		"本当ですか？":                           asks,
		"حقا؟":                             asks,
		"really?!":                         0,
		"a? b":                             0,
		"the cache is slow":                0,
		"we met yesterday":                 hasTime,
		"YESTERDAY.":                       hasTime,
		"today's plan":                     hasTime,
		"two centuries":                    hasTime | number,
		"a month, some weeks":              hasTime,
		"weekly":                           0,
		"lastly":                           0,
		"everlasting":                      0,
		"on Monday":                        hasTime | named,
		"mid-October":                      hasTime | named,
		"sept":                             0,
		"until then":                       hasTime,
		"in 2023":                          hasTime | number,
		"in 20231":                         number,
		"in 202":                           number,
		"v2023":                            number,
		"(1999)":                           hasTime | number,
		"the 21st":                         hasTime | number,
		"the 3RD":                          hasTime | number,
		"the 4thx":                         number,
		"the x4th":                         number,
		"the 4 th":                         number,
		"4xth":                             number,
		"st":                               0,
		"٢٠٢٣":                             hasTime | number,
		"٢":                                number,
		"seven dwarfs":                     number,
		"Twice":                            number,
		"few":                              number,
		"fewer":                            0,
		"phone":                            0, // it ends as a number does
		"tone one-off":                     number,
		"öne":                              0,
		"oneö":                             0,
		"one—ö":                            number,
		"x1":                               number,
		"a\xffone\xff":                     number,
		"wednesdaywednesdaywednesday":      0,
		"12345678901th":                    number,
		"the 1234567890th":                 hasTime | number,
		"Did it take three years, or ten?": asks | hasTime | number,
		"we met Ann":                       named,
		"Ann met us":                       0,
		"so Ann met us":                    named,
		"So. Ann met us":                   0,
		"So? \"Ann met us\"":               0,
		"So! (Ann met us)":                 0,
		"to do: Ann meets us":              0,
		"a title\nAnn met us":              0,
		"a title\r\n  - Ann Lee met us":    named,
		"Ann, Lee":                         named,
		"I and I'd":                        0,
		"plan B":                           0,
		"plan B2":                          named | number,
		"the HTTP server, v1.Get":          named | number,
		"see v1.Get":                       number,
		"the iPhone":                       0,
		"in Ürzig":                         named,
		"in Ü":                             0,
		"в Москве":                         named,
		"the 2Pac":                         number,
		"a.Bc":                             0,
		"a…Bc":                             named,
	} {
		if got := cue.Of(text); got != want {
			t.Errorf("%q has cues %03b, want %03b", text, got, want)
		}
	}
}

func TestWanted(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]cue.Cues{
		"":                                    0,
		"when did we meet?":                   hasTime,
		"Since when is it slow":               hasTime,
		"whenever":                            0,
		"what year was it":                    hasTime,
		"on which DATE":                       hasTime,
		"what a year":                         0,
		"what day, which month":               hasTime,
		"at what time":                        hasTime,
		"whatever time":                       0,
		"how long did it take":                hasTime | number,
		"how many cats":                       number,
		"How much?":                           number,
		"how old, how often":                  number,
		"how far":                             number,
		"how tall is it":                      number,
		"how to":                              0,
		"many":                                0,
		"long":                                0,
		"the number of cats":                  number,
		"what percent of cats":                number,
		"percent":                             0,
		"percentage":                          number,
		"of":                                  0,
		"how is it, many":                     0,
		"Who is it":                           named,
		"by whom, and WHOSE":                  named,
		"where":                               named,
		"whoever, wherever, somewhere":        0,
		"the name of the dog":                 named,
		"what name":                           named,
		"which names":                         named,
		"a name":                              0,
		"what was the name? of":               named,
		"which of the cities":                 0,
		"what city, which companies":          named,
		"how many teams":                      number,
		"who did it, and in what year":        named | hasTime,
		"when and where":                      named | hasTime,
		"what is the amount, and since when":  hasTime | number,
		"where did she live before?":          named | former,
		"what to do before a release":         0,
		"what runs first":                     0,
		"which editor was the first one":      former | cue.AsksFirst,
		"where did he work at first":          named | former | cue.AsksFirst,
		"what did they use to drink":          former,
		"the previous limit, originally":      former | cue.AsksFirst,
		"what was she before the current job": former | now,
		"what was it before this new thing":   former,
		"before the release of the new one":   0,
		"the original":                        0,
		"where does she live now?":            named | now,
		"What is Ana's CURRENT job?":          now,
		"what does he drink these days":       now,
		"who leads it at the moment":          named | now,
		"these many days":                     0,
		"the present":                         0,
	} {
		if got := cue.Expected(query); got != want {
			t.Errorf("%q wants %03b, want %03b", query, got, want)
		}
	}
}

// Every word counts in every place, in every case, and only whole.
func TestOf_Words(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]cue.Cues{
		`yesterday today tomorrow tonight week weeks weekend weekends month months year years morning mornings
		evening evenings century centuries ago last next since until during monday tuesday wednesday thursday
		friday saturday sunday january february march april may june july august september october november
		december 1984 1st 22nd 103rd 4th`: hasTime,
		`one two three four five six seven eight nine ten dozen hundred thousand million billion once twice
		several few 7 1st x2`: number,
	} {
		for word := range strings.FieldsSeq(list) {
			for _, text := range []string{word, strings.ToUpper(word), "the " + word + ".", "\"" + word + "\" it is", "a-" + word} {
				if got := cue.Of(text); got&want != want {
					t.Errorf("%q has cues %03b, want %03b", text, got, want)
				}
			}
			if text := "q" + word + "q"; !strings.ContainsAny(word, "0123456789") && cue.Of(text) != 0 {
				t.Errorf("%q has cues %03b, want none", text, cue.Of(text))
			}
		}
	}
}

func TestOf_Allocates_nothing(t *testing.T) {
	text := sample()
	if n := testing.AllocsPerRun(10, func() { cue.Of(text); cue.Expected(text) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// FuzzOf compares with a plain reading of the rules.
func FuzzOf(f *testing.F) {
	for _, s := range []string{
		"", "in 2023?", "the 21st ٢ 東京 one", "how long\xff", "Since WHEN—seven", "K one",
		"der Herr Anna Müller ist Montag", "¿Qué? 2年。Ab ?", "三个ですか。", "qUi A B",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := cue.Of(text), plain(text); got != want {
			t.Errorf("%q has cues %03b, want %03b", text, got, want)
		}
		if w := cue.Expected(text); w&cue.IsQuestion != 0 || w != cue.Expected(" "+text+" ") {
			t.Errorf("%q wants %03b, and between blanks %03b", text, w, cue.Expected(" "+text+" "))
		}
	})
}

func BenchmarkOf(b *testing.B) {
	text := sample()
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		cue.Of(text)
	}
}

// sample is a text of 40 words.
func sample() string {
	return strings.Repeat("The deployment of the billing service failed yesterday because seven caches were cold ", 3) + "again"
}
