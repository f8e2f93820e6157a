package grammar

// A Node is a part of a syntax tree that the caller of [Runtime.Parse] asked for.
type Node struct {
	Symbol     uint16 // what it is: an index into the names of its grammar
	Field      uint16 // the field of its parent that it is; 0: none
	Start, End uint32 // its bytes in the source, half-open
	Next       uint32 // index of the first node behind it that is not below it
	Error      bool   // the grammar does not accept what is here
	Missing    bool   // the parser put it in; it is empty
}

// A Tree is the syntax tree of one source, as the nodes that were asked for, in preorder.
// Node i holds the nodes from i+1 to before its Next.
type Tree struct {
	Nodes  []Node
	Errors int  // places that the grammar does not accept
	Cut    bool // a limit was met: nodes are missing, perhaps all
}

// The flags beside the field of a node, as glue.c writes them.
const (
	flagError   = 0x8000
	flagMissing = 0x4000
	fieldBits   = 0x0fff
)

// nodeBytes is the size of a node in the memory of a module.
const nodeBytes = 16

// decode reads nodes as glue.c lays them out, little-endian: symbol and field of 16 bits, start, end
// and next of 32. It refuses what cannot be a tree over a source of size bytes, so that nobody
// above has to check an index.
func decode(raw []byte, size uint32, into []Node) ([]Node, bool) {
	count := uint32(len(raw) / nodeBytes)
	for i := range count {
		b := raw[i*nodeBytes : i*nodeBytes+nodeBytes : i*nodeBytes+nodeBytes]
		field := uint16(b[2]) | uint16(b[3])<<8
		n := Node{
			Symbol: uint16(b[0]) | uint16(b[1])<<8, Field: field & fieldBits,
			Start: word(b[4:8]), End: word(b[8:12]), Next: word(b[12:16]),
			Error: field&flagError != 0, Missing: field&flagMissing != 0,
		}
		if n.Start > n.End || n.End > size || n.Next <= i || n.Next > count {
			return into[:0], false
		}
		into = append(into, n)
	}
	return into, true
}

func word(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}
