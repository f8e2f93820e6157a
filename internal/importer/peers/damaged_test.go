package peers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/importer/peers"
)

// Two writers of one memory.jsonl glue their lines together.
func TestOpen_reads_glued_lines_and_numbers(t *testing.T) {
	t.Parallel()
	text := `{"type":"entity","name":"A","entityType":"p","observations":["a1"]} {"type":"entity","name":"B","entityType":"p","observations":["b1"]}{"type":"entity","na` + "\n" +
		`{"type":"entity","name":"C","entityType":"p","observations":[null,42,1.50,"c1"]}` + "\n"
	want := []string{": A (p)", "A: a1", ": B (p)", "B: b1", "error: line 1: corrupt: broken JSON: unexpected end of JSON input", ": C (p)", "C: 42", "C: 1.50", "C: c1"}
	if d := cmp.Diff(want, contents(t, file(t, "memory.jsonl", []byte(text)))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A program put a front matter before a text that had one: it is no text, and adds what the first does not say.
func TestOpen_reads_two_front_matters(t *testing.T) {
	t.Parallel()
	head := "\ufeff---\r\ntitle: T\r\n---\r\n\r\n---\r\ntitle: U\r\ntags: [x]\r\n---\r\n"
	for text, want := range map[string][]string{
		head + "# Head\r\n\r\nBody\r\n":                             {": T\n\n- Head", "T > Head: Body"},
		"---\ntitle: T\npermalink: p\n---\n---\ntitle: U\n---\nB\n": {"T: B"},
		"---\ntitle: T\n---\n---\n\nNo front matter\n\n---\n":       {": T\n\n---\n\nNo front matter\n\n---", "T: ---\n\nNo front matter\n\n---"},
	} {
		if d := cmp.Diff(want, contents(t, file(t, "a.md", []byte(text)))); d != "" {
			t.Errorf("%q (-want +got):\n%s", text, d)
		}
	}
	s, err := peers.Open(t.Context(), file(t, "a.md", []byte(head+"Body")), peers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for m, err := range s.Entries() {
		if err != nil || !slices.Equal(m.Tags, []string{"x"}) {
			t.Errorf("%q has the tags %q, %v", m.Content, m.Tags, err)
		}
	}
}

// The topic files of Claude Code's memory folder are found by their names, descriptions and types.
func TestOpen_reads_the_topic_files_of_claude_code(t *testing.T) {
	t.Parallel()
	s, err := peers.Open(t.Context(), file(t, "feedback_tests.md", []byte("---\nname: Tests first\ndescription: run them with -race\ntype: feedback\n---\n\n# Rule\n\nAlways test.\n")), peers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for m, err := range s.Entries() {
		if err != nil || !slices.Equal(m.Tags, []string{"feedback"}) {
			t.Errorf("%q has the tags %q, %v", m.Content, m.Tags, err)
		}
		got = append(got, m.Content)
	}
	if d := cmp.Diff([]string{"Tests first\n\nrun them with -race\n\n- Rule", "Always test."}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A page that shows conversations.json, or has no text, is no document, and counted as left out.
func TestOpen_leaves_out_pages_without_text(t *testing.T) {
	t.Parallel()
	viewer := `<html><head><title>ChatGPT Data Export</title></head><body><div id="root">Chats</div><script>var jsonData = [` + strings.Repeat(" ", 9<<20) + `];</script></body></html>`
	for page, want := range map[string]string{
		viewer: "pages that show the conversations.json beside them",
		`<html><head><title>App</title></head><body><div id="root"></div></body></html>`: "pages without text",
	} {
		s, err := peers.Open(t.Context(), file(t, "chat.html", []byte(page)), peers.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := ids(s); len(got) != 0 {
			t.Errorf("%s: %d memories", want, len(got))
		}
		if got := s.Skipped(); len(got) != 1 || got[0].What != want || got[0].Count != 1 {
			t.Errorf("left out %v, want %s", got, want)
		}
	}
}
