package codeindex

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/code/codeindex/vectorfile"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/passage"
)

const (
	// encodeBatch is the number of chunks that are embedded at a time: some 400 ms of a core.
	encodeBatch = 16
	// encodeLock is the file by which processes agree on who embeds the chunks of a tree, elsewhereRetry how often it is tried.
	encodeLock     = "vectors.lock"
	elsewhereRetry = time.Second
)

// EncodeOptions adjusts [Encode]; nil is useful.
type EncodeOptions struct {
	// Now: somebody waits. Neither searches nor the battery hold the work up.
	Now bool
	// Progress is called after each batch; nil: never.
	Progress func(api.CodeProgress)
}

// Encode embeds by the encoder what has no vector by it, and returns when nothing is left. What is done is kept when ctx ends or
// the process is killed. One process at a time embeds the chunks of a tree, others wait; one that waits for power lets them. The
// tree may be updated and searched meanwhile. The error is [hippo.ErrNotFound] if there is no index, or that of ctx, of the encoder
// or of the disk.
func Encode(ctx context.Context, t *Tree, o *EncodeOptions) error {
	if o == nil {
		o = &EncodeOptions{}
	}
	for more := true; more; {
		left, err := unencoded(ctx, t)
		if left == 0 || err != nil {
			return err
		}
		for o.waitsForPower(ctx, t.config) {
			sleep(ctx, batteryPoll)
		}
		if more, err = encodeAlone(ctx, t, o); err != nil {
			return err
		}
	}
	return nil
}

// encodeAlone embeds until nothing is left, while no other process does; more: the machine has to wait for power.
func encodeAlone(ctx context.Context, t *Tree, o *EncodeOptions) (more bool, err error) {
	t.encoding.one.Lock()
	defer t.encoding.one.Unlock()
	lock := flock.New(filepath.Join(t.folder, encodeLock), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, elsewhereRetry); err != nil {
		return false, fmt.Errorf("code index: %w", err)
	}
	defer lock.Close() //nolint:errcheck // nothing was written to it
	f, err := vectorfile.Read(filepath.Join(t.folder, vectorsFile), t.config.Encoder.Model(), encodedForm)
	if err != nil {
		return false, fmt.Errorf("code index: %w", err)
	}
	t.encoding.run(true)
	defer t.encoding.run(false)
	for more = true; more && !o.waitsForPower(ctx, t.config); {
		if err := t.encoding.pause(ctx, t.config, o); err != nil {
			return false, err
		}
		if more, err = encodeSome(ctx, t, f, o); err != nil {
			return false, err
		}
	}
	return more, nil
}

// waitsForPower reports whether the machine runs on its battery, and nobody waits.
func (o *EncodeOptions) waitsForPower(ctx context.Context, c *Config) bool {
	return !o.Now && c.OnBattery != nil && ctx.Err() == nil && c.OnBattery(ctx)
}

// unencoded is the number of chunks that have no vector by the encoder and shall have one.
func unencoded(ctx context.Context, t *Tree) (int, error) {
	if !t.config.encodes() {
		return 0, nil
	}
	g, done, err := t.use(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	if err := g.words.CatchUp(ctx); err != nil {
		return 0, fmt.Errorf("code index: %w", err)
	}
	g.load(true)
	have, all := g.counts()
	return all - have, nil
}

// encodeSome embeds some chunks of the generation that serves; more: there may be others.
func encodeSome(ctx context.Context, t *Tree, f *vectorfile.File, o *EncodeOptions) (more bool, err error) {
	g, done, err := t.use(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	if missing, err := g.words.CatchUpWithin(ctx, catchUpWait); missing > 0 || err != nil {
		if err != nil {
			err = fmt.Errorf("code index: %w", err)
		}
		return true, err
	}
	g.take(f)
	if have, all := g.counts(); have == all {
		finish(ctx, t, g, f)
		return false, nil
	}
	batch := batchOf(t, g)
	if len(batch) == 0 { // of files that have changed: the next update knows
		finish(ctx, t, g, f)
		return false, nil
	}
	start := t.config.Now()
	vectors, err := embedBatch(ctx, t.config.Encoder, batch)
	if err != nil {
		return false, fmt.Errorf("code index: %w", err)
	}
	if err := f.Add(vectors); err != nil {
		return false, fmt.Errorf("code index: %w", err)
	}
	g.take(f)
	t.encoding.did(t, len(batch), t.config.Now().Sub(start))
	if o.Progress != nil {
		e := encodingOf(t, g)
		o.Progress(api.CodeProgress{Phase: api.CodeEmbedding, Done: int64(e.Encoded), Total: int64(e.Encodable), Left: e.Left})
	}
	return true, nil
}

// finish saves the vectors with the words, and drops those that no chunk has any more. Another process may have replaced the
// generation meanwhile: then the file of vectors has them still.
func finish(ctx context.Context, t *Tree, g *generation, f *vectorfile.File) {
	if err := g.words.Save(ctx); err != nil {
		t.config.logger().Debug("code index: vectors are not saved with the words", "error", err)
	}
	if _, all := g.counts(); f.Len() <= 2*all {
		return
	}
	keys := make(map[uint64]bool)
	for m := range g.words.Vectors.Texts() {
		keys[m.Text] = true
	}
	if err := f.Keep(keys); err != nil { // it only stays large
		t.config.logger().Debug("code index: vectors that no chunk has are kept", "error", err)
	}
}

// encodable is a chunk that has no vector, with the texts to embed.
type encodable struct {
	key      uint64
	passages []string
}

// batchOf returns some chunks without a vector whose files are as the index knows them.
func batchOf(t *Tree, g *generation) (list []encodable) {
	files, closed := textsOf(t)
	defer closed()
	state := g.current.Load()
	for m := range g.words.Vectors.Missing(t.config.Encoder.Model().ID) {
		if p, ok := state.Find(m.ID); ok {
			if memory := memoryAt(files, m.ID, p, p.Chunk.From); memory != nil && index.TextKey(memory) == m.Text {
				list = append(list, encodable{m.Text, passage.Of(memoryAt(files, m.ID, p, encodedFrom(&p)))})
			}
		}
		if len(list) == encodeBatch {
			break
		}
	}
	return list
}

// memoryAt is the memory of a chunk whose text begins at a byte of the file; nil if the file has changed.
func memoryAt(files *texts, id hippo.ID, p catalog.Place, from int) *hippo.Memory {
	text, freshness := files.of(p.Entry)
	if freshness != api.CodeFresh {
		return nil
	}
	p.Chunk.From = from
	return memoryOf(id, p.Entry.Path, p.File, &p.Chunk, text)
}

// encodedFrom is where what is embedded of a chunk begins: at its definition, with the comment of that. The first chunk of a file
// may have the package and imports in front, which are the same in many files.
func encodedFrom(p *catalog.Place) int {
	c := &p.Chunk
	if c.Symbol < 0 {
		return c.From
	}
	s := &p.File.Symbols[c.Symbol]
	at := s.Range.From
	if s.Doc.From < s.Doc.Until {
		at = min(at, s.Doc.From)
	}
	if at >= c.Until {
		return c.From
	}
	return max(c.From, at)
}

// embedBatch embeds chunks.
func embedBatch(ctx context.Context, m embed.Embedder, batch []encodable) ([]vectorfile.Vector, error) {
	var all []string
	for _, x := range batch {
		all = append(all, x.passages...)
	}
	vectors, err := m.Embed(ctx, embed.Passage, all)
	if err != nil {
		return nil, err
	}
	if err := embed.Check(m.Model(), len(all), vectors); err != nil {
		return nil, err
	}
	out := make([]vectorfile.Vector, len(batch))
	for i, x := range batch {
		out[i] = vectorfile.Vector{Key: x.key, Values: slices.Concat(vectors[:len(x.passages)]...)}
		vectors = vectors[len(x.passages):]
	}
	return out, nil
}

// EncodeWhenever embeds what has no vector now and whenever changed says so, until ctx ends. What fails is tried again at the
// next change.
func EncodeWhenever(ctx context.Context, t *Tree, changed <-chan struct{}) {
	for {
		if err := Encode(ctx, t, nil); err != nil && ctx.Err() == nil && !errors.Is(err, hippo.ErrNotFound) {
			t.config.logger().Warn("code cannot be embedded", "root", t.Root.Path, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

const (
	// restAfterSearch is how long no search may run before the next batch, longestPause how long searches hold it up, and poll
	// how often that is looked at.
	restAfterSearch, longestPause, poll = 100 * time.Millisecond, 5 * time.Second, 20 * time.Millisecond
	// batteryPoll is how often it is looked whether the machine runs on its battery still.
	batteryPoll = 30 * time.Second
)

// pause waits until a batch may be embedded in the background. The error is that of ctx.
func (e *encoding) pause(ctx context.Context, c *Config, o *EncodeOptions) error {
	if o.Now {
		return ctx.Err()
	}
	for waited := time.Duration(0); e.busy(c.Now()) && waited < longestPause && ctx.Err() == nil; waited += poll {
		sleep(ctx, poll)
	}
	return ctx.Err()
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
