package token

import "encoding/binary"

// trie is a double-array trie from keys, which are bytes without zeros, to numbers below
// 2^31. It is read in place, 4 bytes a unit, little-endian. The layout of a unit is that of
// the Darts-clone library: the label of a node in bits 0 to 7, whether a key ends there in
// bit 8, and the offset of its children from bit 9. Reading is safe whatever the bytes are.
type trie []byte

// leaf marks the unit that holds the value of a key.
const leaf = 1 << 31

// root returns the position of the children of the root.
func (t trie) root() uint32 { return offset(t.unit(0)) }

// unit returns the unit at a position; 0, which no label fits, beyond the last.
func (t trie) unit(at uint32) uint32 {
	if i := int(at); i < len(t)/4 {
		return binary.LittleEndian.Uint32(t[4*i:])
	}
	return 0
}

// step follows the label c, which is not 0, from the children at a position. It returns the
// children of the node there, and its value if a key ends there, else -1.
func (t trie) step(at uint32, c byte) (children uint32, value int32, ok bool) {
	at ^= uint32(c)
	u := t.unit(at)
	if u&(leaf|0xFF) != uint32(c) || c == 0 {
		return 0, -1, false
	}
	at ^= offset(u)
	if u>>8&1 == 0 {
		return at, -1, true
	}
	return at, int32(t.unit(at) &^ leaf), true
}

func offset(u uint32) uint32 { return u >> 10 << (u & (1 << 9) >> 6) }
