package cnn

import "github.com/hippo-memory/hippo/internal/retrieval/embed/window"

// Long texts are divided into windows, as the network was trained with sentences.
const (
	// windowTokens is the largest number of tokens of a window, special ones excluded.
	windowTokens = 128
	// overlap is the number of tokens that a window shares with the one before.
	overlap = windowTokens / 8
	// batchTokens is the number of tokens in a forward pass. More hardly raise the speed;
	// with fewer, more of the time goes into reading the weights.
	batchTokens = 256
)

// size returns the number of tokens of a window with the special ones.
func size(w *window.Window) int { return len(w.IDs) + 2 }

// windows appends the windows of a text; none if it has no known token, as its vector
// would mean nothing.
func windows(dst []window.Window, text int, ids []int32) []window.Window {
	known := false
	for _, id := range ids {
		known = known || id != unknownToken
	}
	if !known {
		return dst
	}
	for at, done := 0, 0; done < len(ids); at += windowTokens - overlap {
		end := min(at+windowTokens, len(ids))
		dst = append(dst, window.Window{Text: text, Added: end - done, IDs: ids[at:end]})
		done = end
	}
	return dst
}

// batches divides windows into groups of up to batchTokens tokens, or of one window.
func batches(ws []window.Window) [][]window.Window {
	var out [][]window.Window
	for len(ws) > 0 {
		n, tokens := 1, size(&ws[0])
		for n < len(ws) && tokens+size(&ws[n]) <= batchTokens {
			tokens += size(&ws[n])
			n++
		}
		out, ws = append(out, ws[:n]), ws[n:]
	}
	return out
}
