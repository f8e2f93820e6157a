package index

import (
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// reserve keeps working memory between searches, as much as searches had at a time lately. A [sync.Pool] has some for each
// processor, twice after a collection, and none after two: under load, when memory is scarce, there are several a second.
type reserve[T any] struct {
	mu       sync.Mutex
	free     []T  // the one used last at the end
	unused   int  // of free since the last trim
	trimming bool // a trim will come
}

// trimAfter is how long working memory is kept without use, up to twice.
const trimAfter = 30 * time.Second

// take returns what was put last, the zero value if there is nothing.
func (r *reserve[T]) take() (x T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := len(r.free) - 1; last >= 0 {
		x = r.free[last]
		r.free = slices.Delete(r.free, last, last+1)
		r.unused = min(r.unused, last)
	}
	return x
}

// put takes back what take returned.
func (r *reserve[T]) put(x T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, x)
	if !r.trimming {
		r.trimming = true
		r.trimLater()
	}
}

// trimLater has r trimmed, if it is still in use then: a timer must not keep a closed index, which r is a part of.
func (r *reserve[T]) trimLater() {
	kept := weak.Make(r)
	time.AfterFunc(trimAfter, func() {
		if r := kept.Value(); r != nil {
			r.trim()
		}
	})
}

// trim drops what has not been used since the last trim.
func (r *reserve[T]) trim() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = slices.Delete(r.free, 0, r.unused)
	r.unused = len(r.free)
	if r.trimming = r.unused > 0; r.trimming {
		r.trimLater()
	}
}

// matchStep is the number of matches in whose multiples room is made: a store that grows by a memory needs no other room for it.
const matchStep = 1024

// roomFor returns an empty list with room for n matches: list, or one with at least twice as much room, up to most.
func roomFor(list []retrieve.Match, n, most int) []retrieve.Match {
	if cap(list) >= n {
		return list[:0]
	}
	room := max(n, min(2*cap(list), most))
	return make([]retrieve.Match, 0, (room+matchStep-1)/matchStep*matchStep)
}
