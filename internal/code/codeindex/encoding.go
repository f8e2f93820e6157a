package codeindex

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

// rateFile is the name of the file that says how fast chunks were embedded last, for other processes.
const rateFile = "vectors.json"

const (
	// keptShare is what a batch counts when the next one is done: the rate is that of some ten.
	keptShare = .9
	// publishEvery is the number of batches after which other processes may read the rate.
	publishEvery = 8
)

// rate is the content of the [rateFile].
type rate struct {
	// Chunks a second.
	Chunks float64 `json:"chunks_a_second"`
}

// encoding is the state of the background work on a tree in this process. The zero value is ready.
type encoding struct {
	one sync.Mutex // held by who embeds

	mu       sync.Mutex
	running  bool
	searches int
	searched time.Time // when the last search ended
	batches  int
	chunks   float64 // of the last batches, the older ones count less
	seconds  float64
}

// searching counts a search until the caller calls end.
func (e *encoding) searching(now func() time.Time) (end func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.searches++
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.searches--
		e.searched = now()
	}
}

// busy reports whether a search runs or has just ended.
func (e *encoding) busy(now time.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.searches > 0 || now.Sub(e.searched) < restAfterSearch
}

// run says whether this process embeds.
func (e *encoding) run(is bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running = is
}

// did counts a batch.
func (e *encoding) did(t *Tree, chunks int, took time.Duration) {
	e.mu.Lock()
	e.chunks = keptShare*e.chunks + float64(chunks)
	e.seconds = keptShare*e.seconds + took.Seconds()
	e.batches++
	publish, now := e.batches%publishEvery == 1, e.chunks/max(e.seconds, 1e-6)
	e.mu.Unlock()
	if !publish {
		return
	}
	b, err := json.Marshal(rate{now})
	if err == nil {
		err = atomicfile.Write(filepath.Join(t.folder, rateFile), b)
	}
	if err != nil {
		t.config.logger().Debug("code index: the rate is not published", "error", err)
	}
}

// rateOf is how many chunks a second were embedded last, in any process; 0: not known.
func rateOf(t *Tree) float64 {
	e := &t.encoding
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.seconds > 0 {
		return e.chunks / e.seconds
	}
	b, err := os.ReadFile(filepath.Join(t.folder, rateFile))
	var r rate
	if err != nil || json.Unmarshal(b, &r) != nil {
		return 0
	}
	return r.Chunks
}

// encodingOf returns the state of the vectors of the generation that serves a tree.
func encodingOf(t *Tree, g *generation) (e api.CodeVectors) {
	if m := t.config.Model; m != nil {
		e.Embedded, _ = g.words.Vectors.Embedded(nil, m.Model().ID)
	}
	e.Encoded, e.Encodable = g.counts()
	if e.Encoded == e.Encodable {
		return e
	}
	t.encoding.mu.Lock()
	e.Running = t.encoding.running
	t.encoding.mu.Unlock()
	e.Running = e.Running || heldElsewhere(t, encodeLock)
	if r := rateOf(t); r > 0 {
		e.Left = time.Duration(float64(e.Encodable-e.Encoded) / r * float64(time.Second))
	}
	return e
}
