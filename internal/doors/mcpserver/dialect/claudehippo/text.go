package claudehippo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
)

// linesOf returns the lines of a text without their ends. What ends with a line break has no empty line after it.
func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// numbered writes lines with their numbers, which begin with first.
func numbered(lines []string, first int) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%6d\t%s", first+i, line)
	}
	return b.String()
}

// view writes the lines of a range, the first and the last; none is all of them, and -1 the last line of the file.
func (f *file) view(bounds []int) (string, error) {
	lines := linesOf(f.text)
	from, to := 1, len(lines)
	if bounds != nil {
		if len(bounds) != 2 { //nolint:mnd // a range
			return "", hippo.Fieldf("view_range", "must be two numbers of lines, such as [1,10], got %d", len(bounds))
		}
		if from = bounds[0]; bounds[1] != -1 {
			to = min(bounds[1], to)
		}
		if from < 1 || from > max(1, len(lines)) || bounds[1] != -1 && bounds[1] < from {
			return "", refusef("Error: Invalid `view_range` parameter: [%d, %d]. It should be within the range of lines of the file: [1, %d]", bounds[0], bounds[1], len(lines))
		}
	}
	return fmt.Sprintf("Here's the content of %s with line numbers:\n%s", f.path, numbered(lines[from-1:max(to, from-1)], from)), nil
}

// replace replaces the one occurrence of a text. It returns the new text and the first and last line that differ.
func (f *file) replace(old, by string) (changed string, first, last int, err error) {
	var at []int
	for from := 0; ; {
		i := strings.Index(f.text[from:], old)
		if i < 0 {
			break
		}
		at = append(at, from+i)
		from += i + 1 // those that overlap are several, too
	}
	switch len(at) {
	case 0:
		return "", 0, 0, refusef("No replacement was performed, old_str `%s` did not appear verbatim in %s.", old, f.path)
	case 1:
	default:
		return "", 0, 0, refusef("No replacement was performed. Multiple occurrences of old_str `%s` in lines: %s. Please ensure it is unique", old, f.linesAt(at))
	}
	first = strings.Count(f.text[:at[0]], "\n") + 1
	return f.text[:at[0]] + by + f.text[at[0]+len(old):], first, first + strings.Count(by, "\n"), nil
}

// linesAt returns the numbers of the lines at some places, each once.
func (f *file) linesAt(places []int) string {
	var list []string
	for _, at := range places {
		list = append(list, strconv.Itoa(strings.Count(f.text[:at], "\n")+1))
	}
	return strings.Join(slices.Compact(list), ", ")
}

// shownLines is how many lines a snippet has before and after those that changed.
const shownLines = 4

// snippet shows lines of a text with their surroundings.
func snippet(text string, first, last int) string {
	lines := linesOf(text)
	from, to := max(first-shownLines, 1), min(last+shownLines, len(lines))
	return numbered(lines[from-1:max(to, from-1)], from)
}

// insert returns the text with another one after a line, which has lines of its own.
func (f *file) insert(line int, text string) (string, error) {
	lines := linesOf(f.text)
	if line < 0 || line > len(lines) {
		return "", refusef("Error: Invalid `insert_line` parameter: %d. It should be within the range of lines of the file: [0, %d]", line, len(lines))
	}
	at := 0
	for _, l := range lines[:line] {
		at += len(l) + 1
	}
	before, after := f.text[:min(at, len(f.text))], f.text[min(at, len(f.text)):]
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += "\n"
	}
	if after != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return before + text + after, nil
}
