package eval_test

import (
	"bytes"
	gocmp "cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// answersFully is the gain of a memory that answers a query; less is related.
const answersFully = 2

// TestRun_golden pins what every ranker finds among the memories of testdata/golden,
// and where the default one puts the first answer to each query. The default ranker
// must be the best one, or as good.
func TestRun_golden(t *testing.T) {
	t.Parallel()
	r, err := eval.Run(t.Context(), withModel(t, eval.Options{Engine: inMemory(), Data: filepath.Join("testdata", "golden")}))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Sets[0].Rejected); n > 0 {
		t.Fatalf("%d memories were rejected: %s", n, r.Sets[0].Rejected[0])
	}
	var b bytes.Buffer
	if err := eval.WriteTable(&b, r, &eval.TableOptions{NoLatency: true, Categories: true}); err != nil {
		t.Fatal(err)
	}
	b.WriteString("\nThe place of the first answer by ranker " + string(hippo.Rankers()[0]) + "; -: not among the first ten\n\n")
	for _, row := range r.Sets[0].Rows {
		if isDefault(row.System) {
			for _, a := range row.Answers {
				fmt.Fprintf(&b, "%2s  %s: %s\n", placeOf(a), a.ID, a.Text)
			}
		}
	}
	matchGolden(t, "golden.golden", b.Bytes())
	wantBest(t, r.Sets[0].Rows)
}

func isDefault(system string) bool {
	return strings.HasPrefix(system, string(hippo.Rankers()[0])+" ")
}

// wantBest holds the default ranker to the others, within what a single query counts.
func wantBest(t *testing.T, rows []eval.Row) {
	t.Helper()
	const near = .01
	i := slices.IndexFunc(rows, func(r eval.Row) bool { return isDefault(r.System) })
	if i < 0 || len(rows) != len(hippo.Rankers())+1 {
		t.Fatalf("%d rows, the default ranker's is number %d", len(rows), i)
	}
	best := rows[i]
	for _, r := range rows {
		if r.Recall5 > best.Recall5+near || r.NDCG10 > best.NDCG10+near {
			t.Errorf("%s finds more than %s: recall@5 %.3f and %.3f, nDCG@10 %.3f and %.3f",
				r.System, best.System, r.Recall5, best.Recall5, r.NDCG10, best.NDCG10)
		}
	}
}

// placeOf is the place, from 1, of the first memory that answers.
func placeOf(a eval.Answer) string {
	for i, name := range a.Found {
		if a.Relevant[name] >= answersFully {
			return strconv.Itoa(i + 1)
		}
	}
	return "-"
}

func matchGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	golden := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); d != "" {
		t.Errorf("what is found changed; if that is wanted, run with -update (-want +got):\n%s", d)
	}
}

// TestGolden_IsWhatItSays keeps the set as hard and as varied as it was made.
func TestGolden_IsWhatItSays(t *testing.T) {
	t.Parallel()
	sets, err := eval.Load(filepath.Join("testdata", "golden"))
	if err != nil {
		t.Fatal(err)
	}
	set := sets[0].Judged()
	kinds := make(map[string]int)
	var unanswered []string
	for _, q := range set.Questions {
		kinds[q.Category]++
		if !slices.Contains(slices.Collect(maps.Values(q.Relevant)), answersFully) {
			unanswered = append(unanswered, q.ID)
		}
	}
	want := []string{"author", "code", "distractor", "exact", "identifier", "language", "multi", "paraphrase", "session", "situation", "typo"}
	if d := cmp.Diff(want, slices.SortedFunc(maps.Keys(kinds), gocmp.Compare)); d != "" {
		t.Errorf("kinds of queries (-want +got):\n%s", d)
	}
	for kind, n := range kinds {
		if n < 5 {
			t.Errorf("%d queries of kind %s, want more", n, kind)
		}
	}
	if s := set.Report(); len(unanswered) > 0 || s.Documents < 250 || s.Questions < 80 {
		t.Errorf("%d memories, %d queries, no answer wanted for %v", s.Documents, s.Questions, unanswered)
	}
}
