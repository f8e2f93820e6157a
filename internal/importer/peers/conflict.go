package peers

import (
	"strings"

	"github.com/hippo-memory/hippo"
)

// ConflictMark reports whether a line is one of those that Git writes around the two sides of a conflict.
func ConflictMark(line string) bool { return conflictMark(line) != 0 }

// conflictMark returns which mark of a conflict a line is: '<', '=' or '>'; 0 for other lines.
func conflictMark(line string) byte {
	const size = 7
	line = strings.TrimRight(line, "\r\n")
	if len(line) < size || !strings.Contains("<=>", line[:1]) || strings.Count(line[:size], line[:1]) != size {
		return 0
	}
	if rest := line[size:]; rest != "" && (line[0] == '=' || rest[0] != ' ') {
		return 0
	}
	return line[0]
}

// Conflict returns the error of a text with a conflict that Git has left and nobody has resolved. Examples in fenced code
// are none, and neither is one mark alone: it may underline a heading.
func Conflict(text string) error {
	var f fence
	begin, next, number := 0, byte('<'), 0
	for line := range strings.Lines(text) {
		number++
		switch mark := conflictMark(line); {
		case next == '<' && f.inside(strings.TrimRight(line, "\r\n")) || mark == 0:
		case mark == '<':
			begin, next = number, '='
		case mark == '=' && next == '=':
			next = '>'
		case mark == '>' && next == '>':
			return UnresolvedAt(begin)
		}
	}
	return nil
}

// UnresolvedAt is the error of a text with a mark of a conflict in a line.
func UnresolvedAt(line int) error {
	return hippo.Fieldf("file", "has a merge conflict of Git in line %d: resolve it first, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>", line)
}
