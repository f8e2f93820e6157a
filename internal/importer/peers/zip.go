package peers

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// Limits on a zip file, whose content may be a thousand times its size.
const (
	maxPart  = 64 << 20 // bytes of one part of a DOCX, unpacked
	maxParts = 10_000
)

// docxBody is the part of a DOCX that holds its text.
const docxBody = "word/document.xml"

// openZip reads a DOCX, or the export of another program.
func openZip(f file) (*formats.Source, error) {
	names, err := partsOf(f.path)
	if err != nil {
		return nil, err
	}
	if slices.Contains(names, docxBody) {
		return formats.NewSource(KindDOCX, func(out *formats.Out) error { return readDOCX(f, out) }), nil
	}
	if s, err := openExport(f); s != nil || err != nil {
		return s, err
	}
	return nil, fmt.Errorf("%w: looks like a zip file with %s, without an export of ChatGPT or Claude: unpack it, and import the folder, if it has one of the known kinds: %s",
		hippo.ErrInvalid, list(names), KnownKinds)
}

// partsOf returns the names of the parts of a zip file.
func partsOf(name string) ([]string, error) {
	var names []string
	err := withZip(name, func(r *zip.Reader) error {
		for _, part := range r.File {
			names = append(names, part.Name)
		}
		return nil
	})
	return names, err
}

func withZip(name string, fn func(*zip.Reader) error) (err error) {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	r, err := zip.NewReader(file, info.Size())
	if err != nil {
		return fmt.Errorf("%w: the zip file is cut off or damaged: download or copy it again (%w)", hippo.ErrCorrupt, err)
	}
	if len(r.File) > maxParts {
		return hippo.Fieldf("zip", "must have at most %d files, got %d", maxParts, len(r.File))
	}
	return fn(r)
}

// readDOCX reads the paragraphs of a document, below its headings.
func readDOCX(f file, out *formats.Out) error {
	var parts []section
	err := withZip(f.path, func(r *zip.Reader) error {
		body, err := r.Open(docxBody)
		if err != nil {
			return fmt.Errorf("%w: %w", hippo.ErrCorrupt, err)
		}
		limited := &io.LimitedReader{R: body, N: maxPart}
		parts, err = docxSections(limited, headingStyles(r))
		if limited.N == 0 {
			err = hippo.Fieldf(docxBody, "must be at most %d bytes unpacked", maxPart)
		}
		return errors.Join(err, body.Close())
	})
	if err != nil {
		return out.Memory(f.name, nil, err)
	}
	return addText(f, out, parts)
}

// docx is the state of reading the text of a DOCX; see ECMA-376, part 1, section 17.
type docx struct {
	parts  []section
	path   []string
	now    section
	text   strings.Builder // of the paragraph
	level  int             // of the paragraph as a heading; 0 for none
	item   bool            // the paragraph is a list item
	hidden int             // depth inside of what is deleted, or no text
	inText bool
	depth  int
	tables int            // that are open
	styles map[string]int // levels of headings by the ID of their style
}

// headingStyles returns the levels of the styles that are headings. Their IDs are of the language
// of the program that wrote the document, such as "berschrift1"; their names are English in all.
// A document without readable styles has none.
func headingStyles(r *zip.Reader) map[string]int {
	part, err := r.Open("word/styles.xml")
	if err != nil {
		return nil
	}
	defer func() { _ = part.Close() }() // it was only read
	var list struct {
		Styles []struct {
			ID   string `xml:"styleId,attr"`
			Name struct {
				Val string `xml:"val,attr"`
			} `xml:"name"`
		} `xml:"style"`
	}
	if xml.NewDecoder(io.LimitReader(part, maxPart)).Decode(&list) != nil {
		return nil
	}
	out := make(map[string]int)
	for _, s := range list.Styles {
		if level := headingLevel(strings.ReplaceAll(s.Name.Val, " ", "")); level > 0 {
			out[s.ID] = level
		}
	}
	return out
}

// maxXMLDepth is how deep elements may be nested.
const maxXMLDepth = 1000

func docxSections(r io.Reader, styles map[string]int) ([]section, error) {
	d := docx{styles: styles}
	x := xml.NewDecoder(r)
	for {
		t, err := x.Token()
		if errors.Is(err, io.EOF) {
			d.endSection()
			return d.parts, nil
		}
		if err != nil {
			line, _ := x.InputPos()
			return nil, fmt.Errorf("%w: %s: line %d: %w", hippo.ErrCorrupt, docxBody, line, err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if d.depth++; d.depth > maxXMLDepth {
				return nil, hippo.Fieldf(docxBody, "must nest its elements at most %d deep", maxXMLDepth)
			}
			d.start(t)
		case xml.EndElement:
			d.depth--
			d.end(t.Name.Local)
		case xml.CharData:
			if d.inText && d.hidden == 0 {
				d.text.Write(t)
			}
		}
	}
}

func (d *docx) start(t xml.StartElement) {
	switch t.Name.Local {
	case "del", "instrText", "delText", "moveFrom", "Fallback":
		d.hidden++
	case "t":
		d.inText = true
	case "tab":
		d.text.WriteByte('\t')
	case "br", "cr":
		d.text.WriteByte('\n')
	case "pStyle":
		if d.level = d.styles[attribute(t, "val")]; d.level == 0 {
			d.level = headingLevel(attribute(t, "val"))
		}
	case "outlineLvl":
		if n := attribute(t, "val"); len(n) == 1 && n[0] >= '0' && n[0] < '6' {
			d.level = int(n[0]-'0') + 1
		}
	case "tbl":
		d.tables++
	case "numPr":
		d.item = true
	}
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// headingLevel returns the level of a style such as "Heading2"; "Title" is the first.
func headingLevel(style string) int {
	style = strings.ToLower(style)
	n, ok := strings.CutPrefix(style, "heading")
	switch {
	case style == "title":
		return 1
	case ok && len(n) == 1 && n[0] >= '1' && n[0] <= '6':
		return int(n[0] - '0')
	}
	return 0
}

func (d *docx) end(name string) {
	switch name {
	case "del", "instrText", "delText", "moveFrom", "Fallback":
		d.hidden--
	case "t":
		d.inText = false
	case "tc":
		d.text.WriteString("| ")
	case "tr":
		d.now.lines = append(d.now.lines, strings.TrimSuffix(strings.Join(strings.Fields(d.text.String()), " "), " |"))
		d.text.Reset()
	case "tbl":
		d.tables--
		d.now.lines = append(d.now.lines, "")
	case "p":
		d.paragraph()
	}
}

// paragraph ends a paragraph: a heading, or text. Those of a table are joined by its rows.
func (d *docx) paragraph() {
	text := strings.TrimSpace(d.text.String())
	level, item := d.level, d.item
	d.level, d.item = 0, false
	switch {
	case d.tables > 0:
		d.text.WriteByte(' ')
		return
	case text == "":
	case level > 0:
		d.endSection()
		d.path = append(d.path[:min(level-1, len(d.path)):min(level-1, len(d.path))], text)
		d.now.headings = d.path
	case item:
		d.now.lines = append(d.now.lines, "- "+text)
	default:
		d.now.lines = append(d.now.lines, text, "")
	}
	d.text.Reset()
}

// endSection ends the section, and begins one below the same headings.
func (d *docx) endSection() {
	if len(d.now.lines) > 0 {
		d.parts = append(d.parts, d.now)
	}
	d.now = section{headings: d.path}
}
