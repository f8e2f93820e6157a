package symbols_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/code/codeindex/chunk"
)

// TestContent fails when parsers or chunks make something else of files. Then catalog.Content is to be raised, so that
// indexes are made again, and both values here.
func TestContent(t *testing.T) {
	const content, want = 2, "46c791510d2a13a6"
	all := samples(t)
	all["go"] = [2]string{"package a\n\n// F does.\nfunc (t *T) F(a int) error { return g(a, t.b) }\n\ntype T struct{ b int }\n"}
	all["python"] = [2]string{"import os\n\nclass A(B):\n    x = 1\n\n    def f(self, a: C):\n        \"\"\"Doc.\"\"\"\n        self.y = os.g(a.h())\n"}
	all["typescript"] = [2]string{"import { a } from './b'\n\nexport class C extends D {\n  x = 1\n  f(y: E) { return a(y.g()) }\n}\n"}
	sum := sha256.New()
	for _, language := range slices.Sorted(maps.Keys(all)) {
		source := all[language][0]
		f := parse(t, language, source)
		fmt.Fprintf(sum, "%s\n%s%v\n%v\n", language, outline(source, f), f.Locals, chunk.Split([]byte(source), &f))
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil)[:8]); got != want || catalog.Content != content {
		t.Errorf("the samples have the content %s in version %d, want %s in %d", got, catalog.Content, want, content)
	}
}
