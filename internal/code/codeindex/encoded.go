package codeindex

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/codeindex/vectorfile"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
)

// MaxEncoded is the number of chunks up to which a tree is embedded by the encoder: a chunk takes 20 to 30 ms of one core, so that
// many take up to four minutes.
const MaxEncoded = 8192

const (
	// The encoder ranks while at most fewMissing chunks, if it has missingMultiple times as many, or one in missingShare of all
	// have no vector by it. The cosines of those are estimated by the table. It is the rule of memories.
	fewMissing      = 16
	missingMultiple = 4
	missingShare    = 50
	// vectorsFile is the name of the file with the vectors of a tree, beside its generations.
	vectorsFile = "vectors"
	// encodedForm is the version of what is embedded of a chunk: the passages of [memoryOf], from [encodedFrom] on.
	encodedForm = documents + "/3"
	// loadEvery is how often the file is read for vectors that another process made.
	loadEvery = 5 * time.Second
)

// encodes reports whether there is an encoder.
func (c *Config) encodes() bool { return c.Model != nil && c.Encoder != nil }

// encoded reports whether nearly all chunks have a vector by the encoder, and whether some have none.
func (g *generation) encoded() (ready, partial bool) {
	have, all := g.counts()
	missing := all - have
	ready = have > 0 && (missing <= min(fewMissing, have/missingMultiple) || missing*missingShare <= all)
	return ready, missing > 0
}

// counts returns how many chunks have a vector by the encoder, and how many shall have one: none of a large tree.
func (g *generation) counts() (have, all int) {
	if !g.config.encodes() {
		return 0, 0
	}
	have, all = g.words.Vectors.Embedded(nil, g.config.Encoder.Model().ID)
	if all > MaxEncoded {
		return 0, 0
	}
	return have, all
}

// loaded says what was read of the file of vectors.
type loaded struct {
	mu       sync.Mutex
	revision hippo.Revision // of the catalog
	at       time.Time
	size     int64
}

// load adds vectors of the file to the index, if some are missing and the file may have them. now: however short ago it was read.
// That the file cannot be read costs nothing but the work of the encoder.
func (g *generation) load(now bool) {
	if have, all := g.counts(); have == all {
		return
	}
	path, at, revision := g.vectors(), g.config.Now(), g.current.Load().Revision
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	l := &g.loaded
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.revision == revision && (l.size == info.Size() || !now && at.Sub(l.at) < loadEvery) {
		return
	}
	f, err := vectorfile.Read(path, g.config.Encoder.Model(), encodedForm)
	if err != nil {
		return
	}
	g.take(f)
	l.revision, l.at, l.size = revision, at, info.Size()
}

// take adds the vectors of a file that are missing.
func (g *generation) take(f *vectorfile.File) {
	var list []index.Vector
	id := g.config.Encoder.Model().ID
	for m := range g.words.Vectors.Missing(id) {
		if m.Values = f.Get(m.Text); m.Values != nil {
			list = append(list, m)
		}
	}
	if len(list) > 0 {
		g.words.Vectors.Set(id, list)
	}
}

// vectors is the path of the file of vectors.
func (g *generation) vectors() string { return filepath.Join(filepath.Dir(g.dir), vectorsFile) }
