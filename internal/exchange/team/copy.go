package team

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// Person is who answers for memories of a team: by the key of a machine, see [shelf.Member.Person].
type Person struct{ Key, Name string }

// ownerBytes is how many bytes of the ID of a memory in a copy say whose it is.
const ownerBytes = 8

// owner returns the beginning of the IDs that a person may write.
func owner(key string) (out [ownerBytes]byte) {
	sum := sha256.Sum256([]byte("team owner\n" + key))
	copy(out[:], sum[:])
	return out
}

// CopyID returns the ID in the copy of a memory of a person. Its beginning names the person, so that nobody else can write to it. The rest
// does not reveal the ID in the store.
func CopyID(vault, key string, id hippo.ID) hippo.ID {
	sum := sha256.Sum256([]byte("team memory\n" + vault + "\n" + id.String()))
	begin := owner(key)
	return hippo.ID(append(begin[:], sum[:ownerBytes]...))
}

// Owns reports whether a person may write to a memory of the copy.
func Owns(key string, id hippo.ID) bool {
	begin := owner(key)
	return slices.Equal(begin[:], id[:ownerBytes])
}

// Allowed returns a segment without the entries that a person had no right to write, and how many those were. An empty key owns nothing.
func Allowed(s *entry.Segment, key string) (out *entry.Segment, refused int) {
	c := *s
	c.Entries = slices.DeleteFunc(slices.Clone(s.Entries), func(e *entry.Entry) bool { return key == "" || !Owns(key, e.Subject) })
	return &c, len(s.Entries) - len(c.Entries)
}

// receivedID returns the ID that a memory of the copy has in the store: never one that somebody else can choose.
func receivedID(vault string, id hippo.ID) hippo.ID {
	return formats.ImportID(Client, vault+"/"+id.String())
}

// uri returns the URI in the source of what was received.
func uri(vault string, id hippo.ID) string { return uriScheme + vault + "/" + id.String() }

// copiedFrom returns the ID in the copy of a memory that was received from a vault.
func copiedFrom(vault string, m *hippo.Memory) (hippo.ID, bool) {
	text, ok := strings.CutPrefix(m.Source.URI, uriScheme+vault+"/")
	if !ok || !IsReceived(m) {
		return hippo.ID{}, false
	}
	id, err := hippo.ParseID(text)
	return id, err == nil
}

// withdrawnText is in the place of a text that was withdrawn.
const withdrawnText = "(withdrawn)"

// IsWithdrawn reports whether a memory of the copy was withdrawn.
func IsWithdrawn(m *hippo.Memory) bool { return m.Forgotten() && m.Content == withdrawnText }

// hash identifies what a team gets of a memory.
func hash(m *hippo.Memory) string {
	sum := sha256.Sum256(fields(m))
	return hex.EncodeToString(sum[:12])
}
