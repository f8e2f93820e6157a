package symbols

import (
	"bytes"
	"sort"
)

// lines holds where the lines of a source begin.
type lines []uint32

func linesOf(src []byte) lines {
	out := make(lines, 1, 64+len(src)/24)
	for i := 0; ; i++ {
		n := bytes.IndexByte(src[i:], '\n')
		if n < 0 {
			return out
		}
		i += n
		out = append(out, uint32(i)+1)
	}
}

// at returns the line of a byte, from 1.
func (l lines) at(at uint32) int {
	return sort.Search(len(l), func(i int) bool { return l[i] > at })
}

// after returns the line of a byte that is not before line.
func (l lines) after(line int, at uint32) int {
	for line < len(l) && l[line] <= at {
		if line+8 < len(l) && l[line+8] <= at {
			return l.at(at)
		}
		line++
	}
	return line
}
