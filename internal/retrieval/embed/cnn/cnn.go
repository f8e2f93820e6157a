// Package cnn provides sentence vectors from a convolutional network over the pieces of a
// text, in the architecture of Google's multilingual Universal Sentence Encoder.
//
// The vectors of neighbouring pieces pass through three convolutional branches, of orders
// 2, 3 and 5. The outputs are normalised, added up, divided by the root of their number, and
// mapped to a vector by a small feed-forward network.
// Source: Yang et al., Multilingual Universal Sentence Encoder for Semantic Retrieval,
// arXiv 1907.04307.
//
// The model is a file that is read in place: the vectors of pieces are decompressed as texts
// need them, and only the weights that are multiplied with every token are copied to memory.
// It refuses a file that is damaged or of another format.
//
// Invariant: the vector of a text depends on the text and the model alone, not on the texts
// embedded with it nor on the number of threads.
//
// # File
//
// Little-endian; sections begin at multiples of 64:
//
//	"HIPPOCNN"  uint32 version  uint32 n  uint32 CRC-32C of the header  header: n bytes of JSON
//	pieces        a Darts-clone trie from the texts of pieces to their IDs, uint32 each unit
//	scores        float32 for each piece: the logarithm of its probability
//	charmap       a Darts-clone trie from characters to offsets in the next section
//	replacements  each ends with a zero byte
//	gains         uint8 for each piece: an index of the next section
//	scales        256 float32: the value of one unit of a codeword
//	books         for each level and each of its parts, 256 codewords of 8 int8
//	codes         for each piece, uint8: its codewords, by level
//	numbers       float32: scales of the weights, biases and layer norms
//	weights       the matrices: those that every token is multiplied with, each tap of a convolution by itself, as
//	              [gemm.Matrix.SetQuantized] takes them; then those of the head, int8, row by row
//
// The ID of a piece is its rank by probability, after six special ones.
package cnn

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/token"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/window"
)

// IDs of special tokens.
const (
	unknownToken = 0
	firstToken   = 1
	lastToken    = 2
)

// Options change how a model is run. The zero value is the fastest.
type Options struct {
	// Threads is the largest number of cores that one call uses; 0 means all of the process.
	Threads int
	// Kernel, if not nil, is used instead of the best of this processor.
	Kernel *gemm.Kernel
}

// Model is an encoder with its tokenizer. It is safe for concurrent use and needs no
// closing. It implements [embed.Embedder].
type Model struct {
	file    file
	tokens  *token.SentencePiece
	threads int
	network func() *network
	passes  sync.Pool
}

// Open reads the model in data, which it keeps and never changes. The error is
// [hippo.ErrCorrupt] or, for a format of another version, [hippo.ErrUnsupported].
// Cost: microseconds; the first Embed takes some milliseconds more and 7 MB of memory.
func Open(data []byte, o Options) (*Model, error) {
	f, err := parse(data)
	if err != nil {
		return nil, err
	}
	m := &Model{file: f, threads: o.Threads}
	if m.threads <= 0 {
		m.threads = runtime.GOMAXPROCS(0)
	}
	if m.tokens, err = f.tokenizer(); err != nil {
		return nil, err
	}
	k := gemm.Best()
	if o.Kernel != nil {
		k = *o.Kernel
	}
	m.network = sync.OnceValue(func() *network { return load(&m.file, k) })
	return m, nil
}

// Table returns the codes of pieces, of which Embed reads a row for each token.
func (m *Model) Table() []byte { return m.file.codes }

// Model implements [embed.Embedder].
func (m *Model) Model() embed.Model { return m.file.model() }

// Verify returns a [hippo.ErrCorrupt] unless the file has the checksum that its header
// states. Cost: milliseconds; it reads the whole file.
func (m *Model) Verify() error { return format().Verify(m.file.body, m.file.head.Checksum) }

// Embed implements [embed.Embedder]. All roles have the same vectors. The vector of a text of
// more than 128 tokens is the mean of those of overlapping windows, each weighted by its
// number of tokens that are not in the previous one. The vector of a text without a known
// token is zeros. The error is that of ctx, which is checked between batches of 256 tokens.
func (m *Model) Embed(ctx context.Context, _ embed.Role, texts []string) ([][]float32, error) {
	var ws []window.Window
	for i, t := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ws = windows(ws, i, m.tokens.Encode(nil, t))
	}
	vectors := make([][]float32, len(ws))
	groups := batches(ws)
	if err := m.encode(ctx, groups, vectors); err != nil {
		return nil, err
	}
	return window.Join(len(texts), dimension, ws, vectors), nil
}

// encode sets the vectors of the windows of all groups.
func (m *Model) encode(ctx context.Context, groups [][]window.Window, vectors [][]float32) error {
	firsts := make([]int, len(groups))
	n := 0
	for i, g := range groups {
		firsts[i] = n
		n += len(g)
	}
	var next atomic.Int64
	work := func() {
		p, ok := m.passes.Get().(*pass)
		if !ok {
			p = &pass{network: m.network(), table: &m.file}
		}
		defer m.passes.Put(p)
		for {
			i := int(next.Add(1)) - 1
			if i >= len(groups) || ctx.Err() != nil {
				return
			}
			p.run(groups[i], vectors[firsts[i]:][:len(groups[i])])
		}
	}
	var wait sync.WaitGroup
	for range min(m.threads, len(groups)) - 1 {
		wait.Go(work)
	}
	if len(groups) > 0 {
		work()
	}
	wait.Wait()
	return ctx.Err()
}
