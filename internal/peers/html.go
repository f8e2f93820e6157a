package peers

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/formats"
)

// isHTML reports whether a text is a page.
func isHTML(text []byte) bool {
	low := bytes.ToLower(text[:min(len(text), 1024)])
	return bytes.HasPrefix(low, []byte("<!doctype html")) || bytes.HasPrefix(low, []byte("<html")) ||
		bytes.HasPrefix(low, []byte("<")) && (bytes.Contains(low, []byte("<html")) || bytes.Contains(low, []byte("<body")))
}

// maxHTML is the maximum size in bytes of a page: its tree takes many times as much.
const maxHTML = 8 << 20

// openHTML reads a page as the Markdown of it, without its scripts, navigation and footers.
func openHTML(f file) (*formats.Source, error) {
	return formats.NewSource(KindHTML, func(out *formats.Out) error {
		text, err := f.content()
		if err == nil && len(text) > maxHTML {
			err = hippo.Fieldf("file", "must be at most %d bytes of HTML", maxHTML)
		}
		if err == nil {
			text, err = markdownOf(text)
		}
		if err != nil {
			return out.Memory(f.name, nil, err)
		}
		return addText(f, out, withoutLines(sections(text)))
	}), nil
}

// maxNesting is how deep the elements of a page may be nested: converting it is recursive.
const maxNesting = 2000

// markdownOf converts a page to Markdown.
func markdownOf(page string) (text string, err error) {
	if strings.Count(page, "<") > maxNesting && nestingOf(page) > maxNesting {
		return "", hippo.Fieldf("file", "must nest its elements at most %d deep", maxNesting)
	}
	c := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	for _, tag := range []string{"nav", "footer", "aside", "script", "style", "noscript", "template", "svg", "form"} {
		c.Register.TagType(tag, converter.TagTypeRemove, converter.PriorityEarly)
	}
	text, err = c.ConvertString(page)
	if err != nil {
		return "", fmt.Errorf("%w: HTML: %w", hippo.ErrCorrupt, err)
	}
	return text, nil
}

// nestingOf returns how many more elements are opened than closed, at most.
func nestingOf(page string) (deepest int) {
	depth := 0
	for i := 0; i+1 < len(page); i++ {
		if page[i] != '<' {
			continue
		}
		switch c := page[i+1]; {
		case c == '/':
			depth = max(0, depth-1)
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			depth++
		}
		deepest = max(deepest, depth)
	}
	return deepest
}

// withoutLines drops the lines of sections of a text that was converted: they are not those of
// the file.
func withoutLines(parts []section) []section {
	for i := range parts {
		parts[i].line = 0
	}
	return parts
}
