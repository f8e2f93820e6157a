package peers_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/importer/peers"
)

// file writes a file, and returns its path.
func file(t testing.TB, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// docx makes a DOCX with this body, which is repeated.
func docx(t testing.TB, body string, times int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	write := func(s string) {
		if _, err := io.WriteString(w, s); err != nil {
			t.Fatal(err)
		}
	}
	write(`<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`)
	for range times {
		write(body)
	}
	write(`</w:body></w:document>`)
	if w, err = z.Create("word/styles.xml"); err != nil {
		t.Fatal(err)
	}
	write(`<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style></w:styles>`)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const docxText = `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Plan</w:t></w:r></w:p>
<w:p><w:r><w:t xml:space="preserve">We ship </w:t></w:r><w:del><w:r><w:delText>never</w:delText></w:r></w:del><w:r><w:t>in May.</w:t></w:r></w:p>
<w:p><w:pPr><w:pStyle w:val="berschrift2"/></w:pPr><w:r><w:t>Costs</w:t></w:r></w:p>
<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>Two people</w:t></w:r></w:p>
<w:moveFrom><w:p><w:r><w:t>moved</w:t></w:r></w:p></w:moveFrom>
<w:p><mc:AlternateContent><mc:Choice><w:r><w:t>Shape</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t>Shape</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Main</w:t></w:r></w:p><w:p><w:r><w:t>host</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>db1</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`

// pdfOf makes a PDF of one page with this text.
func pdfOf(text string) []byte { return drawnPDF("BT /F1 12 Tf 72 720 Td (" + text + ") Tj ET") }

// drawnPDF makes a PDF with a page for each of these drawing instructions.
func drawnPDF(pages ...string) []byte {
	var kids, rest []string
	for i, content := range pages {
		n := 4 + 2*i
		kids = append(kids, fmt.Sprintf("%d 0 R", n))
		rest = append(rest, fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>", n+1),
			fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	}
	return pdfFile(append([]string{
		"<< /Type /Catalog /Pages 2 0 R >>", fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(pages)),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
	}, rest...))
}

// pdfFile makes a PDF with these objects, of which the first is the catalog.
func pdfFile(objects []string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, xref)
	return b.Bytes()
}

// contents returns the contents of a source, or its errors.
func contents(t testing.TB, path string) []string {
	t.Helper()
	s, err := peers.Open(t.Context(), path, peers.Options{})
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	var out []string
	for m, err := range s.Entries() {
		if err != nil {
			out = append(out, "error: "+err.Error())
			continue
		}
		out = append(out, strings.Join(m.Situation, " > ")+": "+m.Content)
	}
	return out
}

func TestOpen_reads_docx_and_pdf(t *testing.T) {
	t.Parallel()
	want := []string{": Plan\n\n- Plan\n  - Costs", "Plan: We ship in May.", "Plan > Costs: - Two people\nShape\n\nMain host | db1"}
	if d := cmp.Diff(want, contents(t, file(t, "a.docx", docx(t, docxText, 1)))); d != "" {
		t.Errorf("docx (-want +got):\n%s", d)
	}
	want = []string{": a.pdf\n\n- page 1", "a.pdf > page 1: Press the red button."}
	if d := cmp.Diff(want, contents(t, file(t, "a.pdf", pdfOf("Press the red button.")))); d != "" {
		t.Errorf("pdf (-want +got):\n%s", d)
	}
}

// Most programs draw words and lines at places, without characters between them.
func TestOpen_finds_the_words_and_lines_of_a_pdf(t *testing.T) {
	t.Parallel()
	moved := "BT /F1 10 Tf 1 0 0 1 72 700 Tm [(Deploys)-300(fre)20(eze)-250(on)] TJ 0 -12 Td (Fri-) Tj 0 -12 Td (days.) Tj 0 -40 Td (Next) Tj ET"
	scaled := "q 10 0 0 10 0 0 cm BT /F1 1 Tf 7 70 Td (Ana) Tj 3 0 Td (owns) Tj ET Q BT /F1 10 Tf 0 1 -1 0 300 300 Tm [(Side)-400(ways)] TJ ET Q"
	large := strings.Repeat("0 0 m ", 2<<20)
	want := []string{
		"error: a.pdf: page 3: page: must be at most 8388608 bytes unpacked", ": a.pdf\n\n- page 1\n- page 2", "a.pdf > page 1: Deploys freeze on\nFridays.\n\nNext", "a.pdf > page 2: Ana owns\n\nSide ways",
	}
	if d := cmp.Diff(want, contents(t, file(t, "a.pdf", drawnPDF(moved, scaled, large)))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestOpen_names_what_is_wrong_with_hostile_files(t *testing.T) {
	t.Parallel()
	paragraph := "<w:p><w:r><w:t>" + strings.Repeat("a", 1<<20) + "</w:t></w:r></w:p>"
	turn := `{"uuid":"m","text":"` + strings.Repeat("x", 1000) + `","sender":"human"}`
	for name, c := range map[string]struct {
		b    []byte
		want string // in the last entry
	}{
		"bomb.docx":      {docx(t, paragraph, 80), "word/document.xml: must be at most"},
		"deep.docx":      {docx(t, strings.Repeat("<w:sdt>", 2000), 1), "must nest its elements at most"},
		"broken.docx":    {docx(t, "<w:p><w:oops></w:p>", 1), "word/document.xml: line 1"},
		"cut.docx":       {docx(t, docxText, 1)[:300], "zip: "},
		"cut.pdf":        {pdfOf("text")[:200], "corrupt: PDF"},
		"empty.pdf":      {pdfOf(""), "it has no text"},
		"deep.json":      {[]byte(`{"export_metadata":{},"memories":[{"content":"a","metadata":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}]}"), "memories entry 1 (line 1): corrupt"},
		"cut.json":       {[]byte(`{"export_metadata":{},"memories":[{"content":"a"},{"content":"b`), "memories: entry 2 (line 1): corrupt: JSON is cut off"},
		"cut_array.json": {[]byte(`[{"uuid":"c","name":"n","chat_messages":[` + turn + `]},{"uuid":"d","chat_messages":[` + turn), "entry 2 (line 1): corrupt: JSON is cut off"},
		"long.jsonl":     {[]byte(`{"type":"entity","name":"a","entityType":"b","observations":[]}` + "\n" + `{"type":"entity","name":"` + strings.Repeat("x", 5<<20)), "line 2: line: must be at most"},
		"long.md":        {[]byte("# A\n\n- b\n- c\n- d\n- " + strings.Repeat("x", 600<<10)), "content: must be at most"},
		"deep.html":      {[]byte("<html><body>" + strings.Repeat("<div>", 5000)), "exceeds 512 nodes"},
		"bad.md":         {[]byte("---\ntitle: [a\npermalink: b\n---\ntext\n"), "front matter"},
		"bomb.md":        {[]byte("---\npermalink: b\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*d,*d,*d,*d,*d,*d,*d,*d,*d]\ng: [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nh: [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n---\ntext\n"), "excessive aliasing"},
		"merge.md":       {[]byte("# A\n\n<<<<<<< HEAD\n- b\n=======\n- c\n>>>>>>> feature\n"), "has a merge conflict of Git in line 3"},
		"merge.csv":      {[]byte("content,tags\na,b\n>>>>>>> feature\n"), "line 3: row: is a mark of a merge conflict"},
		"long.csv":       {[]byte("content,tags\n\"" + strings.Repeat("x", 6<<20)), "must be at most"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := contents(t, file(t, name, c.b))
			if last := all[len(all)-1]; !strings.HasPrefix(last, "error: ") || !strings.Contains(last, c.want) {
				t.Errorf("got %.300q, want %q", last, c.want)
			}
		})
	}
}

// The text of a page is kept as it reads: escapes would hide names and secrets in it.
func TestHTML_keeps_the_characters_of_names(t *testing.T) {
	t.Parallel()
	page := "<html><body><p>call set_max_size with a*b and [x]</p></body></html>"
	if all := contents(t, file(t, "a.html", []byte(page))); !strings.Contains(strings.Join(all, "\n"), "call set_max_size with a*b and [x]") {
		t.Errorf("got %q", all)
	}
}

func TestOpen_reads_a_long_page_of_elements_without_an_end(t *testing.T) {
	t.Parallel()
	page := "<html><head><title>A &amp; B</title></head><body><p>first<br>" + strings.Repeat("line<br>", 3000) + "<ul>" + strings.Repeat("<li>item", 3000) + "</ul></body></html>"
	all := contents(t, file(t, "a.html", []byte(page)))
	if !strings.HasPrefix(all[0], ": A & B") || !strings.HasPrefix(all[1], "A & B: first") {
		t.Errorf("got %.100q and %.100q", all[0], all[1])
	}
}

func TestOpen_keeps_a_text_between_horizontal_rules(t *testing.T) {
	t.Parallel()
	want := []string{": a.md\n\n- H", "a.md: ---\n\nNo front matter\n\n---", "a.md > H: text"}
	got := contents(t, file(t, "a.md", []byte("---\n\nNo front matter\n\n---\n\n# H\n\ntext\n")))
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestOpen_survives_mutated_documents(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for name, b := range map[string][]byte{"a.pdf": pdfOf("Press the red button."), "a.docx": docx(t, docxText, 3)} {
		for range 150 {
			c := bytes.Clone(b)
			for range 1 + r.IntN(8) {
				c[r.IntN(len(c))] = byte(r.Uint32())
			}
			if len(contents(t, file(t, name, c[:len(c)-r.IntN(2)*r.IntN(len(c)/2)]))) == 0 {
				t.Errorf("%s: neither memories nor an error", name)
			}
		}
	}
}

func FuzzOpen(f *testing.F) {
	names, err := filepath.Glob("testdata/*.*")
	if err != nil || len(names) == 0 {
		f.Fatal(names, err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("# a\n\n- b\n  c\n```\n- d\n"))
	f.Add([]byte("a\n-\n1. \n<!--\n"))
	f.Add([]byte("---\npermalink: a\n---\n- [b] c #d (e)\n- f [[a]]\n"))
	f.Add(pdfOf("a"))
	for _, text := range []string{ // what reviews showed
		"\ufeff\"content\",\"tags\"\r\n\"a\",\"CI,Café\"\r\n", "content,created_at\na,03.05.2026\n", "content,content\na,b\n", "content\n\"\"\"\"\"\"\"\n",
		`{"type":"entity","name":"A","entityType":"x","observations":["b"]}{"type":"relation","from":"A","to":"B","relationType":"c"}` + "\n42\n",
		"---\r\ntitle: a\r\n---\r\n---\r\nb: c\r\n---\r\n<<<<<<< HEAD\r\nd\r\n=======\r\ne\r\n>>>>>>> f\r\n", `{"a": [`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := peers.Open(t.Context(), file(t, "x.md", b), peers.Options{})
		if err != nil {
			return
		}
		for m, err := range s.Entries() {
			if err == nil && m.Validate() != nil {
				t.Fatalf("%+v is not valid: %v", m, m.Validate())
			}
		}
		for _, r := range s.Relations() {
			if r.Validate() != nil {
				t.Fatalf("%+v is not valid", r)
			}
		}
	})
}

// An error repeats the beginning of what a file says, whatever its size.
func TestOpen_bounds_what_an_error_repeats(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	for name, text := range map[string]string{
		"a.csv":  long + "," + long + "\n1,2\n",
		"q.csv":  strings.Repeat(`"`, 1<<20),
		"a.json": `{"` + strings.Repeat("k", 60<<10) + `":1}`,
		"w.csv":  strings.Repeat("column,", 100_000) + "\n",
	} {
		_, err := peers.Open(t.Context(), file(t, name, []byte(text)), peers.Options{})
		if err == nil || len(err.Error()) > 1500 {
			t.Errorf("%s: got an error of %d bytes: %.300v", name, len(fmt.Sprint(err)), err)
		}
	}
}

// A spreadsheet writes a byte order mark before a header that is quoted.
func TestOpen_reads_a_table_with_a_mark_and_a_quoted_header(t *testing.T) {
	t.Parallel()
	all := contents(t, file(t, "a.csv", []byte("\ufeff\"content\",\"tags\"\r\n\"a, b\",\"x\"\r\n")))
	if d := cmp.Diff([]string{": a, b"}, all); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
