package eval_test

import (
	"bytes"
	gocmp "cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/models"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestRun_small pins the numbers of the small set, so that a change of the
// ranking shows as a difference.
func TestRun_small(t *testing.T) {
	t.Parallel()
	options := withModel(t, eval.Options{Engine: inMemory(), Data: filepath.Join("testdata", "small")})
	r, err := eval.Run(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := eval.WriteTable(&b, r, &eval.TableOptions{NoLatency: true, Categories: true}); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "small.golden")
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); d != "" {
		t.Errorf("the table changed; if that is wanted, run with -update (-want +got):\n%s", d)
	}
	again, err := eval.Run(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(untimed(r), untimed(again)); d != "" {
		t.Errorf("a second run differs (-first +second):\n%s", d)
	}
}

func inMemory() eval.EngineOptions {
	return eval.EngineOptions{Backend: func() driver.Backend { return memstore.New(nil) }}
}

// withModel completes options by the model that is part of the program.
func withModel(t *testing.T, o eval.Options) eval.Options {
	t.Helper()
	m, err := static.Open(models.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	o.Models, o.Engine.Tokens = []eval.Model{{Name: "builtin", Used: []embedding.Model{{Embedder: m, Instant: true}}}}, m
	return o
}

// untimed is a report without latencies, which differ from run to run.
func untimed(r eval.Report) eval.Report {
	for _, s := range r.Sets {
		for i := range s.Rows {
			s.Rows[i].Latency = eval.Latency{}
			for k := range s.Rows[i].Answers {
				s.Rows[i].Answers[k].Taken = 0
			}
		}
	}
	return r
}

// write makes a folder of sets.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func twoSets() map[string]string {
	return map[string]string{
		"talks/conversations.jsonl": `{"id":"c1/1","conversation":"c1","session":1,"speaker":"A","text":"the red door"}
{"id":"c1/2","conversation":"c1","session":1,"speaker":"B","text":""}
{"id":"c2/1","conversation":"c2","session":1,"speaker":"A","text":"the red door again"}
`,
		"talks/questions.jsonl": `{"id":"q1","conversation":"c1","question":"red door","category":"x","evidence":["c1/1"]}
{"id":"q2","conversation":"c2","question":"red","category":"adversarial","evidence":["c2/1","c2/9"]}
{"id":"q3","conversation":"c2","question":"red","category":"x","evidence":[]}
`,
		"deep/er/corpus.jsonl": `{"_id":"d1","title":"Oslo","text":"a town"}
{"_id":"d2","title":"","text":"a fjord"}
`,
		"deep/er/queries.jsonl": `{"_id":"q1","text":"oslo"}
{"_id":"q2","text":"unjudged"}
`,
		"deep/er/qrels.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n",
		"unrelated/a.txt":   "nothing",
	}
}

// withoutAnswers compares what a report says.
func withoutAnswers() cmp.Option { return cmpopts.IgnoreFields(eval.Row{}, "Answers") }

// fake finds documents whose content contains the query.
func fake() eval.System {
	return eval.System{Name: "fake", Open: func(_ context.Context, docs []*hippo.Memory) (eval.Searcher, error) {
		return fakeSearcher(docs), nil
	}}
}

type fakeSearcher []*hippo.Memory

func (f fakeSearcher) Close() error { return nil }

func (f fakeSearcher) Search(_ context.Context, r eval.Request) (eval.Reply, error) {
	var found eval.Reply
	for _, m := range f {
		if len(found.Names) < r.Count && strings.Contains(strings.ToLower(m.Content), r.Text) {
			found.Names = append(found.Names, m.Source.URI)
		}
	}
	return found, nil
}

func TestRun_follows_the_rules(t *testing.T) {
	t.Parallel()
	tick := time.Unix(0, 0)
	clock := func() time.Time { tick = tick.Add(time.Millisecond); return tick }
	var progress []int
	r, err := eval.Run(t.Context(), eval.Options{
		Engine: inMemory(), Data: write(t, twoSets()), Rankers: []hippo.Ranker{}, Systems: []eval.System{fake()}, Now: clock,
		Progress: func(done, total int) { progress = append(progress, done, total) },
	})
	if err != nil {
		t.Fatal(err)
	}
	all := eval.Score{Questions: 1, Recall1: 1, Recall5: 1, Recall10: 1, Hit1: 1, MRR10: 1, NDCG10: 1}
	half := eval.Score{Questions: 1, Recall1: .5, Recall5: .5, Recall10: .5, Hit1: 1, MRR10: 1, NDCG10: 1 / (1 + 1/math.Log2(3))}
	took := eval.Latency{P50: 1, P95: 1, P99: 1}
	want := eval.Report{Sets: []eval.SetReport{
		{
			Name: "deep/er", Documents: 2, Questions: 1,
			Rows: []eval.Row{{System: "fake", Setting: eval.SettingCorpus, Score: all, Latency: took}},
		},
		{
			Name: "talks", Documents: 2, Questions: 2,
			Rejected: []string{"conversations.jsonl: line 2: text: must not be empty"},
			Rows: []eval.Row{
				{
					System: "fake", Setting: eval.SettingConversation, Score: all, Latency: took,
					Categories: []eval.Category{{Name: "adversarial", Excluded: true, Score: half}, {Name: "x", Score: all}},
				},
			},
		},
	}}
	for i, s := range r.Sets {
		r.Sets[i].Rows = slices.DeleteFunc(s.Rows, func(row eval.Row) bool { return row.System == eval.Baseline })
	}
	approx := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	if d := cmp.Diff(want, r, approx, withoutAnswers()); d != "" {
		t.Errorf("report (-want +got):\n%s", d)
	}
	if n := len(progress); n != 12 || progress[n-2] != 6 || progress[n-1] != 6 {
		t.Errorf("got progress %v, want 1 to 6 of 6", progress)
	}
}

func TestRun_one_set_is_named_after_its_folder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(write(t, twoSets()), "talks")
	r, err := eval.Run(t.Context(), eval.Options{Engine: inMemory(), Data: dir, Rankers: []hippo.Ranker{hippo.RankerInsight}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sets) != 1 || r.Sets[0].Name != "talks" || len(r.Sets[0].Rows) != 2 || r.Sets[0].Rows[1].System != "insight" {
		t.Errorf("got %+v", r)
	}
}

func TestRun_errors(t *testing.T) {
	t.Parallel()
	with := func(name, text string) eval.Options {
		files := twoSets()
		files[name] = text
		return eval.Options{Engine: inMemory(), Data: write(t, files)}
	}
	broken := errors.New("no engine")
	for name, c := range map[string]struct {
		o    eval.Options
		want string
	}{
		"no_set":             {eval.Options{Engine: inMemory(), Data: t.TempDir()}, "no set in"},
		"no_folder":          {eval.Options{Engine: inMemory(), Data: filepath.Join(t.TempDir(), "gone")}, "gone"},
		"broken_question":    {with("talks/questions.jsonl", "\n{"), "line 2"},
		"other_conversation": {with("talks/questions.jsonl", `{"conversation":"c7"}`), `conversation: must be one of conversations.jsonl, got "c7"`},
		"bad_judgement":      {with("deep/er/qrels.tsv", "q1\td1"), "line 1: invalid: must have 3 columns"},
		"bad_gain":           {with("deep/er/qrels.tsv", "a\tb\tc\nq1\td1\tmuch"), "line 2"},
		"search_fails": {eval.Options{Engine: inMemory(), Data: write(t, twoSets()), Systems: []eval.System{{
			Name: "broken", Open: func(context.Context, []*hippo.Memory) (eval.Searcher, error) { return nil, broken },
		}}}, "deep/er: broken: no engine"},
	} {
		if _, err := eval.Run(t.Context(), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := eval.Run(ctx, eval.Options{Engine: inMemory(), Data: filepath.Join("testdata", "small")}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v after cancel", err)
	}
}

func TestWriteJSON_reads_back(t *testing.T) {
	t.Parallel()
	want, err := eval.Run(t.Context(), eval.Options{Engine: inMemory(), Data: write(t, twoSets())})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := eval.WriteJSON(&b, want); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `"recall_at_10": 1`) || !strings.Contains(b.String(), `"p95_ms"`) {
		t.Errorf("got %s", b.String())
	}
	var got eval.Report
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, withoutAnswers()); d != "" {
		t.Errorf("report (-want +got):\n%s", d)
	}
}

func TestWriteTable_aligns(t *testing.T) {
	t.Parallel()
	r := eval.Report{Sets: []eval.SetReport{{
		Name: "é", Documents: 9, Questions: 2, Rejected: []string{"conversations.jsonl: line 4: text: must not be empty"},
		Rows: []eval.Row{{
			System: "bm25", Setting: eval.SettingCorpus, Latency: eval.Latency{P50: 0.0401, P95: 12, P99: 123.4567},
			Score:      eval.Score{Questions: 2, Recall1: .25, Recall5: .5, Recall10: 1, Hit1: .5, MRR10: 2. / 3, NDCG10: .7},
			Categories: []eval.Category{{Name: "adversarial", Excluded: true, Score: eval.Score{Questions: 1}}},
		}},
	}}}
	var b bytes.Buffer
	if err := eval.WriteTable(&b, r, &eval.TableOptions{Categories: true}); err != nil {
		t.Fatal(err)
	}
	want := `set  system           setting  n   R@1   R@5   R@10  hit@1  MRR@10  nDCG@10  p50 ms  p95 ms   p99 ms
é    bm25             corpus   2  .250  .500  1.000   .500    .667     .700   0.040  12.000  123.457
       (adversarial)           1  .000  .000   .000   .000    .000     .000

é: 1 of 10 documents were rejected: conversations.jsonl: line 4: text: must not be empty
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Errorf("table (-want +got):\n%s", d)
	}
}

// TestRun_published_baseline checks the rules by the published recall of plain
// BM25 on conversations that are not part of this repository.
func TestRun_published_baseline(t *testing.T) {
	t.Parallel()
	root := gocmp.Or(os.Getenv("HIPPO_DATA"), filepath.Join("..", "..", "..", "..", "shared", "data"))
	for name, want := range map[string]float64{"locomo": .586, "realtalk": .536, "beam/100K": .581} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(root, filepath.FromSlash(name))
			if _, err := os.Stat(dir); err != nil {
				t.Skip("evaluation data not there")
			}
			r, err := eval.Run(t.Context(), eval.Options{Engine: inMemory(), Data: dir, Rankers: []hippo.Ranker{}})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Sets[0].Rows[0].Recall10; math.Abs(got-want) > .005 {
				t.Errorf("got recall@10 %.4f, want %.3f within .005", got, want)
			}
		})
	}
}
