package engine_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/models"
)

// notes are what a developer may have noted.
func notes() []string {
	return []string{
		"The deploy key for staging lies in the vault under ops/staging", "Retries need jitter, or the backend is flooded",
		"parse_config_v2 drops unknown keys without a warning", "The nightly export runs out of memory above 2 GB",
		"Table tests have one case a line", "The cache is keyed by tenant and locale", "Postgres 16 is what production runs",
		"Never release on a Friday", "The linter forbids naked returns", "Feature flags are removed after two releases",
		"The gateway times out after thirty seconds", "Metrics are scraped every fifteen seconds",
		"The invoice service rounds half to even", "Search results are cached for a minute", "Secrets rotate every ninety days",
		"The mobile client retries three times", "Backups are restored to a scratch host each week",
		"The queue drops messages above 256 kB", "Logs are kept for thirty days", "The importer skips empty lines",
		"Integration tests need docker", "The schema migration locks the orders table", "Dark mode uses the system setting",
		"Error codes are documented in the handbook",
	}
}

// unrelated is about nothing in notes, although it has a word in common with one.
const unrelated = "Which opera did Wilhelmina sing in Salzburg on the Friday when she visited her aunt?"

// openNotes opens an engine with the first n notes and the model of the program.
func openNotes(t *testing.T, n int, w *rank.Weights, withModel bool) *fixture {
	t.Helper()
	o := options{weights: w}
	if withModel {
		m, err := static.Open(models.Builtin())
		if err != nil {
			t.Fatal(err)
		}
		o.models, o.tokens = []embedding.Model{{Embedder: m, Instant: true}}, m
	}
	f := open(t, o)
	for i := range n {
		f.record(notes()[i], .5)
	}
	return f
}

// What is returned for a query about nothing in the store says so, and is short.
func TestSearch_IsWeakForTheUnrelated(t *testing.T) {
	t.Parallel()
	f := openNotes(t, len(notes()), nil, true)
	a := f.search(hippo.Query{Text: unrelated, NoTouch: true})
	if len(a.Hits) == 0 || len(a.Hits) > 5 || a.Total != len(a.Hits) || a.Confidence <= 0 || a.Confidence >= .5 {
		t.Fatalf("%d hits, total %d, confidence %v, weak %q", len(a.Hits), a.Total, a.Confidence, a.Weak)
	}
	if !strings.Contains(a.Weak, "no memory mentions") || !strings.Contains(a.Weak, "confidence 0.") {
		t.Errorf("reason %q", a.Weak)
	}
	second := f.search(hippo.Query{Text: unrelated, Offset: 10, NoTouch: true})
	if len(second.Hits) != 0 || second.Weak != a.Weak || second.Confidence != a.Confidence {
		t.Errorf("second page: %d hits, %v, %q", len(second.Hits), second.Confidence, second.Weak)
	}
}

// A range returns all candidates, and nothing but ranker hippo marks an answer as weak.
func TestSearch_ARangeReturnsAll(t *testing.T) {
	t.Parallel()
	f := openNotes(t, len(notes()), nil, true)
	few := f.search(hippo.Query{Text: unrelated, NoTouch: true})
	for name, q := range map[string]hippo.Query{
		"any relevance": {Relevance: &hippo.Range{Max: math.Inf(1)}},
		"bm25":          {Ranker: hippo.RankerBM25, Text: unrelated + " memory"},
		"cosine":        {Ranker: hippo.RankerCosine},
	} {
		q.NoTouch = true
		if q.Text == "" {
			q.Text = unrelated
		}
		a := f.search(q)
		if len(a.Hits) == 0 || (a.Weak != "") != (q.Ranker == "") || (a.Confidence > 0) != (q.Ranker == "") {
			t.Errorf("%s: %d hits, confidence %v, %q", name, len(a.Hits), a.Confidence, a.Weak)
		}
		if q.Ranker == "" && a.Total < few.Total {
			t.Errorf("%s: %d in all, without a range %d", name, a.Total, few.Total)
		}
	}
	w := changed(func(w *rank.Weights) { w.Confidence.Weak = 0 })
	if a := openNotes(t, len(notes()), w, true).search(hippo.Query{Text: unrelated}); a.Weak != "" {
		t.Errorf("weak although that is disabled: %q", a.Weak)
	}
}

// What is related is found, by a sentence and by one word, in stores of all sizes, with a
// model and without.
func TestSearch_FindsTheRelated(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 5, 19, 20, len(notes())} {
		for _, model := range []bool{false, true} {
			f := openNotes(t, n, nil, model)
			for _, q := range []hippo.Query{
				{Text: "staging"},
				{Text: "vault"},
				{Text: "Where is the deploy key?"},
				{Text: "ops/staging"},
				{Text: "What did Grafana say about the key that Wilhelmina used for staging?"},
				{Text: "DEPLOY KEY STAGING"},
				{Text: "deploy"},
				{},
				{Situation: []string{"opera"}},
			} {
				q.NoTouch = true
				a := f.search(q)
				if len(q.Situation) == 0 && len(a.Hits) == 0 {
					t.Errorf("%d memories, model %v: %q: %d hits, %q", n, model, q.Text, len(a.Hits), a.Weak)
				}
				if q.Text != "" && (len(a.Hits) == 0 || !strings.HasPrefix(a.Hits[0].Memory.Content, "The deploy key")) {
					t.Errorf("%d memories, model %v: %q finds something else first", n, model, q.Text)
				}
				if q.Text == "" && a.Confidence != 0 {
					t.Errorf("confidence %v although there is no text", a.Confidence)
				}
			}
		}
	}
}

// Words of a memory find it, whatever else there is.
func TestSearch_FindsEveryNoteLexically(t *testing.T) {
	t.Parallel()
	for _, model := range []bool{false, true} {
		f := openNotes(t, len(notes()), nil, model)
		for _, note := range notes() {
			words := strings.Fields(note)
			for _, text := range []string{note, strings.Join(words[len(words)/2:], " "), fmt.Sprintf("what about %s", words[len(words)-1])} {
				if a := f.search(hippo.Query{Text: text, NoTouch: true}); a.Weak != "" {
					t.Errorf("model %v: %q: %s", model, text, a.Weak)
				}
			}
		}
	}
}

// A typo in the only name of a query finds the memory all the same; another name makes a weak answer.
func TestSearch_AnswersDespiteTypos(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	f.put(turn(1, "", "Priya Raghunathan moved from the platform team to data engineering"))
	for n := range 30 {
		f.put(turn(n+2, "", fmt.Sprintf("Where the release notes of number%d are kept", n)))
	}
	for text, found := range map[string]bool{
		"Where is Pryia now": true, "Where is Prya working": true, "Where is Raghunatan": true,
		"Where did Wilhelmina Zauberberger release her Salzburg opera":          false,
		"Where did Wilhelmina Zauberberger release her Salzburg opera to Pryia": false, // the rest decides
	} {
		a := f.search(hippo.Query{Text: text, NoTouch: true})
		switch {
		case !found && a.Weak == "":
			t.Errorf("%q: %d hits, not weak", text, len(a.Hits))
		case found && (len(a.Hits) == 0 || !strings.HasPrefix(a.Hits[0].Memory.Content, "Priya")):
			t.Errorf("%q: %d hits, the first one is another", text, len(a.Hits))
		}
	}
}

// A hit on the subject that lacks the time, the number or the name that a question begins by asking for is marked, and one that has it is not.
func TestSearch_DoubtsAHitWithoutTheDetail(t *testing.T) {
	t.Parallel()
	const nothing = ""
	for _, c := range []struct{ note, question, lacks string }{
		{"The deposit for the flat is kept by the agency until we move out.", "how much is the deposit for the flat?", "number"},
		{"The deposit for the flat is 1,200 euros, kept by the agency.", "how much is the deposit for the flat?", nothing},
		{"The deposit for the flat is twelve hundred euros.", "how much is the deposit for the flat?", nothing},
		{"Piano lessons moved to Thursday at five, since the teacher sings.", "how much are the piano lessons?", "number"},
		{"Error 4711 of the sandbox means that the account has no address.", "how many accounts had error 4711 of the sandbox?", "number"},
		{"The sandbox was moved to the cheaper disks, and nobody noticed.", "when was the sandbox moved to the cheaper disks?", "time"},
		{"The sandbox was moved to the cheaper disks in May.", "when was the sandbox moved to the cheaper disks?", nothing},
		{"Photos of the sandbox are kept 180 days.", "when are photos of the sandbox deleted?", nothing},
		{"The report to the regulator was signed by Dana Ortiz.", "who signed the report to the regulator?", nothing},
		{"Dana signed the report to the regulator.", "who signed the report to the regulator?", nothing},
		{"The report to the regulator is signed by two people of risk.", "who signed the report to the regulator?", "name"},
		{"The tent lies in the blue bag behind the skis.", "where is the tent?", nothing},
		{"The page reloads when the tab comes back.", "why does the page reload when the tab comes back?", nothing},
		{"Die Kaution der Wohnung liegt bei der Agentur.", "wer hat die Kaution der Wohnung?", nothing},
	} {
		f := openNotes(t, len(notes()), nil, true)
		f.record(c.note, .5)
		a := f.search(hippo.Query{Text: c.question, NoTouch: true})
		if len(a.Hits) == 0 || a.Hits[0].Memory.Content != c.note {
			t.Errorf("%q does not find %q first", c.question, c.note)
			continue
		}
		want := nothing
		if c.lacks != nothing {
			want = "the first hit has no " + c.lacks
		}
		if a.Weak != want {
			t.Errorf("%q on %q: %q, want %q", c.question, c.note, a.Weak, want)
		}
		if second := f.search(hippo.Query{Text: c.question, NoTouch: true, Offset: 1, Count: 1}); strings.Contains(second.Weak, "first hit") {
			t.Errorf("the second page says %q", second.Weak)
		}
	}
}

// The model in the program embeds a long memory by the passage, whether the index or the follower asks it: what one sentence of many says is found.
func TestSearch_FindsASentenceOfALongMemoryByTheModelInTheProgram(t *testing.T) {
	t.Parallel()
	f := openNotes(t, len(notes()), nil, true)
	long := strings.Join(slices.Concat(notes(), []string{"Grandmother bakes her bread from rye and buttermilk."}, notes()), ". ")
	m := f.record(long, .5)
	for _, question := range []string{"recipe of a loaf", "which flour is in the loaf"} {
		a := f.search(hippo.Query{Text: question, Ranker: hippo.RankerCosine, NoTouch: true})
		if len(a.Hits) == 0 || a.Hits[0].Memory.ID != m {
			t.Errorf("%q: the first of %d hits is another one", question, len(a.Hits))
			continue
		}
		if p := a.Hits[0].Passage; !strings.Contains(long[p.From:p.To], "buttermilk") {
			t.Errorf("%q finds the passage %q", question, long[p.From:p.To])
		}
	}
}
