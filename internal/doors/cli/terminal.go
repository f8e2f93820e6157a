package cli

import (
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/hippo-memory/hippo/internal/base/termtext"
)

// standardWidth is the number of columns of a terminal that does not tell its own.
const standardWidth = 80

// pipeWidth is the number of columns of tables that no terminal shows.
const pipeWidth = 160

// width returns the number of columns of the output.
func width(s *shell) int {
	if !s.isTerminal(s.out) {
		return pipeWidth
	}
	if f, ok := s.out.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return max(n, standardWidth/2)
		}
	}
	return standardWidth
}

// bold and dim emphasise a text on a terminal that shows it; see https://no-color.org.
func bold(s *shell, text string) string { return styled(s, "1", text) }
func dim(s *shell, text string) string  { return styled(s, "2", text) }

func styled(s *shell, code, text string) string {
	if text == "" || !s.isTerminal(s.out) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// block shows a text below one another, indented, from the second line on with a mark, so that no
// line of it looks like one of the program. On a terminal its lines are wrapped.
func block(s *shell, text, indent string) string {
	mark := indent + termtext.Continuation
	text = termtext.Block(text, indent)
	if !s.isTerminal(s.out) {
		return text
	}
	room := width(s) - termtext.Width(mark)
	var out []string
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			line = strings.TrimPrefix(line, mark)
		}
		out = append(out, termtext.Wrap(line, room)...)
	}
	return strings.Join(out, "\n"+mark)
}
