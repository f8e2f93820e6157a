package eval_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/eval"
)

// fixedReport is a report with all that a report can have.
func fixedReport() eval.Report {
	score := func(v float64) eval.Score {
		return eval.Score{Questions: 40, Recall1: v / 2, Recall5: v, Recall10: v + .1, Hit1: v - .25, MRR10: v, NDCG10: v}
	}
	within := func(v float64) eval.Interval { return eval.Interval{Low: score(v - .0625), High: score(v + .0625)} }
	row := func(system string, scope eval.Scope, v float64) eval.Row {
		return eval.Row{System: system, Scope: scope, Score: score(v), Interval: within(v)}
	}
	against := func(system string, scope eval.Scope, v float64) *eval.Difference {
		return &eval.Difference{System: system, Scope: scope, Score: score(v), Interval: within(v)}
	}
	best := row("hippo builtin", eval.ScopeConversation, .75)
	best.Lead = against(eval.Baseline, eval.ScopeConversation, .25)
	pooled := row("hippo builtin", eval.ScopePooled, .7)
	pooled.Loss = against("hippo builtin", eval.ScopeConversation, .05)
	return eval.Report{
		Sets: []eval.SetReport{
			{
				Name: "talks", Documents: 300, Questions: 44, Rejected: []string{"no text"},
				Rows: []eval.Row{row(eval.Baseline, eval.ScopeConversation, .5), best, row(eval.Baseline, eval.ScopePooled, .5), pooled},
			},
			{Name: "corpus", Documents: 9, Questions: 40, Rows: []eval.Row{row(eval.Baseline, eval.ScopeCorpus, .9)}},
		},
		Similarities: []eval.Similarity{{Set: "sts", Model: "builtin", Pairs: 10, Spearman: .8}, {Set: "sts", Model: "other", Pairs: 10, Spearman: -.8, Agreement: .7}},
	}
}

func TestWriteMarkdown(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := eval.WriteMarkdown(&b, fixedReport()); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "markdown.golden")
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("the tables changed; if that is wanted, run with -update (-want +got):\n%s", d)
	}
}

func TestSplice(t *testing.T) {
	t.Parallel()
	const begin, end = "<!-- figures: written by hippo eval --markdown -->", "<!-- /figures -->"
	document := []byte("# Before\n\n" + begin + "\nold\n" + end + "\n\nafter\n")
	want := "# Before\n\n" + begin + "\n\nnew\n\n" + end + "\n\nafter\n"
	for range 2 {
		got, err := eval.Splice(document, []byte("\nnew\n"))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, string(got)); d != "" {
			t.Errorf("document (-want +got):\n%s", d)
		}
		document = got
	}
	for _, bad := range []string{"", begin + "\n", end + "\n" + begin} {
		if _, err := eval.Splice([]byte(bad), nil); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}
