package peers

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/ledongthuc/pdf"
)

// fontsOf opens a PDF whose page has these fonts, named F0 and so on; table is the stream that object 4 is.
func fontsOf(t *testing.T, table string, fonts ...string) pdf.Page {
	t.Helper()
	var named strings.Builder
	for i, font := range fonts {
		fmt.Fprintf(&named, "/F%d << /Type /Font %s >> ", i, font)
	}
	var b bytes.Buffer
	var at []int
	b.WriteString("%PDF-1.4\n")
	for i, o := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /Resources << /Font << " + named.String() + ">> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(table), table),
	} {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	r, err := pdf.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r.Page(1)
}

const toUnicode = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def
1 begincodespacerange <0000> <FFFF> endcodespacerange
2 beginbfchar <0003> <0020> <0004> <D83DDE00> endbfchar
3 beginbfrange <0010> <0020> <0041> <0030> <0032> [<0061> <00660069> <0063>] <0040> <0041> /None endbfrange
endcmap CMapName currentdict /CMap defineresource pop end end`

// Each encoding decodes every code as the parser does.
func TestEncodingOf(t *testing.T) {
	t.Parallel()
	page := fontsOf(
		t, toUnicode, "/Encoding /WinAnsiEncoding", "/Encoding /MacRomanEncoding", "/Subtype /Type1", "/Encoding /UniGB-UCS2-H", "/Encoding /Unknown",
		"/Encoding << /Differences [65 /alpha /nosuchglyph /Euro 65 /beta 200 /ffi /Aacutesmall 300 /a] >>", "/Encoding << /Type /Encoding >>",
		"/Subtype /Type0 /Encoding /Identity-H /ToUnicode 4 0 R", "/ToUnicode 4 0 R", "/Encoding 7",
	)
	var all strings.Builder
	for i := range 256 {
		all.WriteByte(byte(i))
	}
	codes := "\x00\x03\x00\x04\x00\x10\x00\x12\x00\x30\x00\x31\x00\x32\x00\x40\x00\x41\x00\x99\xff\xff"
	for i := range page.Fonts() {
		font := page.Font(fmt.Sprintf("F%d", i))
		for _, raw := range []string{all.String(), codes} {
			if got, want := encodingOf(font.V)(raw), font.Encoder().Decode(raw); got != want {
				t.Errorf("%v:\n%q\nwant\n%q", font.V, got, want)
			}
		}
	}
}

// A table whose ranges of codes are broken is no table.
func TestEncodingOf_a_broken_table(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"1 begincodespacerange <00> <FFFF> endcodespacerange", "<00> <FF> endcodespacerange", "1 begincodespacerange <0000000000> <FFFFFFFFFF> endcodespacerange"} {
		font := fontsOf(t, table, "/ToUnicode 4 0 R").Font("F0")
		if got := encodingOf(font.V)("a\x80"); got != "a\x80" {
			t.Errorf("%s: %q", table, got)
		}
	}
}
