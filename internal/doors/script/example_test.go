package script_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/script"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// TestRun_combines_in_few_words: the program that stands for search 20, filter, combine and store returns an id and no
// memory. Its tokens are counted beside those of separate calls.
func TestRun_combines_in_few_words(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, content := range []string{"gateway 1: timeout of 30 s", "gateway 2: retries", "gateway 3: another timeout"} {
		if _, err := memory.Record(t.Context(), f.Memories, &hippo.Memory{Content: content}); err != nil {
			t.Fatal(err)
		}
	}
	source, err := os.ReadFile("testdata/combine.star")
	if err != nil {
		t.Fatal(err)
	}
	if text := f.text(string(source)); !regexp.MustCompile(`^[0-9a-f]{8}\nstored 1$`).MatchString(text) {
		t.Errorf("text is %q", text)
	}
	l, err := memory.List(t.Context(), f.Memories, api.List{Filter: hippo.Filter{Tags: []string{"summary"}}})
	if err != nil || l.Total != 1 || !strings.HasPrefix(l.Memories[0].Content, "Gateway outages with a timeout: 2 of 3. gateway ") {
		t.Errorf("stored %+v, %v", l, err)
	}
}

// TestCard_names_every_verb: the page has each function, and the text in errors the most frequent ones.
func TestCard_names_every_verb(t *testing.T) {
	t.Parallel()
	for _, name := range script.Verbs() {
		if !strings.Contains(script.Card(), name+"(") {
			t.Errorf("the page lacks %s", name)
		}
	}
	if len(script.ShortCard()) > 700 {
		t.Errorf("the text in errors has %d bytes", len(script.ShortCard()))
	}
}
