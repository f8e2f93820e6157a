// Package bert provides sentence vectors from transformer encoders: BERT,
// XLM-RoBERTa and Nomic BERT, as Hugging Face stores them.
//
// It refuses what it would compute only approximately: other model types, activations
// and kinds of positions are [hippo.ErrUnsupported].
//
// Invariant: the vector of a text depends on the text, the role and the model
// alone, not on the texts embedded with it nor on the number of threads.
//
// A model is a folder with three files, which are only read:
//
//	config.json        the dimensions of the encoder
//	model.safetensors  the weights, as F32, F16 or BF16
//	tokenizer.json     see package token
//
// The weights of the layers are copied to memory at Open, as float32; the word embeddings
// stay in the file and are read as texts need them. Nothing is memory-mapped, so a file
// that is truncated while it is open is an error and not a signal.
//
// # Packed model
//
// [OpenPacked] reads a BERT encoder with mean pooling and an uncased WordPiece vocabulary from bytes
// that may be a part of the program. Its weights have 8 bits and stay where they are. It does not
// recognise special tokens such as [SEP] in texts. The file is
// little-endian; sections begin at multiples of 64:
//
//	"HIPPOENC"  uint32 version  uint32 n  uint32 CRC-32C of the header  header: n bytes of JSON
//	slots, ends, texts  the vocabulary; see [token.HashVocab]
//	numbers    float32 each: the scale of each position; gamma and beta of the first norm; then for each
//	           layer: scales and biases of qkv and out, the norm after them, those of up and down, the last norm
//	positions  int8, hidden of them for each position: the embedding of the position and of token type 0
//	scales     uint16 each, the upper half of a float32, for each group of numbers of a word embedding
//	words      unsigned numbers of some bits each, the first in the lowest bits: with half of their range
//	           subtracted and times the scale of their group they are the word embeddings
//	panels     the matrices qkv, out, up and down of each layer, as [gemm.Matrix.SetQuantized] takes
//	           them
//
// bits and group of the header are the size of a number of the word embeddings and of a
// group; checksum is the CRC-32C of all bytes after the header.
package bert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/safetensors"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/token"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/window"
)

// Pooling says how the vectors of tokens become one.
type Pooling uint8

const (
	// Mean is the mean of all tokens, the special ones included.
	Mean Pooling = iota
	// First is the first token's, which is [CLS] or <s>.
	First
)

// Options describe a model. The zero value is mean pooling without prefixes.
type Options struct {
	// Model is what [Model.Model] answers. A Dimension of 0 becomes the model's.
	Model embed.Model
	// Pooling is how the vectors of tokens become one.
	Pooling Pooling
	// QueryPrefix and PassagePrefix are put before texts of these roles. A
	// sentence has that of a query.
	QueryPrefix, PassagePrefix string
	// MaxTokens is the largest number of tokens in a window, prefix and special tokens
	// included; 0 means 512, or fewer where the model has fewer positions.
	MaxTokens int
	// Threads is the largest number of cores that one call uses; 0 means all of the process.
	Threads int
	// Kernel, if not nil, is used instead of the best of this processor.
	Kernel *gemm.Kernel
}

// minRoom is the smallest number of tokens of a text that a window must have room for.
const minRoom = 8

// Model is an encoder with its tokenizer. It implements [embed.Embedder] and
// [io.Closer] and is safe for concurrent use.
type Model struct {
	options Options
	// encoder returns the weights; those of a packed model are read by the first call.
	encoder func() (*encoder, error)
	split   splitter
	file    io.Closer // nil for a packed model
	table   []byte    // the word embeddings of a packed model
	passes  sync.Pool

	// mu is held for reading by every Embed, for writing by Close.
	mu     sync.RWMutex
	closed bool
}

// Open reads the model in folder dir. The error is [hippo.ErrCorrupt],
// [hippo.ErrUnsupported] with what is not supported, [hippo.ErrInvalid] for
// options that do not fit the model, or the file system's. The caller must Close
// the model. Cost: reads all weights except for the word embeddings, about 1 ms for a
// megabyte, and keeps 4 bytes for each of them.
func Open(dir string, o Options) (*Model, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		return nil, err
	}
	c, err := parseConfig(raw)
	if err != nil {
		return nil, inFolder(dir, err)
	}
	if raw, err = os.ReadFile(filepath.Join(dir, "tokenizer.json")); err != nil {
		return nil, inFolder(dir, err)
	}
	tokens, err := token.Load(raw)
	if err != nil {
		return nil, inFolder(dir, fmt.Errorf("tokenizer.json: %w", err))
	}
	if err := o.complete(c); err != nil {
		return nil, err
	}
	m := &Model{options: o, split: newSplitter(tokens, o.MaxTokens)}
	for _, prefix := range []string{o.QueryPrefix, o.PassagePrefix} {
		if room := m.split.room(len(tokens.Encode(nil, prefix))); room < minRoom {
			return nil, hippo.Fieldf("MaxTokens", "must leave room for %d tokens after the prefix %q, leaves %d", minRoom, prefix, room)
		}
	}
	file, err := os.Open(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		return nil, err
	}
	e, err := openEncoder(file, c, o)
	if err != nil {
		return nil, inFolder(dir, errors.Join(err, file.Close()))
	}
	m.file, m.encoder = file, func() (*encoder, error) { return e, nil }
	return m, nil
}

// inFolder adds the folder to an error.
func inFolder(dir string, err error) error { return fmt.Errorf("model %s: %w", dir, err) }

// complete sets the defaults and checks the rest.
func (o *Options) complete(c config) error {
	if o.MaxTokens == 0 {
		o.MaxTokens = min(512, c.maxTokens())
	}
	if o.MaxTokens < 0 || o.MaxTokens > c.maxTokens() {
		return hippo.Fieldf("MaxTokens", "must be between 1 and %d, got %d", c.maxTokens(), o.MaxTokens)
	}
	if o.Model.Dimension == 0 {
		o.Model.Dimension = c.hidden
	}
	if o.Model.Dimension != c.hidden {
		return hippo.Fieldf("Model.Dimension", "must be %d, got %d", c.hidden, o.Model.Dimension)
	}
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	return nil
}

func openEncoder(file *os.File, c config, o Options) (*encoder, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	w, err := safetensors.Read(file, info.Size())
	if err != nil {
		return nil, err
	}
	return load(w, c, o.kernel(), o.MaxTokens)
}

// kernel returns the kernel to use.
func (o *Options) kernel() gemm.Kernel {
	if o.Kernel != nil {
		return *o.Kernel
	}
	return gemm.Best()
}

// Close frees the weights, after every running Embed has returned.
func (m *Model) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	m.closed, m.encoder, m.passes = true, nil, sync.Pool{}
	if m.file == nil {
		return nil
	}
	return m.file.Close()
}

// Table returns the word embeddings of a packed model, of which Embed reads a row for each token; nil for others.
func (m *Model) Table() []byte { return m.table }

// Model implements [embed.Embedder].
func (m *Model) Model() embed.Model { return m.options.Model }

// Embed implements [embed.Embedder]. The vector of a text that is longer than a
// window is the mean of those of overlapping windows, each weighted by its number of
// tokens that are not in the previous one. Errors are [hippo.ErrCorrupt] if the file of
// weights has changed, [hippo.ErrUnavailable] after Close, and that of ctx, which is
// checked between layers. Cost: about 30 ms for 128 tokens, 8 ms for 32, on one core with
// AVX2, for 6 layers 384 wide; and some 3 MB of memory a core, which is reused.
func (m *Model) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, fmt.Errorf("%w: model %s is closed", hippo.ErrUnavailable, m.options.Model.ID)
	}
	prefix := m.options.QueryPrefix
	if role == embed.Passage {
		prefix = m.options.PassagePrefix
	}
	var ws []window.Window
	for i, t := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ws = m.split.windows(ws, i, prefix, t)
	}
	vectors, err := m.encode(ctx, ws)
	if err != nil {
		return nil, err
	}
	return window.Join(len(texts), m.options.Model.Dimension, ws, vectors), nil
}

// encode returns the vector of each window, of length 1.
func (m *Model) encode(ctx context.Context, ws []window.Window) ([][]float32, error) {
	e, err := m.encoder()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	groups := batches(ws, m.options.Threads)
	out := make([][]float32, len(ws))
	workers := min(m.options.Threads, len(groups))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			p, ok := m.passes.Get().(*pass)
			if !ok {
				p = &pass{encoder: e}
			}
			defer m.passes.Put(p)
			p.threads = m.options.Threads / workers
			for {
				i := int(next.Add(1)) - 1
				if i >= len(groups) {
					return
				}
				if err := p.run(ctx, ws, groups[i]); err != nil {
					cancel(err)
					return
				}
				if err := p.pool(m.options.Pooling, groups[i], out); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return out, nil
}
