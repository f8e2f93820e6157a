// Package document finds the sections of documents and configurations that are no programs: headings
// of Markdown, tables of TOML, keys of YAML. It is pure.
package document

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// maxSections bounds the sections of a file; what follows belongs to the last one.
const maxSections = 2000

// Parse returns the sections of a document by the suffix of its name; not ok: it is none.
func Parse(name string, text []byte) (f syntax.File, ok bool) {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdx":
		return markdown(text), true
	case ".toml", ".ini", ".cfg":
		return keyed("toml", text, regexp.MustCompile(`^\[+\s*([^\]]+?)\s*\]+`)), true
	case ".yaml", ".yml":
		return keyed("yaml", text, regexp.MustCompile(`^["']?([A-Za-z_$][^\s:"']*)["']?\s*:(?:\s|$)`)), true
	default:
		return f, false
	}
}

// line is a line of a text, without its end, and where it is.
type line struct {
	text   []byte
	at     int
	number int
}

func lines(text []byte) (list []line) {
	at := 0
	for l := range bytes.Lines(text) {
		list = append(list, line{bytes.TrimRight(l, "\r\n"), at, len(list) + 1})
		at += len(l)
	}
	return list
}

// outline builds the symbols of sections that end where the next one of their level begins.
type outline struct {
	symbols []syntax.Symbol
	levels  []int
	open    []int // those that have not ended, the outermost first
}

func (o *outline) add(name string, level int, l line) {
	o.end(level, l.at, l.number-1)
	parent := -1
	qualified := name
	if n := len(o.open); n > 0 {
		parent = o.open[n-1]
		qualified = o.symbols[parent].Qualified + "." + name
	}
	o.open = append(o.open, len(o.symbols))
	o.levels = append(o.levels, level)
	o.symbols = append(o.symbols, syntax.Symbol{
		Name: name, Qualified: qualified, Kind: syntax.Section, Signature: strings.TrimSpace(string(l.text)), Parent: parent,
		Range: syntax.Range{From: l.at, First: l.number}, NameAt: syntax.Range{From: l.at, Until: l.at + len(l.text), First: l.number, Last: l.number},
	})
}

// end ends the sections of a level and below.
func (o *outline) end(level, at, last int) {
	for n := len(o.open); n > 0 && o.levels[o.open[n-1]] >= level; n = len(o.open) {
		r := &o.symbols[o.open[n-1]].Range
		r.Until, r.Last = at, last
		o.open = o.open[:n-1]
	}
}

// maxIndent is how many spaces may stand before a heading or a fence of Markdown: what has more is code. See section 4.4 of CommonMark 0.31.
const maxIndent = 3

func markdown(text []byte) syntax.File {
	var o outline
	fence := ""
	list := lines(text)
	for _, l := range list {
		t := strings.TrimLeft(string(l.text), " ")
		if len(l.text)-len(t) > maxIndent {
			continue // code
		}
		if mark := fenceOf(t); mark != "" && (fence == "" || strings.HasPrefix(mark, fence)) {
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
			continue
		}
		level := len(t) - len(strings.TrimLeft(t, "#"))
		if fence != "" || level == 0 || level > 6 || len(t) == level || t[level] != ' ' || len(o.symbols) >= maxSections {
			continue
		}
		if name := strings.TrimSpace(strings.TrimRight(t[level:], "# ")); name != "" {
			o.add(name, level, l)
		}
	}
	o.end(0, len(text), len(list))
	return syntax.File{Language: "markdown", Symbols: o.symbols}
}

// fenceOf returns the mark that begins or ends a block of code; empty: the line does neither.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// keyed finds sections that begin with a line of a form.
func keyed(language string, text []byte, form *regexp.Regexp) syntax.File {
	var o outline
	list := lines(text)
	for _, l := range list {
		if m := form.FindSubmatch(l.text); m != nil && len(o.symbols) < maxSections {
			o.add(string(m[1]), 1, l)
		}
	}
	o.end(0, len(text), len(list))
	return syntax.File{Language: language, Symbols: o.symbols}
}
