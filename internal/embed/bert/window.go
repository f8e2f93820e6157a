package bert

import (
	"slices"

	"github.com/hippo-memory/hippo/internal/embed/token"
)

// window is a sequence for the encoder: a text, or a part of a long one.
type window struct {
	// text is its index in the request.
	text int
	// fresh is how many of its tokens no window before had.
	fresh int
	// ids are its tokens, with the prefix and the special ones.
	ids []int32
}

// frame says how texts become windows.
type frame struct {
	tokens token.Tokenizer
	// first and last are the tokens around each window; negative: none.
	first, last int32
	// size is the most tokens of a window.
	size int
}

func newFrame(t token.Tokenizer, size int) frame {
	special := t.Special()
	return frame{tokens: t, first: special.First, last: special.Last, size: size}
}

// windows appends the windows of a text, at least one. Each begins with the
// tokens of the prefix; after it, windows overlap by an eighth.
func (f *frame) windows(dst []window, text int, prefix, body string) []window {
	lead := f.tokens.Encode(nil, prefix)
	ids := f.tokens.Encode(nil, prefix+body)
	// A tokenizer may join the end of the prefix with the text.
	lead = ids[:common(lead, ids)]
	ids = ids[len(lead):]
	room := f.room(len(lead))
	overlap := min(f.size/8, room/2)
	done := 0
	for at := 0; ; at += room - overlap {
		end := min(at+room, len(ids))
		dst = append(dst, window{text: text, fresh: end - done, ids: f.wrap(lead, ids[at:end])})
		if done = end; done == len(ids) {
			return dst
		}
	}
}

// room is how many tokens of a text fit in a window with a prefix of lead tokens.
func (f *frame) room(lead int) int {
	n := f.size - lead
	for _, id := range []int32{f.first, f.last} {
		if id >= 0 {
			n--
		}
	}
	return n
}

func (f *frame) wrap(lead, body []int32) []int32 {
	ids := make([]int32, 0, len(lead)+len(body)+2)
	if f.first >= 0 {
		ids = append(ids, f.first)
	}
	ids = append(append(ids, lead...), body...)
	if f.last >= 0 {
		ids = append(ids, f.last)
	}
	return ids
}

// common is how many elements a and b have in common at their beginnings.
func common(a, b []int32) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// batchTokens is how many tokens go through the encoder together. More hardly
// raise the speed; fewer leave more of it to read the weights.
const batchTokens = 256

// batches splits windows into groups of up to batchTokens tokens, or of one
// longer window; into more groups if there would be fewer than threads. Windows
// of similar length are together, the longest first.
func batches(ws []window, threads int) [][]int {
	order := make([]int, len(ws))
	total := 0
	for i, w := range ws {
		order[i] = i
		total += len(w.ids)
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(ws[b].ids) - len(ws[a].ids) })
	most := min(batchTokens, max(total/threads, batchTokens/8))
	var groups [][]int
	for i := 0; i < len(order); {
		n, from := len(ws[order[i]].ids), i
		for i++; i < len(order) && n+len(ws[order[i]].ids) <= most; i++ {
			n += len(ws[order[i]].ids)
		}
		groups = append(groups, order[from:i])
	}
	return groups
}
