package eval_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// notes is a set of notes with all that a set may say of them, and with a question that none
// of them answers.
func notes() map[string]string {
	return map[string]string{
		"corpus.jsonl": `{"_id":"n1","title":"","text":"Rates are cached for 90 seconds","situation":["changing a TTL","stale prices"],"type":"decision","importance":0.7,"lang":"en"}
{"_id":"n2","title":"Oven","text":"Der Ofen heizt 20 Grad zu hoch","lang":"de","created_at":"2024-01-10T09:00:00Z"}
{"_id":"n3","title":"","text":"Rates of the post are cached, too"}
`,
		"queries.jsonl": `{"_id":"q1","text":"rates","category":"natural","lang":"en"}
{"_id":"q2","text":"ofen","category":"same","lang":"de"}
{"_id":"q3","text":"gears","category":"none"}
{"_id":"q4","text":"rates","category":"none"}
{"_id":"q5","text":"unjudged","category":"natural"}
`,
		"qrels.tsv": "query-id\tcorpus-id\tscore\nq1\tn1\t1\nq1\tn3\t1\nq2\tn2\t1\n",
	}
}

func TestLoad_reads_notes_whole(t *testing.T) {
	t.Parallel()
	sets, err := eval.Load(write(t, notes()))
	if err != nil {
		t.Fatal(err)
	}
	type note struct {
		Name, Content, Type, Created string
		Situation                    []string
		Importance                   hippo.Importance
	}
	var got []note
	for _, m := range sets[0].Groups[0].Docs {
		created := ""
		if !m.CreatedAt.IsZero() {
			created = m.CreatedAt.Format("2006-01-02")
		}
		got = append(got, note{eval.Name(m), m.Content, m.Type, created, m.Situation, m.Importance})
	}
	usual := hippo.Importance{Base: hippo.DefaultImportance, Value: hippo.DefaultImportance}
	want := []note{
		{"n1", "Rates are cached for 90 seconds", "decision", "", []string{"changing a TTL", "stale prices"}, hippo.Importance{Base: .7, Value: .7}},
		{"n2", "Oven\nDer Ofen heizt 20 Grad zu hoch", "", "2024-01-10", nil, usual},
		{"n3", "Rates of the post are cached, too", "", "", nil, usual},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("notes (-want +got):\n%s", d)
	}
	var asked []string
	for _, q := range sets[0].Asked().Questions {
		asked = append(asked, q.ID+" "+q.Category+" "+q.Lang)
	}
	if d := cmp.Diff([]string{"q1 natural en", "q2 same de", "q3 none ", "q4 none "}, asked); d != "" {
		t.Errorf("questions that are asked (-want +got):\n%s", d)
	}
	if r := sets[0].Report(); r.Questions != 2 || len(sets[0].Judged().Questions) != 2 {
		t.Errorf("%d judged questions in the report", r.Questions)
	}
}

// hesitant finds what [fakeSearcher] finds, marks answers of one document as weak, and
// withholds those in German.
func hesitant() eval.System {
	return eval.System{Name: "hesitant", Confident: true, Open: func(_ context.Context, docs []*hippo.Memory) (eval.Searcher, error) {
		return hesitantSearcher{docs}, nil
	}}
}

type hesitantSearcher struct{ fakeSearcher }

func (h hesitantSearcher) Search(ctx context.Context, r eval.Request) (eval.Reply, error) {
	reply, err := h.fakeSearcher.Search(ctx, r)
	reply.Weak = len(reply.Names) < 2
	if r.Text == "ofen" && !r.Unbounded {
		reply.Names = nil
	}
	return reply, err
}

func TestRun_reports_confidence(t *testing.T) {
	t.Parallel()
	r, err := eval.Run(t.Context(), eval.Options{
		Engine: inMemory(), Data: write(t, notes()), Rankers: []hippo.Ranker{}, Systems: []eval.System{fake(), hesitant()},
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := r.Sets[0].Rows
	if rows[0].Confidence != nil || rows[1].Confidence != nil || rows[1].Questions != 2 || len(rows[1].Answers) != 2 {
		t.Errorf("systems without a confidence: %+v", rows[:2])
	}
	got := rows[2]
	all := eval.Confidence{Answerable: 2, Withheld: .5, Weak: .5, Unanswerable: 2, Unflagged: .5}
	if d := cmp.Diff(&all, got.Confidence); d != "" {
		t.Errorf("confidence (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]eval.Total{{System: "hesitant", Confidence: all}}, r.All); d != "" {
		t.Errorf("confidence over all sets (-want +got):\n%s", d)
	}
	if got.Questions != 2 || got.Recall10 != .5 || len(got.Answers) != 2 {
		t.Errorf("questions that nothing answers are part of the measures: %+v", got)
	}
	var b bytes.Buffer
	if err := eval.WriteTable(&b, r, &eval.TableOptions{NoLatency: true, Categories: true, Confidence: true}); err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(b.String(), "\n\n")
	want := `set  system     n  withheld   weak  unanswerable  unflagged
SET  hesitant   2      .500   .500             2       .500
       natural  1      .000   .000
       same     1     1.000  1.000
all  hesitant   2      .500   .500             2       .500
`
	if d := cmp.Diff(strings.ReplaceAll(want, "SET", r.Sets[0].Name), table); d != "" {
		t.Errorf("table (-want +got):\n%s", d)
	}
}

// TestRun_confidence_of_the_engine asks ranker hippo itself: an answer that is empty counts as
// weak.
func TestRun_confidence_of_the_engine(t *testing.T) {
	t.Parallel()
	o := eval.Options{Engine: inMemory(), Data: write(t, notes()), Rankers: []hippo.Ranker{hippo.RankerHippo}}
	r, err := eval.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	c := r.Sets[0].Rows[1].Confidence
	if c == nil || c.Answerable != 2 || c.Withheld != 0 || c.Unanswerable != 2 || c.Unflagged > .5 {
		t.Errorf("got %+v, want half unflagged at most", c)
	}
}

func TestRun_confidence_errors(t *testing.T) {
	t.Parallel()
	broken := errors.New("no candidates")
	_, err := eval.Run(t.Context(), eval.Options{
		Engine: inMemory(), Data: write(t, notes()), Rankers: []hippo.Ranker{}, Systems: []eval.System{{
			Name: "broken", Confident: true, Open: func(_ context.Context, docs []*hippo.Memory) (eval.Searcher, error) {
				return brokenSearcher{fakeSearcher(docs), broken}, nil
			},
		}},
	})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "question q1") {
		t.Errorf("got %v", err)
	}
}

// brokenSearcher fails to return candidates that are below the bounds.
type brokenSearcher struct {
	fakeSearcher
	err error
}

func (b brokenSearcher) Search(ctx context.Context, r eval.Request) (eval.Reply, error) {
	if r.Unbounded {
		return eval.Reply{}, b.err
	}
	return b.fakeSearcher.Search(ctx, r)
}
