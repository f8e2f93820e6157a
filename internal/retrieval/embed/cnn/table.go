package cnn

import "fmt"

// The table of piece vectors is compressed by residual product quantization: a vector is
// divided by its gain and mapped to another basis, in which its components are
// independent and sorted by what they contribute to sentence vectors. There it is cut into
// parts, each of which is the sum of a codeword of each level. The higher the level, the
// fewer are the first parts that have it; and the rarer the pieces, the fewer levels.
// Source: Jégou, Douze and Schmid, Product Quantization for Nearest Neighbor Search, 2011.
const (
	// parts is the largest number of parts, partDims the number of components of each.
	parts    = 64
	partDims = dimension / parts
	// words is the number of codewords of a part in a level.
	words = 256
)

// tier is a range of pieces with codes of equal length.
type tier struct {
	// Pieces is the ID after the last piece.
	Pieces int `json:"pieces"`
	// Parts are the numbers of parts with a code, by level.
	Parts []int `json:"parts"`
}

// size returns the number of bytes of a code.
func (t *tier) size() int {
	n := 0
	for _, p := range t.Parts {
		n += p
	}
	return n
}

// tiers are in the order of their pieces.
type tiers []tier

// check returns an error unless the pieces rise and every level has no more parts than the
// one below and than in the tier before.
func (ts tiers) check() error {
	if len(ts) == 0 || len(ts) > maxTiers || len(ts[0].Parts) > maxLevels {
		return fmt.Errorf("%d tiers, want 1 to %d of up to %d levels", len(ts), maxTiers, maxLevels)
	}
	last := lastToken
	for i, t := range ts {
		if t.Pieces <= last || t.Pieces > maxPieces || len(t.Parts) != len(ts[0].Parts) {
			return fmt.Errorf("tier %d has %d levels and ends with piece %d, want %d levels and a piece from %d to %d",
				i, len(t.Parts), t.Pieces, len(ts[0].Parts), last+1, maxPieces)
		}
		last = t.Pieces
		most := parts
		for level, n := range t.Parts {
			if i > 0 {
				most = min(most, ts[i-1].Parts[level])
			}
			if n < 0 || n > most {
				return fmt.Errorf("level %d of tier %d has %d parts, want 0 to %d", level, i, n, most)
			}
			most = n
		}
	}
	return nil
}

// pieces returns the number of all pieces.
func (ts tiers) pieces() int { return ts[len(ts)-1].Pieces }

// codes returns the number of bytes of all codes.
func (ts tiers) codes() int {
	n, from := 0, 0
	for i := range ts {
		n += (ts[i].Pieces - from) * ts[i].size()
		from = ts[i].Pieces
	}
	return n
}

// row sets dst to the vector of a piece in the basis of the codes.
func (f *file) row(dst []float32, id int32) {
	var sums [dimension]int32
	codes, from := f.codes, 0
	ts := f.head.Tiers
	for int(id) >= ts[0].Pieces {
		codes, from = codes[(ts[0].Pieces-from)*ts[0].size():], ts[0].Pieces
		ts = ts[1:]
	}
	codes = codes[(int(id)-from)*ts[0].size():]
	books := f.books
	for level, n := range ts[0].Parts {
		for i, code := range codes[:n] {
			word := books[(i*words+int(code))*partDims:][:partDims]
			sum := sums[i*partDims:][:partDims]
			for j, x := range word {
				sum[j] += int32(int8(x))
			}
		}
		codes, books = codes[n:], books[f.head.Tiers[0].Parts[level]*words*partDims:]
	}
	gain := number(f.scales, int(f.gains[id]))
	for i, x := range sums {
		dst[i] = gain * float32(x)
	}
}
