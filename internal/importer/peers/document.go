package peers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// The types of the memories of a document, and the kind of the relation from a chunk to it.
const (
	typeDocument = "document"
	typeChunk    = "chunk"
	kindPartOf   = "part_of"
)

// chunkSize is the size in bytes up to which the paragraphs of a section are one chunk: about
// 300 tokens, what an encoder reads at once.
const chunkSize = 1500

// maxOutline is the size in bytes of the list of headings in the memory of a document.
const maxOutline = 4000

// maxBeginning is the size in bytes of the beginning of a text without headings there.
const maxBeginning = 200

// document is a document whose chunks become memories.
type document struct {
	file    file
	client  string
	uri     string // its name among the documents of the client
	title   string
	about   string // what its front matter says that it is about
	project string
	created time.Time
	tags    []string
	meta    row // what else its front matter says
}

// documentOf returns the document that a file holds.
func documentOf(f file, title string) document {
	if strings.TrimSpace(title) == "" {
		title = f.name
	}
	return document{file: f, client: typeDocument, uri: f.uri(), title: title, project: f.project(), created: f.modified}
}

// add adds the memory of the document, its title and outline, and one for each chunk, with the
// headings above it as its situation and a relation to the document.
func (d *document) add(out *formats.Out, where string, parts []section) error {
	return d.file.whole(out, func(out *formats.Out) error { return d.addParts(out, where, parts) })
}

func (d *document) addParts(out *formats.Out, where string, parts []section) error {
	root := d.memory("")
	root.Type = typeDocument
	root.Content = formats.Shorten(paragraphs(d.title, d.about, outline(parts)), maxOutline)
	d.meta.keep(root)
	if err := out.Memory(where, root, nil); err != nil {
		return err
	}
	seen := make(map[string]int)
	seq := 0
	for _, s := range parts {
		for _, text := range chunks(strings.Join(s.lines, "\n")) {
			seq++
			name := strings.Join(s.headings, " > ") + "\n" + text
			if seen[name]++; seen[name] > 1 {
				out.Skip("repeated passages", 1)
				continue
			}
			m := d.memory(name)
			m.Type, m.Content = typeChunk, text
			m.Situation = append([]string{d.title}, s.headings...)
			m.Source.Session, m.Source.Seq = d.uri, seq
			if err := out.Memory(place(where, s.line), m, nil); err != nil {
				return err
			}
			out.Relate(hippo.Relation{From: m.ID, To: root.ID, Kind: kindPartOf, Weight: 1})
		}
	}
	return nil
}

func place(where string, line int) string {
	if line == 0 {
		return where
	}
	return fmt.Sprintf("%s: line %d", where, line)
}

func (d *document) memory(name string) *hippo.Memory {
	m := formats.Imported(d.client, d.uri+"\n"+name)
	m.Source.URI = d.uri
	m.Project = d.project
	m.CreatedAt = d.created
	m.Tags = d.tags
	return m
}

// outline lists the headings of a document, or begins its text if it has none.
func outline(parts []section) string {
	var lines []string
	for _, s := range parts {
		if n := len(s.headings); n > 0 {
			lines = append(lines, strings.Repeat("  ", n-1)+"- "+s.headings[n-1])
		}
	}
	if len(lines) == 0 && len(parts) > 0 {
		return formats.Shorten(strings.TrimSpace(strings.Join(parts[0].lines, "\n")), maxBeginning)
	}
	return strings.Join(lines, "\n")
}

// chunks splits a text into pieces of at most chunkSize bytes, between paragraphs, or lines, or
// words. A text that is not blank has at least one.
func chunks(text string) []string {
	var out []string
	now := ""
	flush := func() {
		if t := strings.Trim(now, "\n"); strings.TrimSpace(t) != "" {
			out = append(out, t)
		}
		now = ""
	}
	for p := range strings.SplitSeq(text, "\n\n") {
		for len(p) > chunkSize {
			flush()
			cut := cutAt(p)
			now, p = p[:cut], strings.TrimLeft(p[cut:], " \n")
		}
		if now != "" && len(now)+len(p)+2 > chunkSize {
			flush()
		}
		if now == "" {
			now = p
			continue
		}
		now += "\n\n" + p
	}
	flush()
	return out
}

// cutAt returns where to cut a text that is longer than a chunk: at the last line break,
// sentence or space of its second half, or else between two characters.
func cutAt(text string) int {
	first := formats.Shorten(text, chunkSize)
	for _, mark := range []string{"\n", ". ", "。", " "} {
		if i := strings.LastIndex(first, mark); i > chunkSize/2 {
			return i + len(mark)
		}
	}
	return len(first)
}

// openMarkdown reads a Markdown document, with what its front matter says.
func openMarkdown(f file) (*formats.Source, error) {
	return formats.NewSource(KindMarkdown, func(out *formats.Out) error {
		text, err := f.content(out)
		if err != nil {
			return out.Memory(f.name, nil, err)
		}
		meta, body, err := readFront(text)
		if err != nil { // text between two horizontal rules
			body = text
			meta = row{used: make(map[string]bool)}
		}
		parts := sections(body)
		for i := range parts {
			parts[i].line += strings.Count(text, "\n") - strings.Count(body, "\n")
		}
		d := documentOf(f, meta.text("title", "name"))
		if d.title == f.name {
			d.title = firstHeading(f.name, parts)
		}
		if at := meta.time("created", "date"); !at.IsZero() {
			d.created = at
		}
		d.tags, d.about, d.meta = meta.texts("tags"), meta.text("description"), meta
		if kind := meta.text("type"); kind != "" && !slices.Contains(d.tags, kind) {
			d.tags = append(d.tags, kind)
		}
		return d.add(out, f.name, parts)
	}), nil
}

// openPlain reads a text without any marks.
func openPlain(f file) (*formats.Source, error) {
	return formats.NewSource(KindText, func(out *formats.Out) error {
		text, err := f.content(out)
		if err != nil {
			return out.Memory(f.name, nil, err)
		}
		text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
		return addText(f, out, []section{{lines: strings.Split(text, "\n")}})
	}), nil
}

// addText adds a document with the first of its headings as its title.
func addText(f file, out *formats.Out, parts []section) error {
	d := documentOf(f, firstHeading(f.name, parts))
	return d.add(out, f.name, parts)
}

// firstHeading returns the heading of a document that has no other title; its name if there is none.
func firstHeading(name string, parts []section) string {
	if len(parts) > 0 && len(parts[0].headings) > 0 {
		return parts[0].headings[0]
	}
	return name
}
