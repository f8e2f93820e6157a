package recall_test

import (
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/models"
)

// Functions are compared with a question by the table for source code; notes are not.
func TestRerank_SourceCode(t *testing.T) {
	t.Parallel()
	table, err := static.Open(models.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := static.OpenWithCode(table, models.Code())
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, tokens, &embedtest.Words{})
	const (
		note    = "The logger writes to standard error unless the destination (a file) is set, see the handbook of the team."
		getter  = "func (l *Logger) Writer() io.Writer {\n\tl.mu.Lock()\n\tdefer l.mu.Unlock()\n\treturn l.out\n}"
		counter = "func countLines(data []byte) int {\n\tn := 0\n\tfor _, b := range data {\n\t\tif b == '\\n' {\n\t\t\tn++\n\t\t}\n\t}\n\treturn n\n}"
	)
	f.put(turn(1, "", note), turn(2, "", getter), turn(3, "", counter))
	got := make(map[string]map[string]float64)
	for _, h := range f.search(hippo.Query{Text: "returns the destination of a logger", Detail: hippo.Detail{Explain: true}}).Hits {
		got[h.Memory.Content] = h.Explanation.Features
	}
	if n := got[note]; n == nil || n["is.code"] != 0 || n["code"] != 0 {
		t.Errorf("features of the note: %v", n)
	}
	if g, c := got[getter], got[counter]; g["is.code"] != 1 || c["is.code"] != 1 || g["code"] <= c["code"] {
		t.Errorf("code %v of the answer, and %v of another function", g["code"], c["code"])
	}
}
