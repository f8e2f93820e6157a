package openai

import (
	"context"
	"errors"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"
)

const (
	// longest is how many characters the first pieces have of a text that is too
	// long: as many as the 8,192 tokens that few models exceed.
	longest = 32 << 10
	// shortest is how long a piece is at least; a server that finds that too much
	// text complains of something else.
	shortest = 32
	// overlap is the share of a piece that the next one repeats, so that what is
	// said at a cut is whole in one of them.
	overlap = 8
)

// job embeds the texts of a call.
type job struct {
	c      *Client
	prefix string
	// whole says that texts are not cut in pieces, because they are such.
	whole bool
}

func (c *Client) texts(prefix string) job { return job{c: c, prefix: prefix} }

// embed returns the vectors of texts, in as many requests as it takes.
func (j job) embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := j.next(texts)
		var vectors [][]float32
		var err error
		if n == 0 {
			n = 1
			vectors, err = j.pieces(ctx, texts[0], j.c.config.MaxRunes, nil)
		} else {
			vectors, err = j.batch(ctx, texts[:n])
		}
		if err != nil {
			return nil, err
		}
		out = append(out, vectors...)
		texts = texts[n:]
	}
	return out, nil
}

// next returns how many texts go in the next request: 0 if the first must be cut
// in pieces.
func (j job) next(texts []string) int {
	size, most := 0, int(j.c.most.Load())
	for i, t := range texts {
		if limit := j.c.config.MaxRunes; !j.whole && limit > 0 && len(t) > limit && utf8.RuneCountInString(t) > limit {
			return i
		}
		size += len(j.prefix) + len(t)
		if i > 0 && (i >= most || size > j.c.config.BatchBytes) {
			return i
		}
	}
	return len(texts)
}

// batch returns the vectors of texts that go in one request, or in halves if
// that is too large.
func (j job) batch(ctx context.Context, texts []string) ([][]float32, error) {
	inputs := make([]string, len(texts))
	for i, t := range texts {
		inputs[i] = j.prefix + t
	}
	vectors, err := j.c.request(ctx, inputs)
	f, ok := errors.AsType[*fault](err)
	if !ok || !f.long && !f.many {
		return vectors, err
	}
	if len(texts) == 1 {
		half := utf8.RuneCountInString(texts[0]) / 2
		if j.whole || !f.long || half < shortest {
			return nil, err
		}
		return j.pieces(ctx, texts[0], min(half, longest), err)
	}
	half := len(texts) / 2
	if f.many {
		j.c.lower(int64(half))
	}
	first, err := j.batch(ctx, texts[:half])
	if err != nil {
		return nil, err
	}
	second, err := j.batch(ctx, texts[half:])
	if err != nil {
		return nil, err
	}
	return append(first, second...), nil
}

// lower notes that the server takes no more than n texts in a request.
func (c *Client) lower(n int64) {
	for {
		most := c.most.Load()
		if n >= most || c.most.CompareAndSwap(most, n) {
			return
		}
	}
}

// pieces returns the vector of a text that is too long, made of pieces of at most
// size characters, or of half as many as long as the server finds those too long,
// too. If there is no way, the error is cause, or that of the smallest pieces.
func (j job) pieces(ctx context.Context, text string, size int, cause error) ([][]float32, error) {
	j.whole = true
	for {
		parts := cutText(text, size)
		vectors, err := j.embed(ctx, parts)
		if err == nil {
			return [][]float32{mean(parts, vectors)}, nil
		}
		f, ok := errors.AsType[*fault](err)
		if !ok || !f.long {
			return nil, err
		}
		if size /= 2; size < shortest {
			if cause == nil {
				cause = err
			}
			return nil, cause
		}
	}
}

// cutText cuts text into overlapping pieces of at most size characters, which
// begin and end at spaces where there are any nearby. None is only space.
func cutText(text string, size int) []string {
	size = max(size, 1)
	runes := []rune(text)
	var parts []string
	for start := 0; start < len(runes); {
		end := min(start+size, len(runes))
		if end < len(runes) {
			end = backToSpace(runes, start+size-size/4, end)
		}
		if piece := runes[start:end]; slices.ContainsFunc(piece, func(r rune) bool { return !unicode.IsSpace(r) }) {
			parts = append(parts, string(piece))
		}
		if end == len(runes) {
			break
		}
		start = backToSpace(runes, max(start+1, end-2*(size/overlap)), max(start+1, end-size/overlap))
	}
	return parts
}

// backToSpace returns the last position in (from, to] that a space is before, or to.
func backToSpace(runes []rune, from, to int) int {
	for i := to; i > from; i-- {
		if unicode.IsSpace(runes[i-1]) {
			return i
		}
	}
	return to
}

// mean returns the direction of the mean of vectors, each weighted with the
// length of its text: zeros if they cancel each other out.
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
	if square == 0 {
		return out
	}
	for k, x := range sum {
		out[k] = float32(x / math.Sqrt(square))
	}
	return out
}
