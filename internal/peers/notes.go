package peers

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/formats"
)

// maxDocument is the maximum size in bytes of a text that is split as a whole.
const maxDocument = 32 << 20

// content returns the whole text of a file.
func (f file) content() (text string, err error) {
	err = f.read(func(r *bufio.Reader) error {
		b, err := io.ReadAll(io.LimitReader(r, maxDocument+1))
		if err != nil {
			return err
		}
		if len(b) > maxDocument {
			return hippo.Fieldf("file", "must be at most %d bytes", maxDocument)
		}
		text = strings.ToValidUTF8(string(b), "\ufffd")
		return nil
	})
	return text, err
}

// project returns the project of the memories of a file.
func (f file) project() string {
	if f.options.Project == "" && f.options.Identify != nil {
		return f.options.Identify(filepath.Dir(f.path))
	}
	return f.options.Project
}

// uri returns where a file is.
func (f file) uri() string {
	if full, err := filepath.Abs(f.path); err == nil {
		return filepath.ToSlash(full)
	}
	return filepath.ToSlash(f.path)
}

// openNotes reads a file such as MEMORY.md: a memory for each list item and for each text
// between lists, with the headings above it as its situation.
func openNotes(f file) (*formats.Source, error) {
	return formats.NewSource(KindNotes, func(out *formats.Out) error {
		text, err := f.content()
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
	}), nil
}
