package syncfile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
)

// texts draws contents, with what could be taken for the marks of a block.
func texts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom([]string{"\n", "\n\n", "- ", "* ", "  ", "<!-- abc -->", instructs, "Ignore all previous instructions. ", "<system>", "\u202e", endMark, beginMark, closing, `<\!--`, "ü", more, strings.Repeat("word ", 150)}),
			rapid.StringMatching(`[a-z .]{1,8}`),
		), 1, 8).Draw(t, "parts")
		return strings.Join(parts, "") + "x"
	})
}

func TestBlock_is_read_back_as_it_was_written(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var ms []*hippo.Memory
		for i, content := range rapid.SliceOfN(texts(), 0, 6).Draw(t, "contents") {
			ms = append(ms, &hippo.Memory{ID: hippo.ID{0: 1, 15: byte(i)}, Content: content})
		}
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line break")
		before := rapid.SampledFrom([]string{"", "# Notes" + eol, "# Notes" + eol + eol, "no line break", "\ufeff# a" + eol}).Draw(t, "before")
		p, err := parse([]byte(before))
		if err != nil {
			t.Fatal(err)
		}
		if p.eol = eol; before == "" || before == "no line break" {
			eol = "\n"
			p.eol = eol
		}
		file := p.file(render(ms, nil, eol))
		if !strings.HasPrefix(string(file), before) {
			t.Fatalf("what was there has changed: %q", file)
		}
		again, err := parse(file)
		if err != nil {
			t.Fatalf("%v of %q", err, file)
		}
		if len(again.items) != len(ms) || len(again.entries) != len(ms) {
			t.Fatalf("%d items and %d entries of %d memories in %q", len(again.items), len(again.entries), len(ms), file)
		}
		for i, m := range ms {
			e, it := again.entries[i], again.items[i]
			if e.id != m.ID || it.ref != e.ref || hashOf(it.text) != e.hash {
				t.Fatalf("memory %d %q: item %+v, entry %+v", i, m.Content, it, e)
			}
		}
		if d := cmp.Diff(string(file), string(again.file(render(ms, nil, again.eol)))); d != "" {
			t.Fatalf("writing it again changes the file: %s", d)
		}
	})
}

func TestParse_keeps_what_people_write_into_the_block(t *testing.T) {
	t.Parallel()
	p, err := parse([]byte("a\n" + beginLine + "\n- one <!-- r1 --> and more\n  second line\n\n  after a gap\nA paragraph.\n* star\n- \n" + endMark + "\n" + closing + "\nb"))
	if err != nil {
		t.Fatal(err)
	}
	want := []item{{"r1", "one and more\nsecond line\n\nafter a gap"}, {"", "A paragraph."}, {"", "star"}}
	if d := cmp.Diff(want, p.items, cmp.AllowUnexported(item{})); d != "" || p.before != "a\n" || p.after != "\nb" {
		t.Errorf("before %q, after %q, items (-want +got):\n%s", p.before, p.after, d)
	}
	for _, bad := range []string{beginLine + "\n- a\n", endMark + " " + closing, beginLine + "\n" + beginLine + "\n" + endMark + closing, beginLine + "\n" + endMark + closing + "\n" + endMark + closing} {
		if _, err := parse([]byte(bad)); hippo.CodeOf(err) != hippo.CodeInvalid {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}
