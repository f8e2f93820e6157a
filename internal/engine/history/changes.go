package history

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// Feed reads the changes within a scope in the order of their revisions, from a position on. It is for
// one goroutine.
//
// A change is also that a memory was found by a search, which counts the use. A memory that changed
// several times since the last reading is reported once. One that was purged is not reported: what
// is left of it does not say whose it was.
type Feed struct {
	memories *engine.Memories
	at       feedState
}

// feedState is where a feed is.
type feedState struct {
	Store    string // its identity
	Revision hippo.Revision
}

// maxFeedPage is how many changes are read at a time, but for those of one revision.
const maxFeedPage = 200

// feedPage is the next part of a feed, and its state after that.
type feedPage struct {
	At feedState
	// Reset: the store was replaced by another one.
	Reset   bool
	Changes []feedChange
	// More: the store has further changes.
	More bool
}

type feedChange struct {
	Revision hippo.Revision
	Memory   *hippo.Memory
}

// Event is a memory that changed.
type Event struct {
	// Position is that of the feed after this event, see [NewFeed].
	Position string
	Memory   *hippo.Memory
}

// NewFeed returns a feed from a position on; empty: from now. Whatever is no position of this store,
// or of this namespace, also begins now, and resumed is false: what happened meanwhile is unknown.
func NewFeed(ctx context.Context, m *engine.Memories, position string) (f *Feed, resumed bool, err error) {
	now, err := engine.Perform(ctx, m, engine.None{}, "feed_head", feedHead)
	if err != nil {
		return nil, false, err
	}
	f = &Feed{memories: m, at: now}
	if at, ok := f.parse(position); ok && at <= now.Revision {
		f.at.Revision, resumed = at, true
	}
	return f, resumed, nil
}

func feedHead(ctx context.Context, m *engine.Memories, _ engine.None) (feedState, error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return feedState{}, err
	}
	head, err := m.Store.Head(ctx)
	return feedState{head.Store, head.Revision}, err
}

// Next calls emit with what changed since, until emit returns an error. reset reports that the store
// was replaced by another one: the feed goes on from its state of now. Cost without a change: tens of
// microseconds; else that of reading what changed in all scopes.
func (f *Feed) Next(ctx context.Context, emit func(Event) error) (reset bool, err error) {
	for {
		page, err := engine.Perform(ctx, f.memories, f.at, "feed_after", feedAfter)
		if err != nil {
			return false, err
		}
		for _, c := range page.Changes {
			f.at.Revision = c.Revision
			if err := emit(Event{f.Position(), c.Memory}); err != nil {
				return false, err
			}
		}
		if f.at = page.At; !page.More {
			return page.Reset, nil
		}
	}
}

// feedAfter returns what changed after a state.
func feedAfter(ctx context.Context, m *engine.Memories, at feedState) (feedPage, error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return feedPage{}, err
	}
	head, err := m.Store.Head(ctx)
	p := feedPage{At: at}
	switch {
	case err != nil:
		return p, err
	case head.Store != at.Store || head.Revision < at.Revision:
		return feedPage{At: feedState{head.Store, head.Revision}, Reset: true}, nil
	case head.Revision == at.Revision:
		return p, nil
	}
	for c, err := range m.Store.Changes(ctx, at.Revision) {
		if err != nil {
			return p, err
		}
		if p.More = len(p.Changes) >= maxFeedPage && c.Revision > p.At.Revision; p.More {
			return p, nil
		}
		p.At.Revision = max(p.At.Revision, c.Revision)
		if c.Memory != nil && m.Scope.Sees(c.Memory) {
			p.Changes = append(p.Changes, feedChange{c.Revision, c.Memory})
		}
	}
	p.At.Revision = max(p.At.Revision, head.Revision)
	return p, nil
}

// Position returns where the feed is. It is encrypted: the revision of a store counts the changes of
// all tenants, so the difference of two would tell a caller how much the others write.
func (f *Feed) Position() string {
	return SealPosition(f.at.Store, f.memories.Scope.Namespace, f.at.Revision)
}

func (f *Feed) parse(position string) (hippo.Revision, bool) {
	return OpenPosition(f.at.Store, f.memories.Scope.Namespace, position)
}

// SealPosition returns a revision of a store as text for a tenant, see [Feed.Position].
func SealPosition(identity, namespace string, r hippo.Revision) string {
	plain := binary.BigEndian.AppendUint64(nil, uint64(r))
	return base64.RawURLEncoding.EncodeToString(cipherOf(identity, namespace).Seal(nil, nil, plain, nil))
}

// OpenPosition is the inverse of [SealPosition]; false for what is no position of this store and tenant.
func OpenPosition(identity, namespace, position string) (hippo.Revision, bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(position)
	if err != nil {
		return 0, false
	}
	plain, err := cipherOf(identity, namespace).Open(nil, nil, sealed, nil)
	if err != nil || len(plain) != 8 {
		return 0, false
	}
	return hippo.Revision(binary.BigEndian.Uint64(plain)), true
}

// cipherOf returns the cipher of positions. Its key comes from the identity of the store, which no caller
// sees, and the namespace, so that a position is of use to its tenant only.
func cipherOf(identity, namespace string) cipher.AEAD {
	key := sha256.Sum256(fmt.Appendf(nil, "hippo feed\n%s\n%s", identity, namespace))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // the length of the key is right
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // the size of the block is right
	}
	return aead
}
