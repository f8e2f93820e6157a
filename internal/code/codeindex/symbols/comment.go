package symbols

import (
	"bytes"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// A comment is a run of comments without an empty line between them.
type comment struct {
	from, until uint32
	reach       uint32 // until, or the end of the attributes behind it
}

// remark is the handler of a comment. One behind code on its line explains that code and begins a
// run of its own, which nothing below it takes for its documentation.
func remark(x *extractor, n int) {
	node := x.nodes[n]
	if adjacent(x, node.Start) && x.until > 0 {
		x.until, x.reach = node.End, node.End
		return
	}
	line := bytes.LastIndexByte(x.src[:node.Start], '\n') + 1
	if len(bytes.TrimSpace(x.src[line:node.Start])) > 0 {
		x.comment = comment{}
		return
	}
	x.comment = comment{from: node.Start, until: node.End, reach: node.End}
}

// adjacent reports whether nothing but one end of a line lies between the comments and a place.
func adjacent(x *extractor, at uint32) bool {
	if at < x.reach {
		return false
	}
	newlines := 0
	if x.reach > 0 && x.src[x.reach-1] == '\n' { // some grammars end comments there
		newlines++
	}
	for _, c := range x.src[x.reach:at] {
		switch c {
		case '\n':
			newlines++
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	return newlines <= 1
}

// docBefore returns the comments that end before a place.
func docBefore(x *extractor, at uint32) syntax.Range {
	if x.until == 0 || !adjacent(x, at) {
		return syntax.Range{}
	}
	return x.rangeOf(x.from, x.until)
}
