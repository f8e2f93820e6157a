package driver

import (
	"time"

	"github.com/hippo-memory/hippo"
)

// LinksKey is the key of the metadata of a forgotten memory that names what it superseded, for when it is restored. The history of that memory has the
// same, if there is one.
const LinksKey = "superseded_when_forgotten"

// GiveBack makes a memory hold again that one of those that go supersedes: until the next that supersedes it, if there is one. It
// reports whether one of them does.
func GiveBack(x *hippo.Memory, gone map[hippo.ID]*hippo.Memory) bool {
	first := gone[x.SupersededBy]
	if first == nil {
		return false
	}
	last := first
	for range gone {
		if next := gone[last.SupersededBy]; next != nil {
			last = next
		}
	}
	if x.ValidUntil.Equal(first.ValidFrom) {
		x.ValidUntil = time.Time{}
		if !last.SupersededBy.IsZero() {
			x.ValidUntil = last.ValidUntil
		}
	}
	if x.SupersededBy = last.SupersededBy; x.SupersededBy == x.ID {
		x.SupersededBy = hippo.ID{}
	}
	return true
}
