package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// twoSets writes a set of conversations and a corpus, and returns the folder.
func twoSets(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"talks/conversations.jsonl": `{"id":"c/1","conversation":"c","session":1,"speaker":"A","text":"The red door is open since noon."}
{"id":"c/2","conversation":"c","session":1,"speaker":"B","text":"I like tea more than coffee. Do you?"}
{"id":"d/1","conversation":"d","session":1,"speaker":"A","text":"A blue boat left the quay in the night."}
`,
		"talks/questions.jsonl": `{"id":"q1","conversation":"c","question":"Who likes tea?","category":"x","evidence":["c/2"]}
{"id":"q2","conversation":"d","question":"Which boat left the quay?","category":"x","evidence":["d/1"]}
`,
		"towns/corpus.jsonl": `{"_id":"d1","title":"Oslo","text":"It lies at the end of a fjord. Ferries cross it every hour."}
{"_id":"d2","title":"Bergen","text":"Seven mountains stand around the harbour. It rains there on most days."}
`,
		"towns/queries.jsonl": `{"_id":"q1","text":"Where does it rain?"}
`,
		"towns/qrels.tsv": "q1\td2\t1\n",
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

func TestRun_writes_every_setting(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := run(t.Context(), []string{"--data", twoSets(t), "--ranker", "bm25", "--models", "none", "--harder", "--distractors", "40"}, &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| bm25 | 1.000 / 1.000 | 1.000 / 1.000 |\n",
		"| pooled | bm25 | 1.000 | 1.000 | 1.000 | conversation | .000 [.000 .000] |",
		"| paraphrased | bm25 | 1.000 |",
		"| distractors | bm25 | 1.000 | 1.000 | 1.000 | pooled |",
		"| distractors | bm25 | 1.000 | 1.000 | 1.000 | corpus |",
		"| used | bm25 | 1.000 | 1.000 | 1.000 | corpus |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}

func TestRun_writes_what_flags_ask_for(t *testing.T) {
	t.Parallel()
	for args, key := range map[string]string{
		"--json --ranker bm25":     `"interval_95"`,
		"--abstention --json":      `"calibration_error"`,
		"--abstention --features":  `"kind":"whole"`,
		"--features":               `"features":{`,
		"--abstention --jobs 2":    "| set | questions | memories |",
		"--ranker bm25 --jobs 2":   "### towns",
		"--ranker bm25 --used":     "| used |",
		"--models none --jobs 2":   "| hippo |",
		"--models builtin":         "| hippo builtin |",
		"--ranker cosine --pooled": "| pooled | cosine builtin |",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := run(t.Context(), append([]string{"--data", twoSets(t)}, strings.Fields(args)...), &out, io.Discard); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), key) {
				t.Errorf("%q is missing in\n%s", key, out.String())
			}
			for line := range strings.Lines(out.String()) {
				if strings.Contains(args, "--features") && !json.Valid([]byte(line)) {
					t.Errorf("no JSON: %s", line)
				}
			}
		})
	}
}

// TestRun_rewrites_a_document replaces the figures between the marks and nothing else.
func TestRun_rewrites_a_document(t *testing.T) {
	t.Parallel()
	dir := twoSets(t)
	path := filepath.Join(dir, "doc.md")
	if err := os.WriteFile(path, []byte("# Ours\n"+figuresBegin+"\nstale\n"+figuresEnd+"\nthe end\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"--data", dir, "--ranker", "bm25", "--markdown", path}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(got)
	if !strings.HasPrefix(text, "# Ours\n") || !strings.HasSuffix(text, figuresEnd+"\nthe end\n") || strings.Contains(text, "stale") ||
		!strings.Contains(text, "| bm25 | 1.000 / 1.000 | 1.000 / 1.000 |") || out.Len() > 0 {
		t.Errorf("printed %q and wrote\n%s", out.String(), text)
	}
}

func TestRun_errors(t *testing.T) {
	t.Parallel()
	dir := twoSets(t)
	for args, want := range map[string]string{
		"":                                          "data: must be a folder",
		"--data nowhere":                            "nowhere",
		"--data DIR --distractors -1":               "must not be negative",
		"--data DIR/towns --distractors 5":          "must be 0 for a single set",
		"--data DIR --sample -1":                    "sample: must not be negative",
		"--data DIR --take -1":                      "take: must not be negative",
		"--data DIR --jobs 0":                       "jobs: must be at least 1",
		"--data DIR --ranker best":                  `ranker: must be one of`,
		"--data DIR more":                           `arguments: must be flags, got "more"`,
		"--data DIR --unknown":                      "unknown",
		"--data DIR --models DIR/none":              "none",
		"--data DIR --models none --features":       "models: must hold one",
		"--data DIR --markdown DIR/towns/qrels.tsv": "must be a document with the lines",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			err := run(t.Context(), strings.Fields(strings.ReplaceAll(args, "DIR", dir)), io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, []string{"--data", dir, "--jobs", "2"}, io.Discard, io.Discard); err == nil {
		t.Error("no error after cancel")
	}
	if err := run(t.Context(), []string{"--help"}, io.Discard, io.Discard); err != nil {
		t.Errorf("got %v for --help", err)
	}
}
