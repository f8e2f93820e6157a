package peers

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// maxFrontMatter is the maximum size in bytes of the front matter of a note.
const maxFrontMatter = 64 << 10

// frontMatter returns the YAML between the lines "---" at the beginning of a note, and the
// text after it.
func frontMatter(text string) (yamlText, body string, ok bool) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", text, false
	}
	yamlText, body, ok = strings.Cut(rest, "\n---\n")
	if !ok {
		yamlText, ok = strings.CutSuffix(strings.TrimRight(rest, "\n"), "\n---")
		body = ""
	}
	if !ok || len(yamlText) > maxFrontMatter {
		return "", text, false
	}
	return yamlText, body, true
}

// metadataOf returns the values of a front matter.
func metadataOf(front string) (row, error) {
	meta := row{values: make(map[string]any), used: make(map[string]bool)}
	if err := yaml.Unmarshal([]byte(front), &meta.values); err != nil {
		return meta, fmt.Errorf("%w: front matter: %w", hippo.ErrCorrupt, err)
	}
	return meta, nil
}

// readFront returns the values of the front matter of a text, and what is after it. A program that puts one before a text that
// has one leaves two: the second adds what the first does not say.
func readFront(text string) (meta row, body string, err error) {
	front, body, ok := frontMatter(text)
	if meta, err = metadataOf(front); err != nil || !ok {
		return meta, body, err
	}
	front, rest, ok := frontMatter(strings.TrimLeft(body, "\n"))
	second, err := metadataOf(front)
	if !ok || err != nil || len(second.values) == 0 { // it is text between two horizontal rules
		return meta, body, nil
	}
	maps.Copy(second.values, meta.values)
	return second, rest, nil
}

// isBasicMemory recognises a note of basic-memory by its front matter, which has a permalink, or
// a title and a type.
func isBasicMemory(b []byte) bool {
	if !bytes.HasPrefix(bytes.TrimPrefix(b, []byte("\ufeff")), []byte("---")) {
		return false
	}
	y, _, ok := frontMatter(string(b))
	has := func(key string) bool { return strings.HasPrefix(y, key+":") || strings.Contains(y, "\n"+key+":") }
	return ok && (has("permalink") || has("title") && has("type"))
}

// openBasicMemory reads one note.
func openBasicMemory(f file) (*formats.Source, error) {
	return formats.NewSource(KindBasicMemory, func(out *formats.Out) error { return readBasicMemory([]file{f}, out) }), nil
}

// bmNote is a note of basic-memory.
type bmNote struct {
	file      file
	memory    *hippo.Memory
	keys      []string // its title, permalink and file name, by which others refer to it
	relations []bmRelation
}

type bmRelation struct{ kind, target string }

// readBasicMemory reads notes: each note and each of its observations becomes a memory, and its
// relations those of the note, if their target is one of the notes.
func readBasicMemory(files []file, out *formats.Out) error {
	var notes []bmNote
	byKey := make(map[string]hippo.ID)
	for _, f := range files {
		n, err := addNote(f, out)
		if err != nil {
			return err
		}
		if n.memory == nil {
			continue
		}
		for _, k := range n.keys {
			if _, taken := byKey[fold(k)]; !taken {
				byKey[fold(k)] = n.memory.ID
			}
		}
		notes = append(notes, bmNote{memory: &hippo.Memory{ID: n.memory.ID}, relations: n.relations})
	}
	for _, n := range notes {
		for _, r := range n.relations {
			relateKnown(out, n.memory.ID, byKey[fold(r.target)], hippo.Relation{Kind: r.kind, Weight: 1})
		}
	}
	return nil
}

// fold returns the form of a title in which links and titles are compared.
func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// addNote adds the memories of a note.
func addNote(f file, out *formats.Out) (n bmNote, err error) {
	err = f.whole(out, func(out *formats.Out) error {
		n, err = readNote(f, out)
		return err
	})
	return n, err
}

func readNote(f file, out *formats.Out) (n bmNote, err error) {
	text, err := f.content(out)
	if err != nil {
		return n, out.Memory(f.name, nil, err)
	}
	meta, body, err := readFront(text)
	if err != nil {
		return n, out.Memory(f.name, nil, err)
	}
	n = noteOf(f, meta)
	observations, prose := n.parse(body)
	n.memory.Content = prose
	if strings.TrimSpace(prose) == "" {
		n.memory.Content = n.keys[0]
	}
	if err := out.Memory(f.name, n.memory, nil); err != nil {
		return n, err
	}
	for _, o := range observations {
		o.CreatedAt, o.UpdatedAt, o.Project = n.memory.CreatedAt, n.memory.UpdatedAt, n.memory.Project
		o.Situation = append([]string{n.keys[0]}, o.Situation...)
		if err := out.Memory(f.name, o, nil); err != nil {
			return n, err
		}
		out.Relate(hippo.Relation{From: o.ID, To: n.memory.ID, Kind: kindAbout, Weight: 1})
	}
	return n, nil
}

// noteOf returns a note with what its front matter says.
func noteOf(f file, meta row) bmNote {
	stem := strings.TrimSuffix(path.Base(f.name), path.Ext(f.name))
	title, permalink := meta.text("title"), meta.text("permalink")
	if title == "" {
		title = stem
	}
	name := permalink
	if name == "" {
		name = strings.TrimSuffix(f.name, path.Ext(f.name))
	}
	m := formats.Imported("basic-memory", name)
	m.Type = meta.text("type")
	m.Tags = meta.texts("tags")
	m.Situation = []string{title}
	m.Project = f.options.Project
	created, modified := meta.time("created"), meta.time("modified")
	if created.IsZero() {
		created = f.modified
	}
	if modified.IsZero() {
		modified = f.modified
	}
	formats.SetTimes(m, created, modified)
	meta.keep(m)
	return bmNote{file: f, memory: m, keys: []string{title, name, stem}}
}

// parse splits the text of a note into its observations, its relations, and the rest.
func (n *bmNote) parse(body string) (observations []*hippo.Memory, prose string) {
	var rest []string
	var f fence
	for line := range strings.SplitSeq(strings.ReplaceAll(body, "\r\n", "\n"), "\n") {
		if f.inside(line) {
			rest = append(rest, line)
			continue
		}
		item := strings.TrimLeft(line, " \t")
		length := itemLength(item)
		text := strings.TrimSpace(item[length:])
		if length > 0 && n.relation(text) {
			continue
		}
		for _, target := range links(text) {
			n.relations = append(n.relations, bmRelation{"links_to", target})
		}
		if o := n.observation(text); length > 0 && o != nil {
			observations = append(observations, o)
			continue
		}
		rest = append(rest, line)
	}
	return observations, withoutEmptySections(strings.Join(rest, "\n"))
}

// withoutEmptySections removes headings that have nothing below them, such as those of the
// observations.
func withoutEmptySections(text string) string {
	var out []string
	for _, s := range sections(text) {
		if n := len(s.headings); n > 0 {
			out = append(out, strings.Repeat("#", n)+" "+s.headings[n-1])
		}
		out = append(out, strings.Trim(strings.Join(s.lines, "\n"), "\n"))
	}
	return strings.TrimSpace(strings.Join(out, "\n\n"))
}

// relation reads "kind [[Target]]", with the kind one word or quoted.
func (n *bmNote) relation(text string) bool {
	kind, rest, ok := strings.Cut(text, "[[")
	target, _, closed := strings.Cut(rest, "]]")
	kind = strings.TrimSpace(kind)
	if quoted := strings.Trim(kind, `"'`); len(quoted) < len(kind) {
		kind = quoted
	} else if strings.ContainsAny(kind, " \t") {
		return false
	}
	if !ok || !closed || kind == "" || target == "" {
		return false
	}
	n.relations = append(n.relations, bmRelation{kind, target})
	return true
}

// links returns the targets of the links in a text.
func links(text string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(text, "[[")
		target, after, closed := strings.Cut(rest, "]]")
		if !ok || !closed {
			return out
		}
		if target, _, _ = strings.Cut(target, "|"); strings.TrimSpace(target) != "" {
			out = append(out, target)
		}
		text = after
	}
}

// observation reads "[category] text #tag (context)"; nil for another text, such as a checkbox
// or a link.
func (n *bmNote) observation(text string) *hippo.Memory {
	category, rest, ok := strings.Cut(strings.TrimPrefix(text, "["), "]")
	if !strings.HasPrefix(text, "[") || !ok || strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "[") || strings.ContainsAny(category, "[()") {
		return nil
	}
	category, rest = strings.TrimSpace(category), strings.TrimSpace(rest)
	if category == "" || category == "x" || category == "-" || rest == "" {
		return nil
	}
	m := formats.Imported("basic-memory", n.keys[1]+"#"+category+"/"+rest)
	m.Type = category
	m.Content = rest
	if before, context, ok := strings.Cut(strings.TrimSuffix(rest, ")"), " ("); ok && strings.HasSuffix(rest, ")") && !strings.Contains(context, ")") {
		m.Situation = []string{context}
		m.Content = before
	}
	var words []string
	for w := range strings.FieldsSeq(m.Content) {
		if tag, ok := strings.CutPrefix(w, "#"); ok && tag != "" {
			m.Tags = append(m.Tags, tag)
			continue
		}
		words = append(words, w)
	}
	m.Content = strings.Join(words, " ")
	if m.Content == "" {
		return nil
	}
	return m
}
