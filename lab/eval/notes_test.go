package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// noteSets writes two corpora in one folder; one has categories, languages, and a question
// that nothing answers.
func noteSets(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"team/corpus.jsonl": `{"_id":"n1","title":"","text":"Rates are cached for 90 seconds","situation":["stale prices"],"type":"decision","importance":0.7}
{"_id":"n2","title":"","text":"Der Ofen heizt 20 Grad zu hoch","lang":"de"}
`,
		"team/queries.jsonl": `{"_id":"q1","text":"how long are rates cached","category":"natural","lang":"en"}
{"_id":"q2","text":"heizt der Ofen richtig","category":"same","lang":"de"}
{"_id":"q3","text":"who feeds the cat","category":"none","lang":"en"}
`,
		"team/qrels.tsv": "q1\tn1\t1\nq2\tn2\t1\n",
		"towns/corpus.jsonl": `{"_id":"d1","title":"Oslo","text":"It lies at the end of a fjord."}
`,
		"towns/queries.jsonl": `{"_id":"q1","text":"a town at a fjord"}
`,
		"towns/qrels.tsv": "q1\td1\t1\n",
	} {
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

// lines runs the command and returns the objects that it prints.
func lines[T any](t *testing.T, args ...string) []T {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var list []T
	for d := json.NewDecoder(&out); d.More(); {
		var x T
		if err := d.Decode(&x); err != nil {
			t.Fatal(err)
		}
		list = append(list, x)
	}
	return list
}

// TestBrief_measures_the_plain_setting of the sets that it names, and all of the others.
func TestBrief_measures_the_plain_setting(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	dir := noteSets(t)
	args := []string{"--data", dir + "," + twoSets(t), "--brief", "team", "--paraphrased", "--models", "none", "--sample", "10"}
	if err := run(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		n    int
		want string
	}{
		{1, "| recall@10 / hit@1 | towns | talks | towns |\n"},
		{1, "### team\n\n| recall@10 / hit@1 | documents | questions | bm25 plain | bm25 | hippo |"},
		{1, "\n| **team** | 2 | 2 | "},
		{1, "\n| natural |  | 1 | "},
		{3, "| paraphrased | hippo |"},
		{1, "\n| team | hippo | 2 | .000 | .000 | 1 | .000 |\n"},
		{1, "\n| **all** | hippo | "},
		{0, "none"},
	} {
		if got := strings.Count(out.String(), c.want); got != c.n {
			t.Errorf("%q occurs %d times, want %d, in\n%s", c.want, got, c.n, out.String())
		}
	}
}

func TestFeatures_name_category_and_language(t *testing.T) {
	t.Parallel()
	var got []string
	for _, q := range lines[questionFeatures](t, "--data", noteSets(t), "--features") {
		got = append(got, strings.Join([]string{q.Set, q.Category, q.Lang}, "/"))
	}
	if d := cmp.Diff([]string{"team/natural/en", "team/same/de", "towns//"}, got); d != "" {
		t.Errorf("questions (-want +got):\n%s", d)
	}
}

// TestAbstention_asks_unanswerable_questions of their own store and of small ones.
func TestAbstention_asks_unanswerable_questions(t *testing.T) {
	t.Parallel()
	dir := noteSets(t)
	var sizes []int
	for _, x := range lines[trial](t, "--data", dir, "--abstention", "--features") {
		if x.Kind != trialUnanswerable {
			continue
		}
		if x.Right || x.First || x.Category != "none" || x.Lang != "en" || x.Question != "who feeds the cat" {
			t.Errorf("%+v", x)
		}
		sizes = append(sizes, x.Size)
	}
	if d := cmp.Diff(append([]int{0}, smallSizes()...), sizes); d != "" {
		t.Errorf("sizes of the stores (-want +got):\n%s", d)
	}
	n := 0
	for _, list := range lines[[]abstention](t, "--data", dir, "--abstention", "--json") {
		for _, a := range list {
			if a.Kind == trialUnanswerable && a.Set == "team" && a.Wrong == 1 && a.Right == 2 {
				n++
			}
		}
	}
	if n < 1 {
		t.Error("no summary of unanswerable questions beside the answerable ones")
	}
}

// TestAbstention_removes_answers from the store that a question is about, and brings them back.
func TestAbstention_removes_answers(t *testing.T) {
	t.Parallel()
	whole, removed := make(map[string]float64), make(map[string]float64)
	for _, x := range lines[trial](t, "--data", noteSets(t), "--abstention", "--features") {
		switch {
		case x.Kind == trialWhole && x.Right:
			whole[x.Question] = x.Support["memories"]
		case x.Kind == trialRemoved:
			removed[x.Question] = x.Support["memories"]
			if x.Right || x.First {
				t.Errorf("%+v", x)
			}
		}
	}
	if len(whole) < 3 {
		t.Fatalf("questions of their own store: %v", whole)
	}
	for question, n := range whole {
		if removed[question] >= n {
			t.Errorf("%q: %v memories, without the answers %v", question, n, removed[question])
		}
	}
}

func TestSample_draws_the_same_questions_each_time(t *testing.T) {
	t.Parallel()
	dir := noteSets(t)
	draw := func(n string) []string {
		var list []string
		for _, q := range lines[questionFeatures](t, "--data", dir, "--features", "--sample", n) {
			list = append(list, q.Set+": "+q.Question)
		}
		return list
	}
	all, some := draw("3"), draw("2")
	if len(all) != 3 || len(some) >= len(all)+1 || !slices.Equal(some, draw("2")) {
		t.Errorf("a sample of 2: %q, then %q, of %q", some, draw("2"), all)
	}
	for _, q := range some {
		if !slices.Contains(all, q) {
			t.Errorf("%q is not a question of the set", q)
		}
	}
}
