package peers

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// maxDocument is the maximum size in bytes of a text that is split as a whole.
const maxDocument = 32 << 20

// content returns the whole text of a file, without what Hippo wrote into it. A text with a conflict of Git is refused.
func (f file) content(out *formats.Out) (text string, err error) {
	err = f.read(func(r *bufio.Reader) error {
		b, err := io.ReadAll(io.LimitReader(r, maxDocument+1))
		if err != nil {
			return err
		}
		if len(b) > maxDocument {
			return hippo.Fieldf("file", "must be at most %d bytes", maxDocument)
		}
		text = strings.ToValidUTF8(string(b), "\ufffd")
		if err := Conflict(text); err != nil {
			return err
		}
		text = withoutOwn(text, out)
		return nil
	})
	return text, err
}

// withoutOwn removes the lines between the marks of hippo setup and hippo sync-file: guidance, and
// memories that are here already. The blocks leave blank lines, so that the numbers of lines stay.
func withoutOwn(text string, out *formats.Out) string {
	const mark = "<!-- hippo:"
	if !strings.Contains(text, mark) {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	begin := -1 // of the block that is open
	for i := 0; i < len(lines); i++ {
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(lines[i]), mark), " ")
		switch {
		case !strings.HasPrefix(lines[i], mark):
		case begin < 0 && strings.HasSuffix(name, "begin"):
			begin = i
		case begin >= 0 && strings.HasSuffix(name, "end"):
			for ; !strings.Contains(lines[i], "-->") && i+1 < len(lines); i++ {
			}
			for j := begin; j <= i; j++ {
				lines[j] = lines[j][len(strings.TrimRight(lines[j], "\r\n")):]
			}
			out.Skip("blocks that hippo wrote into the file", 1)
			begin = -1
		}
	}
	return strings.Join(lines, "")
}

// project returns the project of the memories of a file.
func (f file) project() string {
	if f.options.Project == "" && f.options.Identify != nil && f.options.URI == "" {
		return f.options.Identify(filepath.Dir(f.path))
	}
	return f.options.Project
}

// uri returns where a file is.
func (f file) uri() string {
	if f.options.URI != "" {
		return f.options.URI
	}
	if full, err := filepath.Abs(f.path); err == nil {
		return filepath.ToSlash(full)
	}
	return filepath.ToSlash(f.path)
}

// whole calls read, which reads all of the file; see [formats.Out.InFile]. A stream is no file: it may say another thing each time.
func (f file) whole(out *formats.Out, read func(*formats.Out) error) error {
	name := f.uri()
	if f.options.URI != "" || f.path == "" {
		name = ""
	}
	return out.InFile(name, func() error { return read(out) })
}

// openNotes reads a file such as MEMORY.md: a memory for each list item and for each text
// between lists, with the headings above it as its situation.
func openNotes(f file) (*formats.Source, error) {
	return formats.NewSource(KindNotes, func(out *formats.Out) error {
		return f.whole(out, func(out *formats.Out) error { return readNotes(f, out) })
	}), nil
}

func readNotes(f file, out *formats.Out) error {
	text, err := f.content(out)
	if err != nil {
		return out.Memory(f.name, nil, err)
	}
	project := f.project()
	for _, s := range sections(text) {
		for _, e := range s.entries() {
			if strings.HasSuffix(e.text, ":") && !strings.Contains(e.text, "\n") {
				out.Skip("lines that introduce a list", 1)
				continue
			}
			m := formats.Imported("notes", strings.Join([]string{project, strings.Join(s.headings, " > "), e.text}, "\n"))
			m.Content, m.Situation, m.Project = e.text, s.headings, project
			m.Type = "note"
			m.Source.URI = f.uri()
			m.CreatedAt = f.modified
			if err := out.Memory(fmt.Sprintf("line %d", e.line), m, nil); err != nil {
				return err
			}
		}
	}
	return nil
}
