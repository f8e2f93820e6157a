package index

import (
	"iter"
	"math/bits"
	"unsafe"
)

// blobs are byte strings, one after the other.
type blobs struct {
	data []byte
	ends []uint32 // offsets, one more than there are strings
}

func newBlobs(strings, bytes int) blobs {
	b := blobs{data: make([]byte, 0, bytes), ends: make([]uint32, 1, strings+1)}
	return b
}

// len is the number of strings.
func (b *blobs) len() int { return max(0, len(b.ends)-1) }

// at returns the i-th string; the caller must not change it.
func (b *blobs) at(i int) []byte { return b.data[b.ends[i]:b.ends[i+1]] }

func (b *blobs) append(s []byte) {
	b.data = append(b.data, s...)
	b.end()
}

// end finishes a string whose bytes were appended to data.
func (b *blobs) end() { b.ends = append(b.ends, uint32(len(b.data))) }

// fixed are the types that files hold as they lie in memory: no pointers, no padding that
// matters. Files are written in the byte order of the machine; another order reads as a
// file of an unknown version.
type fixed interface {
	row | extra | use | successor | uint32 | uint64 | [2]uint32
}

// view returns bytes as values, without copying. The bytes are aligned to 8.
func view[T fixed](b []byte) []T {
	var t T
	n := len(b) / int(unsafe.Sizeof(t))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// bytesOf returns values as bytes, without copying.
func bytesOf[T fixed](list []T) []byte {
	var t T
	if len(list) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(t)))
}

// docRange are the documents from one number, inclusive, to another, exclusive.
type docRange struct{ from, to uint32 }

// docSet is a set of document numbers. Its length bounds them.
type docSet []uint64

func newDocSet(n int) docSet { return make(docSet, (n+63)/64) }

// emptied returns an empty set for n documents, in the room of another one if that is large enough.
func emptied(room docSet, n int) docSet {
	words := (n + 63) / 64
	if cap(room) < words {
		return newDocSet(n)
	}
	room = room[:words]
	clear(room)
	return room
}

// complement returns the set of those of n documents that are not in s.
func (s docSet) complement(n int) docSet {
	out := newDocSet(n)
	for i := range out {
		out[i] = lowBits(n-i*64) &^ s[i]
	}
	return out
}

func (s docSet) has(i uint32) bool { return s[i>>6]&(1<<(i&63)) != 0 }
func (s docSet) add(i uint32)      { s[i>>6] |= 1 << (i & 63) }

// addRange adds all of a range that is not empty.
func (s docSet) addRange(r docRange) {
	for i := r.from / 64; i <= (r.to-1)/64; i++ {
		s[i] |= lowBits(int(r.to)-int(i)*64) &^ lowBits(int(r.from)-int(i)*64)
	}
}

func (s docSet) remove(i uint32) { s[i>>6] &^= 1 << (i & 63) }

// all yields the members, ascending.
func (s docSet) all() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(uint32(i*64 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}

// count returns the size of a set.
func (s docSet) count() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// common counts the members that two sets of equal length have in common; nil stands for all.
func (s docSet) common(t docSet) int {
	if t == nil {
		return s.count()
	}
	n := 0
	for i, w := range s {
		n += bits.OnesCount64(w & t[i])
	}
	return n
}

// lowBits returns a word with the n lowest bits set, n from below 0 to above 64.
func lowBits(n int) uint64 {
	switch {
	case n <= 0:
		return 0
	case n >= 64:
		return ^uint64(0)
	default:
		return 1<<n - 1
	}
}
