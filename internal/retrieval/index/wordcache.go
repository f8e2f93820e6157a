package index

import (
	"encoding/binary"
	"hash/maphash"
	"math"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/detect"
)

// wordCache maps words to their terms and word pieces. It is a hash table with open addressing over
// one run of bytes: it is compact, a lookup reads two cache lines, and the garbage collector need not
// look into it.
type wordCache struct {
	seed    maphash.Seed
	slots   []slot // a power of two of them, at most half of them taken
	entries []byte // see [cachedWord]
	words   int    // in the cache
}

// slot is empty if at is 0.
type slot struct {
	hash uint32
	at   uint32 // offset of the entry plus 1
}

// cachedWord is an entry: the lengths of word, terms and word pieces, a byte each, the hint for a
// language, four bytes, and then these themselves, four bytes for a term and two for a word piece.
type cachedWord []byte

// cachedHead is the length of what comes before the word.
const cachedHead = 3 + 4

// hint returns the hint at the language of the word.
func (e cachedWord) hint() detect.Hint {
	return detect.Hint(binary.LittleEndian.Uint32(e[3:]))
}

const (
	// maxCachedWord is the length in bytes of the longest word that is cached: longer ones are
	// paths and keys, which rarely occur again.
	maxCachedWord = 32
	// maxCachedWords bounds a cache to about 12 MB.
	maxCachedWords = 1 << 18
	minSlots       = 1 << 8
)

func newWordCache() wordCache {
	c := wordCache{seed: maphash.MakeSeed()}
	c.resize(minSlots)
	return c
}

func (c *wordCache) full() bool { return c.words >= maxCachedWords }

func (c *wordCache) hash(word string) uint32 { return uint32(maphash.String(c.seed, word)) }

// find returns the entry of a word of this hash.
func (c *wordCache) find(hash uint32, word string) (cachedWord, bool) {
	mask := uint32(len(c.slots) - 1)
	for i := hash & mask; c.slots[i].at != 0; i = (i + 1) & mask {
		if c.slots[i].hash != hash {
			continue
		}
		if e := cachedWord(c.entries[c.slots[i].at-1:]); string(e[cachedHead:cachedHead+int(e[0])]) == word {
			return e, true
		}
	}
	return nil, false
}

// appendTo appends the terms and the word pieces of an entry.
func (e cachedWord) appendTo(terms []uint32, pieces []int32) (t []uint32, p []int32) {
	from := cachedHead + int(e[0])
	to := from + 4*int(e[1])
	for b := e[from:to]; len(b) > 0; b = b[4:] {
		terms = append(terms, binary.LittleEndian.Uint32(b))
	}
	for b := e[to : to+2*int(e[2])]; len(b) > 0; b = b[2:] {
		pieces = append(pieces, int32(binary.LittleEndian.Uint16(b)))
	}
	return terms, pieces
}

// add adds a word of this hash that is not in the cache, if there is room.
func (c *wordCache) add(hash uint32, word string, hint detect.Hint, terms []uint32, pieces []int32) {
	if c.full() || len(terms) > math.MaxUint8 || len(pieces) > math.MaxUint8 {
		return
	}
	if c.words++; 2*c.words > len(c.slots) {
		c.resize(2 * len(c.slots))
	}
	c.place(slot{hash, uint32(len(c.entries)) + 1})
	c.entries = append(c.entries, byte(len(word)), byte(len(terms)), byte(len(pieces)))
	c.entries = binary.LittleEndian.AppendUint32(c.entries, uint32(hint))
	c.entries = append(c.entries, word...)
	for _, id := range terms {
		c.entries = binary.LittleEndian.AppendUint32(c.entries, id)
	}
	for _, p := range pieces {
		c.entries = binary.LittleEndian.AppendUint16(c.entries, uint16(p))
	}
}

// resize moves the slots to a larger table.
func (c *wordCache) resize(n int) {
	old := c.slots
	c.slots = make([]slot, n)
	for _, s := range old {
		if s.at != 0 {
			c.place(s)
		}
	}
}

// place puts a slot into the table.
func (c *wordCache) place(s slot) {
	mask := uint32(len(c.slots) - 1)
	i := s.hash & mask
	for c.slots[i].at != 0 {
		i = (i + 1) & mask
	}
	c.slots[i] = s
}
