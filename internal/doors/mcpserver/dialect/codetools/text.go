package codetools

import (
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/base/tokencount"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
)

const (
	// shownWidth is how much of a line is shown, in columns.
	shownWidth = 160
	// wholeText is a number of lines that no definition has.
	wholeText = 1 << 30
)

// page is a text for a model within a limit of tokens.
type page struct {
	blocks []string
	left   int
}

func newPage(tokens int) *page { return &page{left: tokens} }

// add adds a block of lines, and reports whether there was room: there is for the first one.
func (p *page) add(block string) bool {
	cost := tokencount.Of(block + "\n")
	if cost > p.left && len(p.blocks) > 0 {
		return false
	}
	p.left -= cost
	p.blocks = append(p.blocks, block)
	return true
}

// always adds lines for which there has to be room.
func (p *page) always(lines ...string) {
	for _, l := range lines {
		l = termtext.Line(l)
		p.left -= tokencount.Of(l + "\n")
		p.blocks = append(p.blocks, l)
	}
}

func (p *page) result(count int) d.Result {
	return d.Result{Text: strings.Join(p.blocks, "\n"), Count: count}
}

// clip returns a text of a file as a part of a line.
func clip(text string) string { return termtext.Clip(termtext.Line(text), shownWidth) }

// placed returns a line with what is to know of the file.
func placed(line string, fresh api.Freshness) string {
	line = termtext.Line(line)
	if fresh != api.CodeFresh {
		line += " [" + string(fresh) + "]"
	}
	return line
}

// quoted returns the first lines of a text that are not empty, each below the line before and with a mark: they come from a file
// and are no part of the answer.
func quoted(text string, lines int) string {
	var b strings.Builder
	n, more := 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n\t ")
		if line == "" && lines != wholeText {
			continue
		}
		if n == lines {
			more++
			continue
		}
		n++
		if lines != wholeText {
			line = termtext.Clip(strings.ReplaceAll(line, "\t", " "), shownWidth)
		}
		b.WriteString("\n" + termtext.Continuation + termtext.Block(line, ""))
	}
	if more > 0 {
		fmt.Fprintf(&b, "\n%s+%d lines", termtext.Continuation, more)
	}
	return b.String()
}

// signature is what a definition is shown as.
func signature(x *api.CodeSymbol) string {
	if x.Signature == "" {
		return clip(x.Kind + " " + x.Name)
	}
	return clip(x.Signature)
}

// definitionLine is the place and the signature of a definition.
func definitionLine(x *api.CodeSymbol) string {
	return placed(fmt.Sprintf("%s:%d %s", x.Path, x.First, signature(x)), x.Freshness)
}
