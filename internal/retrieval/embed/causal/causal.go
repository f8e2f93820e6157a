// Package causal computes how well a causal language model predicts a text: GPT-2 and Qwen2, as Hugging Face stores them.
//
// It refuses what it would compute only approximately: other model types, activations and kinds of positions are
// [hippo.ErrUnsupported]. It uses one core.
//
// A model is a folder with three files, which are only read:
//
//	config.json        the dimensions of the decoder
//	model.safetensors  the weights, as F32, F16 or BF16
//	tokenizer.json     byte-level BPE; see package token
//
// The weights of the layers are copied to memory at Open, as float32; the embeddings of words and the head stay in the
// file. Nothing is memory-mapped, so a file that is truncated while it is open is an error and not a signal.
package causal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/safetensors"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/token"
)

const (
	// maxTokens is how much of a text is read, and maxBytes bounds what is tokenized for it.
	maxTokens, maxBytes = 512, 8192
	// headRows is the number of tokens of the vocabulary whose probabilities are computed at a time.
	headRows = 256
)

// Model is a language model with its tokenizer. It is safe for concurrent use; calls wait for one another.
type Model struct {
	dir     string
	tokens  token.Tokenizer
	limit   int // tokens of a text
	decoder *decoder

	mu   sync.Mutex
	file *os.File // nil: closed
}

// Open reads the model in folder dir. The error is [hippo.ErrCorrupt], [hippo.ErrUnsupported] with what is not supported, the
// file system's, or that of ctx; all but the last name the folder and the file. The caller must Close the model.
// Cost: reads the layers, and keeps 4 bytes for each weight of them.
func Open(ctx context.Context, dir string) (*Model, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		return nil, err
	}
	c, err := parseConfig(raw)
	if err != nil {
		return nil, inFolder(dir, err)
	}
	if raw, err = os.ReadFile(filepath.Join(dir, "tokenizer.json")); err != nil {
		return nil, err
	}
	tokens, err := token.Load(raw)
	if err != nil {
		return nil, inFolder(dir, fmt.Errorf("tokenizer.json: %w", err))
	}
	if s := tokens.Special(); s.First >= 0 || s.Last >= 0 {
		return nil, inFolder(dir, fmt.Errorf("%w: tokenizer.json: it is not that of a causal model", hippo.ErrUnsupported))
	}
	m := &Model{dir: dir, tokens: tokens, limit: min(maxTokens, c.positions)}
	if m.file, err = os.Open(filepath.Join(dir, "model.safetensors")); err != nil {
		return nil, err
	}
	if m.decoder, err = openDecoder(ctx, m.file, c, m.limit); err != nil {
		return nil, inFolder(dir, errors.Join(err, m.file.Close()))
	}
	return m, nil
}

func inFolder(dir string, err error) error { return fmt.Errorf("model %s: %w", dir, err) }

func openDecoder(ctx context.Context, file *os.File, c config, tokens int) (*decoder, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	f, err := safetensors.Read(file, info.Size())
	if err != nil {
		return nil, err
	}
	return load(ctx, f, c, tokens)
}

// Close frees the weights, after a running call has returned. Closing again does nothing.
func (m *Model) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == nil {
		return nil
	}
	err := m.file.Close()
	m.file, m.decoder = nil, nil
	return err
}

// NLL returns the mean negative log likelihood, in nats, of the tokens of a text after the first, each given those before
// it, and the number of tokens that were read: those of the first 8,192 bytes, up to 512, or fewer where the model has fewer
// positions. It is 0 of fewer than two. Errors are [hippo.ErrCorrupt] if the files do not fit each other or have changed,
// [hippo.ErrUnavailable] after Close, and that of ctx, which is checked between layers.
// Cost: two operations for each weight and token on one core, and reading the head from the file once.
func (m *Model) NLL(ctx context.Context, text string) (nats float64, tokens int, err error) {
	ids := m.tokens.Encode(nil, strings.ToValidUTF8(text[:min(len(text), maxBytes)], ""))
	ids = ids[:min(len(ids), m.limit)]
	if len(ids) < 2 {
		return 0, len(ids), nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == nil {
		return 0, 0, fmt.Errorf("%w: model %s is closed", hippo.ErrUnavailable, m.dir)
	}
	p, err := m.decoder.run(ctx, ids)
	if err == nil {
		nats, err = p.nll(ctx, ids[1:])
	}
	if err == nil && (math.IsNaN(nats) || math.IsInf(nats, 0)) {
		err = fmt.Errorf("%w: model.safetensors: the weights are too large: a likelihood is not finite", hippo.ErrCorrupt)
	}
	if err != nil {
		return 0, 0, inFolder(m.dir, err)
	}
	return nats, len(ids), nil
}
