package token

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/hippo-memory/hippo"
)

// HashVocab is a vocabulary that is read in place. Its parts are little-endian:
//
//	slots  uint16 each, a power of two of them: 1 + the ID of a token; 0 is empty
//	ends   uint32 each: the offset in texts where the text of a token ends
//	texts  the tokens in the order of their IDs, one after the other
//
// slots is a hash table with linear probing: a token is in the first free slot at or after
// its FNV-1a hash (32 bits) modulo the number of slots.
type HashVocab struct{ slots, ends, texts []byte }

// MaxHashTokens is the largest number of tokens of a [HashVocab].
const MaxHashTokens = 1<<16 - 2

// NewHashVocab returns the vocabulary in these bytes, which it keeps and never changes. The
// error is [hippo.ErrCorrupt]; slots are not checked, because lookups rely on nothing in them.
// Cost: 15 us for 30,000 tokens.
func NewHashVocab(slots, ends, texts []byte) (*HashVocab, error) {
	n := len(slots) / 2
	if bits.OnesCount(uint(n)) != 1 || n > 1<<20 || len(ends) > 4*MaxHashTokens {
		return nil, fmt.Errorf("%w: vocabulary: %d tokens in %d slots", hippo.ErrCorrupt, len(ends)/4, n)
	}
	last := uint32(0)
	for at := 0; at+4 <= len(ends); at += 4 {
		end := binary.LittleEndian.Uint32(ends[at:])
		if end < last || end > uint32(len(texts)) {
			return nil, fmt.Errorf("%w: vocabulary: section ends is not in order", hippo.ErrCorrupt)
		}
		last = end
	}
	return &HashVocab{slots, ends, texts}, nil
}

// ID implements [Vocab].
func (v *HashVocab) ID(token []byte) (int32, bool) {
	mask := uint32(len(v.slots)/2 - 1)
	h := uint32(2166136261)
	for _, b := range token {
		h = (h ^ uint32(b)) * 16777619
	}
	for i := range mask + 1 {
		n := int32(binary.LittleEndian.Uint16(v.slots[2*((h+i)&mask):]))
		if n == 0 {
			break
		}
		if id := n - 1; int(id) < len(v.ends)/4 && string(v.text(id)) == string(token) {
			return id, true
		}
	}
	return 0, false
}

// text returns the text of a token.
func (v *HashVocab) text(id int32) []byte {
	from := uint32(0)
	if id > 0 {
		from = binary.LittleEndian.Uint32(v.ends[4*(id-1):])
	}
	return v.texts[from:binary.LittleEndian.Uint32(v.ends[4*id:])]
}
