package index

import (
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// snapshot is the state of an index. It is immutable.
type snapshot struct {
	// store and revision say how far the index has followed which store.
	store    string
	revision hippo.Revision
	// used is the active day on which the index last had all accesses of the store. usesRead: that was after it was opened.
	used     hippo.Day
	usesRead bool
	parts    []*part // the oldest first
	models   []embed.Model
	lessons  *lessons // nil: there is none
	// epoch counts how often the index was emptied, so that a merge does not bring back
	// what is gone.
	epoch  int
	closed bool
}

// partBits is the number of bits of a [retrieve.Doc] that hold the document within its part.
const partBits = 16

// doc returns the number of a document of a part.
func docIn(part int, doc uint32) retrieve.Doc { return retrieve.Doc(uint32(part)<<partBits | doc) }

// split returns the part of a document and its number there.
func split(d retrieve.Doc) (part int, doc uint32) {
	return int(d >> partBits), uint32(d) & (maxDocs - 1)
}

// at reports whether the snapshot has followed the store to this state.
func (s *snapshot) at(h driver.Head) bool {
	return h.Store == s.store && h.Revision == s.revision && s.usesRead
}

// find returns the document of a memory, hidden or not, that is not deleted.
func (s *snapshot) find(id hippo.ID) (at int, doc uint32, ok bool) {
	for i, p := range slices.Backward(s.parts) {
		if d, ok := p.find(id); ok && (p.live.has(d) || p.hidden.has(d)) {
			return i, d, true
		}
	}
	return 0, 0, false
}

// model returns the number of a model, or -1.
func (s *snapshot) model(id string) int {
	return slices.IndexFunc(s.models, func(m embed.Model) bool { return m.ID == id })
}

// docs counts all documents, deleted ones included.
func (s *snapshot) docs() int {
	n := 0
	for _, p := range s.parts {
		n += p.docs
	}
	return n
}
