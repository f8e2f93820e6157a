package embed

import (
	"container/list"
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"
)

// CacheSize is the number of vectors in a [Cache] by default: 1.5 MB of 384 dimensions.
const CacheSize = 1000

// Cache is an [Embedder] that keeps the most recently used vectors of another one. An
// error is not kept.
//
// A text is embedded, and found again, in Unicode form NFC without the white space around
// it, and by role; case counts.
type Cache struct {
	inner Embedder
	size  int

	mu      sync.Mutex
	entries map[cacheKey]*list.Element // of entry
	recent  *list.List                 // the least recently used last
}

// cacheKey is the hash of a text, its role and the model.
type cacheKey [sha256.Size]byte

type entry struct {
	key    cacheKey
	vector []float32
}

// NewCache returns a Cache of n vectors in front of inner; of [CacheSize] if n is 0 or
// less.
func NewCache(inner Embedder, n int) *Cache {
	if n <= 0 {
		n = CacheSize
	}
	return &Cache{inner: inner, size: n, entries: make(map[cacheKey]*list.Element), recent: list.New()}
}

// Model returns the model of the inner Embedder.
func (c *Cache) Model() Model { return c.inner.Model() }

// Wait implements [Waiter]: it waits for the inner Embedder if that is one.
func (c *Cache) Wait(ctx context.Context) error {
	if w, ok := c.inner.(Waiter); ok {
		return w.Wait(ctx)
	}
	return nil
}

// Close closes the inner Embedder if it is an [io.Closer].
func (c *Cache) Close() error { return closeEmbedder(c.inner) }

// Embed implements [Embedder]. The inner Embedder gets the texts without a vector, each
// once.
func (c *Cache) Embed(ctx context.Context, role Role, texts []string) ([][]float32, error) {
	keys, out := make([]cacheKey, len(texts)), make([][]float32, len(texts))
	prefix := c.inner.Model().ID + "\x00" + role.String() + "\x00"
	var missing []string
	place := make(map[cacheKey]int) // in missing
	c.mu.Lock()
	for i, t := range texts {
		t = norm.NFC.String(strings.TrimSpace(t))
		keys[i] = sha256.Sum256([]byte(prefix + t))
		if out[i] = c.get(keys[i]); out[i] != nil {
			continue
		}
		if _, twice := place[keys[i]]; !twice {
			place[keys[i]] = len(missing)
			missing = append(missing, t)
		}
	}
	c.mu.Unlock()
	if len(missing) == 0 {
		return out, nil
	}
	vectors, err := c.inner.Embed(ctx, role, missing)
	if err == nil {
		err = Check(c.inner.Model(), len(missing), vectors)
	}
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, k := range keys {
		if out[i] == nil {
			out[i] = slices.Clone(vectors[place[k]])
			c.put(k, vectors[place[k]])
		}
	}
	return out, nil
}

// get returns a copy of a vector, or nil. It is called with c.mu held.
func (c *Cache) get(k cacheKey) []float32 {
	e := c.entries[k]
	if e == nil {
		return nil
	}
	c.recent.MoveToFront(e)
	kept, _ := e.Value.(entry) // nothing else is in the list
	return slices.Clone(kept.vector)
}

// put keeps a vector in place of the least recently used one. It is called with c.mu held.
func (c *Cache) put(k cacheKey, v []float32) {
	if e := c.entries[k]; e != nil {
		c.recent.Remove(e)
	}
	c.entries[k] = c.recent.PushFront(entry{k, v})
	if c.recent.Len() > c.size {
		if last, ok := c.recent.Remove(c.recent.Back()).(entry); ok {
			delete(c.entries, last.key)
		}
	}
}
