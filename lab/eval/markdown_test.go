package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// fixedReport is a report with all that a report can have.
func fixedReport() report {
	score := func(v float64) eval.Score {
		return eval.Score{Questions: 40, Recall1: v / 2, Recall5: v, Recall10: v + .1, Hit1: v - .25, MRR10: v, NDCG10: v}
	}
	within := func(v float64) interval { return interval{Low: score(v - .0625), High: score(v + .0625)} }
	one := func(system string, setting eval.Setting, v float64) row {
		return row{Row: eval.Row{System: system, Setting: setting, Score: score(v)}, Interval: within(v)}
	}
	against := func(system string, setting eval.Setting, v float64) *difference {
		return &difference{System: system, Setting: setting, Score: score(v), Interval: within(v)}
	}
	best := one("hippo builtin", eval.SettingConversation, .75)
	best.Lead = against(eval.Baseline, eval.SettingConversation, .25)
	pooled := one("hippo builtin", settingPooled, .7)
	pooled.Loss = against("hippo builtin", eval.SettingConversation, .05)
	best.Confidence = &eval.Confidence{Answerable: 40, Withheld: .025, Weak: .1}
	brief := one("hippo builtin", eval.SettingCorpus, .5)
	brief.Confidence = &eval.Confidence{Answerable: 40, Unanswerable: 10, Unflagged: .9}
	plainBrief := one(eval.Baseline, eval.SettingCorpus, .25)
	for _, r := range []*row{&plainBrief, &brief} {
		r.Categories = []eval.Category{{Name: "natural", Score: r.Score}, {Name: "vague", Score: score(.3)}}
	}
	return report{
		All: eval.Totals([]eval.Row{best.Row, brief.Row}),
		Sets: []setReport{
			{SetReport: eval.SetReport{Name: "agents/team", Documents: 20, Questions: 40}, Group: "agents", Rows: []row{plainBrief, brief}},
			{
				SetReport: eval.SetReport{Name: "talks", Documents: 300, Questions: 44, Rejected: []string{"no text"}},
				Rows:      []row{one(eval.Baseline, eval.SettingConversation, .5), best, one(eval.Baseline, settingPooled, .5), pooled},
			},
			{SetReport: eval.SetReport{Name: "corpus", Documents: 9, Questions: 40}, Rows: []row{one(eval.Baseline, eval.SettingCorpus, .9)}},
		},
		Similarities: []similarity{{Set: "sts", Model: "builtin", Pairs: 10, Spearman: .8}, {Set: "sts", Model: "other", Pairs: 10, Spearman: -.8, Agreement: .7}},
	}
}

func TestWriteMarkdown(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	r := fixedReport()
	writeMarkdown(&b, &r)
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
	const begin, end = "<!-- figures: written by make benchmarks -->", "<!-- /figures -->"
	document := []byte("# Before\n\n" + begin + "\nold\n" + end + "\n\nafter\n")
	want := "# Before\n\n" + begin + "\n\nnew\n\n" + end + "\n\nafter\n"
	for range 2 {
		got, err := splice(document, []byte("\nnew\n"))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, string(got)); d != "" {
			t.Errorf("document (-want +got):\n%s", d)
		}
		document = got
	}
	for _, bad := range []string{"", begin + "\n", end + "\n" + begin} {
		if _, err := splice([]byte(bad), nil); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}
