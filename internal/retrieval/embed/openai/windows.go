package openai

import (
	"context"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// minWindow is the shortest window in characters; a server that refuses one of that
	// length objects to something else.
	minWindow = 32
	// overlap is the fraction of a window that the next one repeats, so that a sentence at
	// a boundary is whole in one of them.
	overlap = 8
)

// windowed returns the vector of a text in windows of at most size characters, or of
// half as many for as long as the server refuses them. If it refuses all sizes, the
// error is that of the first.
func (c *Client) windowed(ctx context.Context, text string, size int) ([]float32, error) {
	var refusal error
	for ; size >= minWindow; size /= 2 {
		parts := split(text, size)
		vectors, err := c.batches(ctx, parts, false)
		switch {
		case err == nil:
			return mean(parts, vectors), nil
		case !isRefusal(err):
			return nil, err
		case refusal == nil:
			refusal = err
		}
	}
	return nil, refusal
}

// split returns overlapping windows of at most size characters of a text, which begin
// and end at white space where there is some nearby. None is only white space.
func split(text string, size int) []string {
	runes := []rune(text)
	var parts []string
	for start := 0; start < len(runes); {
		end := min(start+size, len(runes))
		if end < len(runes) {
			end = lastBreak(runes, start+size-size/4, end)
		}
		if part := string(runes[start:end]); strings.TrimSpace(part) != "" {
			parts = append(parts, part)
		}
		if end == len(runes) {
			break
		}
		start = lastBreak(runes, max(start+1, end-2*(size/overlap)), max(start+1, end-size/overlap))
	}
	return parts
}

// lastBreak returns the last position in (from, to] that follows white space, or to.
func lastBreak(runes []rune, from, to int) int {
	for i := to; i > from; i-- {
		if unicode.IsSpace(runes[i-1]) {
			return i
		}
	}
	return to
}

// mean returns the mean of unit vectors, each weighted by the length of its text, at
// length 1; zeros if they cancel out.
func mean(texts []string, vectors [][]float32) []float32 {
	sum := make([]float64, len(vectors[0]))
	for i, v := range vectors {
		weight := float64(utf8.RuneCountInString(texts[i]))
		for k, x := range v {
			sum[k] += weight * float64(x)
		}
	}
	square := 0.0
	for _, x := range sum {
		square += x * x
	}
	out := make([]float32, len(sum))
	for k, x := range sum {
		if square > 0 {
			out[k] = float32(x / math.Sqrt(square))
		}
	}
	return out
}
