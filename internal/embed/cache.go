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

// CacheSize is how many vectors a [Cache] keeps unless told otherwise:
// 1.5 MB of 384 dimensions.
const CacheSize = 1000

// Cache is an [Embedder] that remembers the last vectors it gave. A text that
// several callers ask for at the same time is computed once; an error is not
// remembered.
//
// Texts are the same if they are the same role's and equal in Unicode form NFC
// without the space around them; it is that form which is embedded, so a vector
// does not depend on who asked first. Case counts.
type Cache struct {
	inner Embedder
	size  int

	mu      sync.Mutex
	entries map[cacheKey]*list.Element // of entry
	recent  *list.List                 // the least recently used last
	flights map[cacheKey]*flight
	stats   CacheStats
}

// CacheStats counts what a [Cache] was asked for, in texts.
type CacheStats struct {
	// Hits were answered from memory, or with what was being computed anyway.
	Hits int
	// Misses were asked of the model.
	Misses int
}

// cacheKey is the hash of a text, its role and the model.
type cacheKey [sha256.Size]byte

type entry struct {
	key    cacheKey
	vector []float32
}

// flight is one call of the model, on behalf of every caller that waits for one
// of its texts.
type flight struct {
	role    Role
	keys    []cacheKey
	texts   []string
	waiting int // how many callers; guarded by Cache.mu
	cancel  context.CancelFunc

	done    chan struct{} // closed when the rest is set
	vectors map[cacheKey][]float32
	err     error
}

// NewCache returns a Cache of n vectors in front of inner; of [CacheSize]
// if n is 0 or less. No work goes on that nobody waits for.
func NewCache(inner Embedder, n int) *Cache {
	if n <= 0 {
		n = CacheSize
	}
	return &Cache{
		inner:   inner,
		size:    n,
		entries: make(map[cacheKey]*list.Element),
		recent:  list.New(),
		flights: make(map[cacheKey]*flight),
	}
}

// Model returns the model of the Embedder behind c.
func (c *Cache) Model() Model { return c.inner.Model() }

// Close closes the Embedder behind c if it is an [io.Closer].
func (c *Cache) Close() error { return closeEmbedder(c.inner) }

// Stats returns the counts so far.
func (c *Cache) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// Embed implements [Embedder]. Of the texts, only those are asked of the model
// that are neither remembered nor on their way, each once. When ctx ends, Embed
// returns; the computation goes on for as long as another caller waits for it.
func (c *Cache) Embed(ctx context.Context, role Role, texts []string) ([][]float32, error) {
	w := c.want(role, texts)
	again, err := c.collect(ctx, w)
	if again {
		_, err = c.collect(ctx, w)
	}
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	for i, k := range w.keys {
		out[i] = slices.Clone(w.found[k])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Hits += max(0, len(texts)-w.asked)
	return out, nil
}

// wanted is what one call of Embed wants and what it has of it.
type wanted struct {
	role  Role
	keys  []cacheKey // of each text
	texts map[cacheKey]string
	found map[cacheKey][]float32 // shared with the cache
	asked int                    // how many texts it asked of the model
}

func (c *Cache) want(role Role, texts []string) *wanted {
	w := &wanted{
		role:  role,
		keys:  make([]cacheKey, len(texts)),
		texts: make(map[cacheKey]string, len(texts)),
		found: make(map[cacheKey][]float32, len(texts)),
	}
	lead := c.inner.Model().ID + "\x00" + role.String() + "\x00"
	for i, t := range texts {
		t = norm.NFC.String(strings.TrimSpace(t))
		w.keys[i] = sha256.Sum256([]byte(lead + t))
		w.texts[w.keys[i]] = t
	}
	return w
}

// collect brings w all that it wants. It asks to be called again if a flight that
// another caller started has failed, for that may be for a text of that caller's.
func (c *Cache) collect(ctx context.Context, w *wanted) (again bool, err error) {
	own, flights := c.board(ctx, w)
	defer c.leave(flights)
	for _, f := range flights {
		select {
		case <-f.done:
		case <-ctx.Done():
			return false, ctx.Err()
		}
		if f.err != nil {
			return f != own, f.err
		}
		for _, k := range w.keys {
			if v := f.vectors[k]; v != nil {
				w.found[k] = v
			}
		}
	}
	return false, nil
}

// board adds to w what is remembered, and boards the flights that bring the
// rest. One of them, own, it has to start itself unless others bring everything.
func (c *Cache) board(ctx context.Context, w *wanted) (own *flight, flights []*flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range w.keys {
		if w.found[k] != nil {
			continue
		}
		if e := c.entries[k]; e != nil {
			c.recent.MoveToFront(e)
			w.found[k] = vectorOf(e)
			continue
		}
		f := c.flights[k]
		if f == nil {
			if own == nil {
				own = &flight{role: w.role, done: make(chan struct{})}
			}
			f = own
			f.keys, f.texts = append(f.keys, k), append(f.texts, w.texts[k])
			c.flights[k] = f
		}
		if !slices.Contains(flights, f) {
			flights = append(flights, f)
			f.waiting++
		}
	}
	if own != nil {
		w.asked += len(own.texts)
		c.stats.Misses += len(own.texts)
		ctx, own.cancel = context.WithCancel(context.WithoutCancel(ctx))
		go c.fly(ctx, own)
	}
	return own, flights
}

// leave ends the flights on which nobody is left.
func (c *Cache) leave(flights []*flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range flights {
		if f.waiting--; f.waiting == 0 {
			f.cancel()
			c.forget(f)
		}
	}
}

// fly computes the vectors of f and remembers them.
func (c *Cache) fly(ctx context.Context, f *flight) {
	defer close(f.done)
	vectors, err := c.inner.Embed(ctx, f.role, f.texts)
	if err == nil {
		err = Check(c.inner.Model(), len(f.texts), vectors)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(f)
	if err != nil {
		f.err = err
		return
	}
	f.vectors = make(map[cacheKey][]float32, len(vectors))
	for i, v := range vectors {
		f.vectors[f.keys[i]] = v
		c.keep(f.keys[i], v)
	}
}

// forget keeps others from boarding f. It is called with c.mu held.
func (c *Cache) forget(f *flight) {
	for _, k := range f.keys {
		if c.flights[k] == f {
			delete(c.flights, k)
		}
	}
}

// keep remembers a vector in place of the one not asked for the longest. It is
// called with c.mu held.
func (c *Cache) keep(k cacheKey, v []float32) {
	if e := c.entries[k]; e != nil {
		c.recent.Remove(e)
	}
	c.entries[k] = c.recent.PushFront(entry{k, v})
	for c.recent.Len() > c.size {
		if e, ok := c.recent.Remove(c.recent.Back()).(entry); ok {
			delete(c.entries, e.key)
		}
	}
}

func vectorOf(e *list.Element) []float32 {
	held, _ := e.Value.(entry) // nothing else is put in
	return held.vector
}
