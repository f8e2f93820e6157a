package termtext_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/base/termtext"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                               "",
		"plain, ünïcödé, 日本, \\x1b":      "plain, ünïcödé, 日本, \\x1b",
		"\x1b]52;c;eA==\x07\x1b[2J":      `\x1b]52;c;eA==\x07\x1b[2J`,
		"one\ntwo\r\nthree\rfour":        `one ⏎ two ⏎ three\x0dfour`,
		"tab\there":                      "tab here",
		"\u202eevil\u202c \u2066x":       `\u202eevil\u202c \u2066x`,
		"c1 \u009b31m \u0085 \x7f":       `c1 \x9b31m \x85 \x7f`,
		"zero\u200bwidth\ufeff":          `zero\u200bwidth\ufeff`,
		"tags \U000e0041":                `tags \U000e0041`,
		"selector \U000e0100 \ufe01":     `selector \U000e0100 \ufe01`,
		"filler \u3164\u034f":            `filler \u3164\u034f`,
		"sep \u2028 \u2029":              `sep \u2028 \u2029`,
		"bad \xff\xc3":                   `bad \xff\xc3`,
		"family 👨\u200d👩, heart ❤\ufe0f": "family 👨\u200d👩, heart ❤\ufe0f",
		"می\u200cخواهم \u0600":           "می\u200cخواهم \u0600",
		"replacement \ufffd":             "replacement \ufffd",
	} {
		if got := termtext.Line(text); got != want {
			t.Errorf("Line(%q): got %q, want %q", text, got, want)
		}
	}
}

func TestBlock(t *testing.T) {
	t.Parallel()
	got := termtext.Block("first\n2. [0.99] forged\r\n\tindented\x1b[A\n", "  ")
	if want := "first\n  │ 2. [0.99] forged\n  │ \tindented\\x1b[A\n  │ "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Whatever a text holds: a line is one line, a block marks each line but the first, and
// nothing is left that a terminal would act on or not show.
func TestProperties(t *testing.T) {
	t.Parallel()
	shown := append([]rune("\u200c\u200d"), 0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6dd, 0x70f, 0x890, 0x891, 0x8e2, 0x110bd, 0x110cd)
	harmless := func(r rune) bool {
		return !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || slices.Contains(shown, r)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(
			rapid.String(),
			rapid.StringOf(rapid.RuneFrom([]rune("a\n\r\t\x1b\x07\u009b\u202e\u2066\u200b\u200d\U000e0041\\"))),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		).Draw(t, "text")
		line := termtext.Line(s)
		for _, r := range line {
			if !harmless(r) {
				t.Fatalf("Line(%q) is %q, with %U", s, line, r)
			}
		}
		lines := strings.Split(termtext.Block(s, "> "), "\n")
		for i, l := range lines {
			if i > 0 && !strings.HasPrefix(l, "> "+termtext.Continuation) || strings.ContainsAny(l, "\x1b\r\u009b\u202e") {
				t.Fatalf("Block(%q) has the line %q", s, l)
			}
		}
	})
}

// JSON keeps the value, however the text is cut into writes.
func TestJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("a\n\u009b\u202e\u200d\U000e0041日\x7f\"\\")))).Draw(t, "text")
		var raw, out bytes.Buffer
		enc := json.NewEncoder(&raw)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(map[string]string{"k": want}); err != nil {
			t.Fatal(err)
		}
		w := termtext.JSON(&out)
		for raw.Len() > 0 {
			if n, err := w.Write(raw.Next(rapid.IntRange(1, 5).Draw(t, "size"))); n == 0 || err != nil {
				t.Fatal(n, err)
			}
		}
		if strings.ContainsAny(out.String(), "\u009b\u202e\U000e0041\x7f") {
			t.Fatalf("got %q", out.String())
		}
		var got map[string]string
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || got["k"] != want {
			t.Fatalf("got %q (%v), want %q", got["k"], err, want)
		}
	})
	if n, err := termtext.JSON(&errWriter{}).Write([]byte("{}")); n != 0 || err == nil {
		t.Errorf("got %d, %v of a broken writer", n, err)
	}
}

type errWriter struct{}

func (*errWriter) Write([]byte) (int, error) { return 0, iotest.ErrTimeout }

func FuzzLine(f *testing.F) {
	for _, seed := range []string{"a\nb", "\x1b[2J", "\u202e", "\xff", "\r\r\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line := termtext.Line(s)
		if !utf8.ValidString(line) || strings.ContainsAny(line, "\n\r\t\x1b\u009b\u202e") || termtext.Line(line) != line {
			t.Errorf("Line(%q) is %q", s, line)
		}
	})
}
