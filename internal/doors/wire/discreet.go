package wire

import "github.com/hippo-memory/hippo"

// Discreet returns the text of a failure of the machine, without particulars; empty for another one.
func Discreet(c hippo.Code) string {
	switch c {
	case hippo.CodeUnavailable:
		return "the store or a model is not available now; try again"
	case hippo.CodeCorrupt:
		return "stored data cannot be read; tell the owner of the store"
	case hippo.CodeReadOnly:
		return "nothing was changed: the store cannot be written; tell its owner"
	case hippo.CodeFull:
		return "nothing was stored: the disk of the server is full; tell its owner"
	default:
		return ""
	}
}
