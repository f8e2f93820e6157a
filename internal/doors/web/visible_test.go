package web

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/base/termtext"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain & <b>":            "plain &amp; &lt;b&gt;",
		"a\u202eb":               `a<span class="code-point">U+202E</span>b`,
		"a\u200bb\ufeff":         `a<span class="code-point">U+200B</span>b<span class="code-point">U+FEFF</span>`,
		"tag \U000e0041":         `tag <span class="code-point">U+E0041</span>`,
		"bell\a\x1b[0m":          `bell<span class="code-point">U+0007</span><span class="code-point">U+001B</span>[0m`,
		"broken \xff":            `broken <span class="code-point">0xFF</span>`,
		"lines\r\nand\ttabs\n":   "lines\nand\ttabs\n",
		"alone\rhere":            `alone<span class="code-point">U+000D</span>here`,
		"می\u200cخواهم 👩\u200d🔧": "می\u200cخواهم 👩\u200d🔧",
		"":                       "",
	} {
		if got := string(visible(text)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestMarker(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, text, want string }{
		{"why does the gateway fail", "The gateway failed", "The <mark>gateway</mark> <mark>failed</mark>"},
		{"<b>", "<b>bold</b>", "&lt;<mark>b</mark>&gt;bold&lt;/<mark>b</mark>&gt;"},
		{"the", "the", "the"},
		{"", "gateway", "gateway"},
		{"x", strings.Repeat("x", 65), strings.Repeat("x", 65)},
	} {
		if got := string(newMarker(c.query).html(c.text)); got != c.want {
			t.Errorf("%q in %q: got %s, want %s", c.query, c.text, got, c.want)
		}
	}
}

// TestMarker_Text: whatever the text and the query are, the HTML has no elements but the two of ours, and no special
// character.
func TestMarker_Text(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SampledFrom([]string{"<script>", "gateway", "\u202e", "&amp;", "\xff", "</span>", "<mark>", "\"'", " ", "\r\n", "\x00", "é", "{{.}}"})
		text := strings.Join(rapid.SliceOf(pieces).Draw(t, "text"), "")
		out := string(newMarker(strings.Join(rapid.SliceOf(pieces).Draw(t, "query"), "")).html(text))
		root, err := html.Parse(strings.NewReader("<p>" + out))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.FirstChild.LastChild.FirstChild.Descendants() {
			if n.Type == html.ElementNode && n.Data != "mark" && (n.Data != "span" || n.Attr[0].Val != "code-point") {
				t.Fatalf("%q becomes the element %s in %s", text, n.Data, out)
			}
		}
		if i := strings.IndexFunc(out, func(r rune) bool { return r != '\n' && r != '\t' && termtext.Special(r) }); i >= 0 || strings.ContainsRune(out, unicode.ReplacementChar) {
			t.Fatalf("%q leaves a special character in %q", text, out)
		}
	})
}
