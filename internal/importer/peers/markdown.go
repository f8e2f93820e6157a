package peers

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// section is a part of a Markdown text below one heading.
type section struct {
	headings []string // from the outermost to its own
	lines    []string // without the heading
	line     int      // of the first of lines, from 1
}

// sections splits a Markdown text at its headings. Headings inside of fenced code are text, and
// so is everything in a text without headings.
func sections(text string) []section {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	var out []section
	var above []string
	now := section{line: 1}
	var f fence
	end := func(next int) {
		if strings.TrimSpace(strings.Join(now.lines, "")) != "" {
			out = append(out, now)
		}
		now = section{headings: slices.Clone(above), line: next}
	}
	for i, line := range strings.Split(text, "\n") {
		if f.inside(line) {
			now.lines = append(now.lines, line)
			continue
		}
		if level, title := heading(line); level > 0 {
			above = append(above[:min(level-1, len(above))], title)
			end(i + 2)
			continue
		}
		if n := len(now.lines); n > 0 && underline(line) > 0 && isParagraph(now.lines[n-1]) && (n == 1 || strings.TrimSpace(now.lines[n-2]) == "") {
			title := strings.TrimSpace(now.lines[n-1])
			now.lines = now.lines[:n-1]
			above = append(above[:min(underline(line)-1, len(above))], title)
			end(i + 2)
			continue
		}
		now.lines = append(now.lines, line)
	}
	end(0)
	return out
}

// fence follows the fenced code of a text.
type fence struct{ mark string }

// inside takes the next line and reports whether it belongs to fenced code.
func (f *fence) inside(line string) bool {
	trimmed := strings.TrimLeft(line, " ")
	switch {
	case f.mark != "":
		if strings.HasPrefix(trimmed, f.mark) && strings.Trim(trimmed, f.mark[:1]+" \t") == "" {
			f.mark = ""
		}
		return true
	case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
		f.mark = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))]
		return true
	}
	return false
}

// heading returns the level and the title of a line that is a heading; 0 for another.
func heading(line string) (level int, title string) {
	trimmed := strings.TrimLeft(line, " ")
	level = len(trimmed) - len(strings.TrimLeft(trimmed, "#"))
	rest := trimmed[level:]
	if len(line)-len(trimmed) > 3 || level == 0 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	title = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#"))
	return level, title
}

// underline returns the level of the heading that a line underlines; 0 for none.
func underline(line string) int {
	line = strings.TrimRight(line, " \t")
	switch {
	case line != "" && strings.Trim(line, "=") == "":
		return 1
	case len(line) > 1 && strings.Trim(line, "-") == "":
		return 2
	}
	return 0
}

// isParagraph reports whether a line can be underlined.
func isParagraph(line string) bool {
	return strings.TrimSpace(line) != "" && !isItem(line) && !strings.HasPrefix(strings.TrimLeft(line, " "), ">")
}

// isItem reports whether a line begins a list item, nested or not.
func isItem(line string) bool { return itemLength(strings.TrimLeft(line, " \t")) > 0 }

// itemLength returns the length of the mark that a list item begins with; 0 for no item.
func itemLength(line string) int {
	n := 0
	switch {
	case line != "" && strings.Contains("-*+", line[:1]):
		n = 1
	default:
		for n < len(line) && n < 9 && line[n] >= '0' && line[n] <= '9' {
			n++
		}
		if n == 0 || n == len(line) || line[n] != '.' && line[n] != ')' {
			return 0
		}
		n++
	}
	if n >= len(line) || line[n] != ' ' && line[n] != '\t' {
		return 0
	}
	return len(line) - len(strings.TrimLeft(line[n:], " \t"))
}

// entry is a list item with what is below it, or the text between two lists.
type entry struct {
	text string
	line int
}

// entries splits the lines of a section into its outermost list items and the text between
// them. HTML comments and horizontal rules are no text.
func (s *section) entries() []entry {
	var out []entry
	var now []string
	at := s.line
	end := func(next int) {
		if text := strings.TrimSpace(blankLines(strings.Join(now, "\n"))); text != "" && strings.Trim(text, "-*_ \n") != "" {
			out = append(out, entry{text, at})
		}
		now, at = nil, next
	}
	var f fence
	inItem, comment := false, false
	for i, line := range s.lines {
		apart := inItem && strings.TrimSpace(line) != "" && line[0] != ' ' && line[0] != '\t' && strings.TrimSpace(now[len(now)-1]) == ""
		if !comment && f.inside(line) {
			if apart && len(now) > 0 && f.mark != "" {
				end(s.line + i)
				inItem = false
			}
			now = append(now, line)
			continue
		}
		line, comment = withoutComments(line, comment)
		n := itemLength(line)
		switch {
		case n > 0:
			end(s.line + i)
			inItem = true
			now = append(now, line[n:])
		case apart && strings.TrimSpace(line) != "":
			end(s.line + i)
			inItem = false
			now = append(now, line)
		case inItem:
			now = append(now, strings.TrimPrefix(strings.TrimPrefix(line, "  "), "  "))
		default:
			now = append(now, line)
		}
	}
	end(0)
	return out
}

// blankLines replaces several blank lines by one.
func blankLines(text string) string {
	for strings.Contains(text, "\n\n\n") {
		text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
	}
	return text
}

// withoutComments removes HTML comments from a line; inside says whether it begins in one.
func withoutComments(line string, inside bool) (string, bool) {
	var out strings.Builder
	for line != "" {
		if inside {
			_, rest, ok := strings.Cut(line, "-->")
			if !ok {
				return out.String(), true
			}
			line, inside = rest, false
			continue
		}
		before, rest, ok := strings.Cut(line, "<!--")
		out.WriteString(before)
		line, inside = rest, ok
	}
	return out.String(), inside
}

// isMarkdown reports whether a text is Markdown: by its headings, or else by its name.
func isMarkdown(name string, text []byte) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdx", ".mdc":
		return true
	case ".txt", ".text":
		return false
	}
	return len(sections(string(text))) > 1 || bytes.HasPrefix(text, []byte("# "))
}

// minItems is the share of the lines of notes that are list items.
const minItems = 0.5

// isNotes reports whether a text is a list of things to remember, and no document: it has the
// name of a file of instructions for agents, or half of its lines are list items.
func isNotes(name string, text []byte) bool {
	switch strings.ToUpper(path.Base(name)) {
	case "MEMORY.MD", "CLAUDE.MD", "CLAUDE.LOCAL.MD", "AGENTS.MD", "AGENT.MD", "GEMINI.MD", ".CURSORRULES", ".WINDSURFRULES", ".CLINERULES", ".RULES",
		"COPILOT-INSTRUCTIONS.MD", "GLOBAL_RULES.MD":
		return true
	}
	items, lines := 0, 0
	for _, s := range sections(string(text)) {
		var f fence
		for _, line := range s.lines {
			switch {
			case f.inside(line) || strings.TrimSpace(line) == "":
			case isItem(line):
				items++
				fallthrough
			case line[0] != ' ' && line[0] != '\t': // else it continues an item
				lines++
			}
		}
	}
	return items > 2 && float64(items) >= minItems*float64(lines)
}
