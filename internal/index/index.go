// Package index finds memories by their words. It follows the store: it reads
// what changed since the revision it knows, and can be thrown away and made anew
// at any time. It holds every live memory's words (BM25F over content, situation
// and tags) and the columns that filters and rankers need, so that a search reads
// no memory, not even to compare its words one by one. It does not rank, does not
// keep texts and never writes to the store.
//
// Invariant: equal live memories give bit-identical scores, whatever happened
// before: the same numbers come out of a fresh build, of changes one by one, and
// of a snapshot.
//
// # Shape
//
// Documents live in segments: the immutable base, the active delta that grows,
// and between them the frozen delta while it is merged into a new base. A changed
// text is a new document; the old one is dead until the next merge. All other
// changes only replace columns.
//
// # Snapshot
//
// One file, replaced as a whole; little-endian; 8-byte aligned sections:
//
//	"HIPPOIDX"  uint32 version  uint32 n  uint32 CRC-32C of the header  header: n bytes of JSON
//	sections, in the order of the header's table {name, offset, length, crc}
//
// Sections names, rows, shapes, dict, posts, rare, elems and pieces, the last five
// each with their ends (uint32 offsets, one more than there are things). Beside it
// lies an empty file with the suffix .lock, which the process that writes holds.
package index

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index/bm25"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Source is what an index follows; see [driver.Backend] for the contract of both
// methods. Memories that Changes yields are only read.
type Source interface {
	Head(ctx context.Context) (driver.Head, error)
	Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error]
}

// Options adjusts an [Index]. The zero value and nil are useful.
type Options struct {
	// SnapshotPath is the file that keeps the index between processes; several
	// may share it. Empty: in memory only.
	SnapshotPath string
	// Analyzer of texts and queries; nil means [bm25.Words].
	Analyzer bm25.Analyzer
	// Params of the formula; nil means [bm25.DefaultParams].
	Params *bm25.Params
	// Pieces cuts texts into the pieces that [View.Pieces] returns; nil: there
	// are none. An index of another table, or of none, is made anew.
	Pieces embed.TokenEmbedder
	// KeepStopWords lets function words of a query take part although it has
	// other words. Texts always keep theirs.
	KeepStopWords bool
	// SaveEvery is the number of changed rows after which the snapshot is
	// written in the background; 0 means 4,096.
	SaveEvery int
	// Log receives what happens to the snapshot; nil discards it.
	Log *slog.Logger
}

const (
	defaultSaveEvery = 4096
	// A new process reads this many rows again rather than have an old one spend
	// the time to save a large index when it closes.
	smallChange = 64
	largeIndex  = 4096
	// The delta is merged when it has both this many documents and this share
	// of the base; likewise for the dead.
	mergeDocs  = 2000
	mergeShare = .12
	// bulkDocs is the least delta that is merged during a catch-up.
	bulkDocs = 16 << 10
)

// Index is a follower of a store. It is safe for concurrent use.
type Index struct {
	src       Source
	analyzer  bm25.Analyzer
	params    bm25.Params
	keepStop  bool
	path      string
	saveEvery int
	log       *slog.Logger
	cutter    cutter // its buffers belong to who holds the token of follow

	follow  chan struct{} // holds a token while changes are read
	upkeep  sync.Mutex    // merges and saves
	busy    atomic.Bool   // upkeep runs in the background
	running sync.WaitGroup
	scorer  atomic.Pointer[cached]
	spare   atomic.Pointer[scratch] // that of the latest search, to be used again

	mu       sync.RWMutex // guards what follows
	spaces   []*space
	elements elements
	sessions sessions
	closed   bool
	store    string
	revision hippo.Revision
	epoch    int // counts how often the index was made anew
	base     *base
	frozen   *delta // nil when no merge runs
	active   *delta
	rows     *rows
	recent   map[hippo.ID]uint32 // live documents that are not in the base
	touched  map[hippo.ID][]use  // accesses as the store has them, of rows that Touch changed
	owed     map[hippo.ID][]use  // accesses that Touch counted and Settle has not seen
	merging  bool                // moved is kept
	moved    []uint32            // documents whose columns changed since the merge began
	changed  int                 // rows since the last save
	saved    hippo.Revision      // of the snapshot
	complain sync.Once           // about a snapshot that cannot be written
}

// cached is a scorer and the state it is for.
type cached struct {
	stats bm25.Stats
	*bm25.Scorer
}

// Open loads the snapshot, if there is one that fits, and catches up with src.
// A snapshot that does not fit is deleted; its state is never an error. Close
// the Index after use.
//
// Cost: some 20 ms with a snapshot of 100,000 memories, about 40 us a memory without.
func Open(ctx context.Context, src Source, o *Options) (*Index, error) {
	if o == nil {
		o = &Options{}
	}
	x := &Index{
		src: src, analyzer: o.Analyzer, params: bm25.DefaultParams(), keepStop: o.KeepStopWords,
		path: o.SnapshotPath, saveEvery: o.SaveEvery, log: o.Log, follow: make(chan struct{}, 1),
		cutter: cutter{table: o.Pieces},
	}
	if x.analyzer == nil {
		x.analyzer = bm25.Words()
	}
	if o.Params != nil {
		x.params = *o.Params
	}
	if x.saveEvery <= 0 {
		x.saveEvery = defaultSaveEvery
	}
	if x.log == nil {
		x.log = slog.New(slog.DiscardHandler)
	}
	x.reset("")
	head, err := src.Head(ctx)
	if err != nil {
		return nil, fmt.Errorf("index: open: %w", err)
	}
	x.load(head)
	if err := x.CatchUp(ctx); err != nil {
		x.clear()
		return nil, err
	}
	return x, nil
}

// reset empties the index; x.mu is held, or x not shared yet.
func (x *Index) reset(store string) {
	x.clear()
	x.store, x.revision, x.saved, x.changed = store, 0, 0, 0
	x.epoch++
}

// clear drops all documents.
func (x *Index) clear() {
	x.base, x.frozen, x.active, x.rows = emptyBase(), nil, newDelta(), newRows()
	x.recent, x.touched, x.owed = make(map[hippo.ID]uint32), make(map[hippo.ID][]use), make(map[hippo.ID][]use)
	x.merging, x.moved = false, nil
	for i, s := range x.spaces {
		x.spaces[i] = newSpace(s.model)
	}
}

// Stats describes an index.
type Stats struct {
	// Memories counts the live ones.
	Memories int
	// Terms is the size of the dictionaries.
	Terms int
	// MeanLength is the mean number of words of a content.
	MeanLength float64
	// Delta counts documents that are not in the base yet, Dead those that wait
	// for the next merge to go.
	Delta int
	Dead  int
	// Revision is how far the index has followed the store; Snapshot is the
	// revision of the file, 0 if there is none.
	Revision hippo.Revision
	Snapshot hippo.Revision
}

// Stats returns the current state.
func (x *Index) Stats() Stats {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := Stats{
		Memories: x.rows.live.Docs, MeanLength: x.rows.meanLength(),
		Delta:    len(x.rows.hot) - x.base.n,
		Dead:     len(x.rows.hot) - x.rows.live.Docs,
		Revision: x.revision,
		Snapshot: x.saved,
	}
	for _, p := range x.parts() {
		s.Terms += p.terms()
	}
	return s
}

// part is a segment and the number of its first document.
type part struct {
	segment
	first uint32
}

// parts returns the segments in the order of their documents.
func (x *Index) parts() []part {
	list := []part{{x.base, 0}}
	n := x.base.n
	if x.frozen != nil {
		list = append(list, part{x.frozen, uint32(n)})
		n += x.frozen.docs()
	}
	return append(list, part{x.active, uint32(n)})
}

// scoring returns the scorer for the current documents; x.mu is held for reading.
func (x *Index) scoring() *bm25.Scorer {
	if c := x.scorer.Load(); c != nil && c.stats == x.rows.live {
		return c.Scorer
	}
	c := &cached{x.rows.live, bm25.NewScorer(x.params, x.rows.live)}
	x.scorer.Store(c)
	return c.Scorer
}

// Close saves what is worth it and releases everything. That the snapshot cannot
// be written is logged and no error: the store has all the data.
func (x *Index) Close() error {
	x.follow <- struct{}{}
	x.mu.Lock()
	done := x.closed
	x.closed = true
	worth := x.path != "" && x.changed > 0 && (x.changed >= smallChange || x.rows.live.Docs < largeIndex)
	x.mu.Unlock()
	<-x.follow
	if done {
		return nil
	}
	x.running.Wait()
	x.upkeep.Lock()
	defer x.upkeep.Unlock()
	if worth {
		x.best(x.merge(context.Background(), true))
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.clear()
	return nil
}

// int32Of narrows a count that no real store exceeds.
func int32Of(n int) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }
