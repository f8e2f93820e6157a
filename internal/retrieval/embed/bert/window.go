package bert

import (
	"slices"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/token"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/window"
)

// splitter splits texts into windows.
type splitter struct {
	tokens token.Tokenizer
	// first and last are the tokens around each window; none if negative.
	first, last int32
	// size is the largest number of tokens in a window.
	size int
}

func newSplitter(t token.Tokenizer, size int) splitter {
	special := t.Special()
	return splitter{tokens: t, first: special.First, last: special.Last, size: size}
}

// windows appends the windows of a text, at least one. Each begins with the
// tokens of the prefix; after it, windows overlap by an eighth.
func (s *splitter) windows(dst []window.Window, text int, prefix, body string) []window.Window {
	start := s.tokens.Encode(nil, prefix)
	ids := s.tokens.Encode(nil, prefix+body)
	// A tokenizer may join the end of the prefix with the text.
	start = ids[:common(start, ids)]
	ids = ids[len(start):]
	room := s.room(len(start))
	overlap := min(s.size/8, room/2)
	done := 0
	for at := 0; ; at += room - overlap {
		end := min(at+room, len(ids))
		dst = append(dst, window.Window{Text: text, Added: end - done, IDs: s.wrap(start, ids[at:end])})
		if done = end; done == len(ids) {
			return dst
		}
	}
}

// room is the number of tokens of a text that fit in a window after a prefix.
func (s *splitter) room(prefix int) int {
	n := s.size - prefix
	for _, id := range []int32{s.first, s.last} {
		if id >= 0 {
			n--
		}
	}
	return n
}

func (s *splitter) wrap(prefix, body []int32) []int32 {
	ids := make([]int32, 0, len(prefix)+len(body)+2)
	if s.first >= 0 {
		ids = append(ids, s.first)
	}
	ids = append(append(ids, prefix...), body...)
	if s.last >= 0 {
		ids = append(ids, s.last)
	}
	return ids
}

// common is the length of the common prefix of a and b.
func common(a, b []int32) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// batchTokens is the number of tokens in a forward pass. More hardly raise the speed; with
// fewer, more of the time goes into reading the weights.
const batchTokens = 256

// batches splits windows into groups of up to batchTokens tokens, or of one
// longer window; into more groups if there would be fewer than threads. Windows
// of similar length are together, the longest first.
func batches(ws []window.Window, threads int) [][]int {
	order := make([]int, len(ws))
	total := 0
	for i, w := range ws {
		order[i] = i
		total += len(w.IDs)
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(ws[b].IDs) - len(ws[a].IDs) })
	most := min(batchTokens, max(total/threads, batchTokens/8))
	var groups [][]int
	for i := 0; i < len(order); {
		n, from := len(ws[order[i]].IDs), i
		for i++; i < len(order) && n+len(ws[order[i]].IDs) <= most; i++ {
			n += len(ws[order[i]].IDs)
		}
		groups = append(groups, order[from:i])
	}
	return groups
}
