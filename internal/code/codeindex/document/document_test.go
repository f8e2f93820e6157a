package document_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/code/codeindex/document"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a.md":   {"intro\n# One #\ntext\n```sh\n# no heading\n```\n## Two\n#none\n# Three\n", []string{"One 2-8 -1", "One.Two 7-8 0", "Three 9-9 -1"}},
		"a.toml": {"x = 1\n[a.b]\ny = 2\n[[c]]\n", []string{"a.b 2-3 -1", "c 4-4 -1"}},
		"a.yaml": {"# x\non:\n  push: 1\njobs: {}\nhttp://x\n", []string{"on 2-3 -1", "jobs 4-5 -1"}},
		"b.md":   {"", nil},
		"c.md":   {"# One\n\n    # comment\n    ```\n\n   ## Two\n", []string{"One 1-6 -1", "One.Two 6-6 0"}},
	} {
		f, ok := document.Parse(name, []byte(c.text))
		if !ok {
			t.Errorf("%s: no document", name)
		}
		var got []string
		for _, s := range f.Symbols {
			got = append(got, fmt.Sprintf("%s %d-%d %d", s.Qualified, s.Range.First, s.Range.Last, s.Parent))
			if s.Range.From >= s.Range.Until || s.Range.Until > len(c.text) {
				t.Errorf("%s: %s has the range %+v", name, s.Name, s.Range)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if _, ok := document.Parse("a.go", nil); ok {
		t.Error("a program is no document")
	}
}
