package index

import (
	"encoding/binary"
	"math/bits"

	"github.com/hippo-memory/hippo"
)

// In a large scope, the mean and the deviation of the cosines are estimated from a sample of its documents, so that a search in one project does not
// read the vectors of all others. The sample depends on IDs alone: every index of a store draws the same one, whatever its segments.
const (
	// wholeSample is the largest scope that is read as a whole.
	wholeSample = 1 << 16
	// leastSample is the approximate minimum size of a sample, and half of the maximum. The mean of 4,096 cosines has a standard error of
	// 1/64 of their deviation.
	leastSample = 1 << 12
)

// sampling is the binary logarithm of the sampling interval: the sample has one in 2^sampling documents.
type sampling int

// samplingOf returns the sampling for a scope of n live documents. 0 means all of them.
func samplingOf(n int) sampling {
	if n <= wholeSample {
		return 0
	}
	return sampling(bits.Len(uint(n/leastSample)) - 1)
}

// has reports whether a memory is in the sample.
func (s sampling) has(id *hippo.ID) bool {
	const a, b = 0xbf58476d1ce4e5b9, 0x94d049bb133111eb // the mixer of SplitMix64
	x := binary.BigEndian.Uint64(id[8:]) ^ bits.RotateLeft64(binary.BigEndian.Uint64(id[:]), 32)
	x = (x ^ x>>30) * a
	x = (x ^ x>>27) * b
	x ^= x >> 31
	return x>>(64-s) == 0
}

// sampledDocs are the sampled documents of a segment.
type sampledDocs struct {
	sampling
	docs docSet
}
