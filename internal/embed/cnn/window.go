package cnn

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

// window is a text, or a part of a long one.
type window struct {
	// text is its index in the request.
	text int
	// added is the number of its tokens that are not in the previous window of the text.
	added int
	// ids are its tokens, without the special ones around them.
	ids []int32
}

// size returns the number of tokens with the special ones.
func (w *window) size() int { return len(w.ids) + 2 }

// windows appends the windows of a text; none if it has no known token, as its vector
// would mean nothing.
func windows(dst []window, text int, ids []int32) []window {
	known := false
	for _, id := range ids {
		known = known || id != unknownToken
	}
	if !known {
		return dst
	}
	for at, done := 0, 0; done < len(ids); at += windowTokens - overlap {
		end := min(at+windowTokens, len(ids))
		dst = append(dst, window{text: text, added: end - done, ids: ids[at:end]})
		done = end
	}
	return dst
}

// batches divides windows into groups of up to batchTokens tokens, or of one window.
func batches(ws []window) [][]window {
	var out [][]window
	for len(ws) > 0 {
		n, tokens := 1, ws[0].size()
		for n < len(ws) && tokens+ws[n].size() <= batchTokens {
			tokens += ws[n].size()
			n++
		}
		out, ws = append(out, ws[:n]), ws[n:]
	}
	return out
}

// join returns the vectors of n texts: that of the only window, or the mean of those of all
// windows, weighted by their numbers of new tokens and scaled to length 1. A text without
// windows has a vector of zeros.
func join(n int, ws []window, vectors [][]float32) [][]float32 {
	out := make([][]float32, n)
	for len(ws) > 0 {
		k := 1
		for k < len(ws) && ws[k].text == ws[0].text {
			k++
		}
		v := vectors[0]
		if k > 1 {
			v = mean(ws[:k], vectors[:k])
		}
		out[ws[0].text] = v
		ws, vectors = ws[k:], vectors[k:]
	}
	for i, v := range out {
		if v == nil {
			out[i] = make([]float32, dimension)
		}
	}
	return out
}

func mean(ws []window, vectors [][]float32) []float32 {
	sum := make([]float32, dimension)
	for i, w := range ws {
		for d, x := range vectors[i] {
			sum[d] += float32(w.added) * x
		}
	}
	unit(sum)
	return sum
}
