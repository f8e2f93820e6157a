package peers

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
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
		page, err := f.content(out)
		if err == nil && isChatViewer(page) {
			out.Skip("pages that show the conversations.json beside them", 1)
			return nil
		}
		if err == nil && len(page) > maxHTML {
			err = hippo.Fieldf("file", "must be at most %d bytes of HTML", maxHTML)
		}
		text := ""
		if err == nil {
			text, err = markdownOf(page)
		}
		if err != nil {
			return out.Memory(f.name, nil, err)
		}
		parts := withoutLines(sections(text))
		if len(parts) == 0 {
			out.Skip("pages without text", 1)
			return nil
		}
		d := documentOf(f, firstHeading(titleOf(page), parts))
		return d.add(out, f.name, parts)
	}), nil
}

// isChatViewer reports whether a page is the chat.html of a ChatGPT export, whose script holds the conversations again.
func isChatViewer(page string) bool {
	return titleOf(page) == "ChatGPT Data Export" && strings.Contains(page, "var jsonData")
}

// titleOf returns the title that a page has for the window; empty if it has none.
func titleOf(page string) string {
	found := regexp.MustCompile(`(?is)<title[^>]*>([^<]*)`).FindStringSubmatch(page[:min(len(page), SniffLength)])
	if found == nil {
		return ""
	}
	return strings.Join(strings.Fields(html.UnescapeString(found[1])), " ")
}

// markdownOf converts a page to Markdown. The parser refuses elements that are nested deeper than
// 512, so that the conversion, which is recursive, has a limit.
func markdownOf(page string) (text string, err error) {
	c := converter.NewConverter(
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()),
		converter.WithEscapeMode(converter.EscapeModeDisabled), // nothing renders it, and an escape splits a word for the index
	)
	for _, tag := range []string{"nav", "footer", "aside", "script", "style", "noscript", "template", "svg", "form"} {
		c.Register.TagType(tag, converter.TagTypeRemove, converter.PriorityEarly)
	}
	text, err = c.ConvertString(page)
	if err != nil {
		return "", fmt.Errorf("%w: HTML: %w", hippo.ErrCorrupt, err)
	}
	return text, nil
}

// withoutLines drops the lines of sections of a text that was converted: they are not those of
// the file.
func withoutLines(parts []section) []section {
	for i := range parts {
		parts[i].line = 0
	}
	return parts
}
