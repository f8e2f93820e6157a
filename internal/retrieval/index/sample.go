package index

import (
	"encoding/binary"
	"math/bits"

	"github.com/hippo-memory/hippo"
)

// The cosines of a large scope are described by those of some documents, so that a search in a project need not read the vectors of all others.
// They are chosen by their IDs: the same ones in every index of the store, whatever its segments.
const (
	// wholeSample is the number of documents up to which all of them are the sample.
	wholeSample = 1 << 16
	// leastSample is about the least number of documents of a sample of a larger scope, and half of the most. The standard error of the mean of
	// 4,096 cosines is a sixty-fourth of their deviation.
	leastSample = 1 << 12
)

// sampling says which documents are the sample: those of one in 2^sampling.
type sampling int

// samplingOf returns the sampling of a scope of n live documents; 0: all of them.
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

// sampledDocs are the documents of a segment that are in a sample.
type sampledDocs struct {
	sampling
	docs docSet
}
