package bert

import (
	"fmt"
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/safetensors"
)

// linear is a layer x·w + bias; no bias is nil.
type linear struct {
	w    gemm.Matrix
	bias []float32
}

// norm is a layer normalisation.
type norm struct{ gamma, beta []float32 }

// layer is one layer of the encoder. up computes the hidden units of the feed-forward
// network and, in a gated one, the gates after them.
type layer struct {
	qkv, out, up, down   linear
	afterAttention, last norm
}

// encoder is the model in memory.
type encoder struct {
	config
	kernel gemm.Kernel
	words  embeddings
	// positions are the sums of the embeddings of each position and of token type 0; one
	// row, that of the type, if positions are rotated.
	positions []float32
	first     norm
	layers    []layer
	// cos and sin have rotary.dims/2 numbers for each position.
	cos, sin []float32
}

// embeddings are the vectors of the tokens before the first layer.
type embeddings interface {
	// row sets dst to the vector of a token; buf is a buffer of 4 bytes a number.
	row(dst []float32, id int32, buf []byte) error
}

// wordEmbeddings is a tensor that stays in the file: it is half of a small model and most
// of a multilingual one, and a text needs few of its rows.
type wordEmbeddings struct {
	file   *safetensors.File
	tensor safetensors.Tensor
	tokens int
}

// row implements [embeddings].
func (t *wordEmbeddings) row(dst []float32, id int32, buf []byte) error {
	if id < 0 || int(id) >= t.tokens {
		return fmt.Errorf("%w: tokenizer.json: token %d, the model has %d", hippo.ErrCorrupt, id, t.tokens)
	}
	return t.file.Rows(dst, t.tensor, int(id), buf)
}

// loader reads tensors; after the first error it reads no more.
type loader struct {
	file    *safetensors.File
	kernel  gemm.Kernel
	prefix  string
	scratch []float32
	err     error
}

// load reads the weights of a model for sequences of up to tokens tokens.
func load(w *safetensors.File, c config, k gemm.Kernel, tokens int) (*encoder, error) {
	const words = "embeddings.word_embeddings.weight"
	prefix, err := w.Prefix(words)
	if err != nil {
		return nil, err
	}
	l := &loader{file: w, kernel: k, prefix: prefix}
	e := &encoder{config: c, kernel: k}
	tensor, err := w.Find(prefix+words, c.vocab, c.hidden)
	if err != nil {
		return nil, err
	}
	e.words = &wordEmbeddings{file: w, tensor: tensor, tokens: c.vocab}
	e.positions = l.positions(c, tokens)
	e.layers = make([]layer, c.layers)
	if c.family == nomic {
		e.first = l.norm("emb_ln", c.hidden)
		e.cos, e.sin = rotation(c, tokens)
	} else {
		e.first = l.norm("embeddings.LayerNorm", c.hidden)
	}
	for i := range e.layers {
		if c.family == nomic {
			e.layers[i] = l.nomic(c, fmt.Sprintf("encoder.layers.%d.", i))
		} else {
			e.layers[i] = l.classic(c, fmt.Sprintf("encoder.layer.%d.", i))
		}
	}
	return e, l.err
}

// positions returns the embeddings that are added to those of words; see [encoder].
func (l *loader) positions(c config, tokens int) []float32 {
	var types []float32
	if c.types > 0 {
		types = l.read("embeddings.token_type_embeddings.weight", c.types, c.hidden)
	}
	if c.family == nomic {
		if l.err != nil || types == nil {
			return make([]float32, c.hidden)
		}
		return types[:c.hidden:c.hidden]
	}
	all := l.read("embeddings.position_embeddings.weight", c.positions, c.hidden)
	if l.err != nil {
		return nil
	}
	rows := append([]float32(nil), all[c.firstPosition*c.hidden:][:tokens*c.hidden]...)
	if types != nil {
		for i := range rows {
			rows[i] += types[i%c.hidden]
		}
	}
	return rows
}

func (l *loader) classic(c config, at string) layer {
	h := c.hidden
	return layer{
		qkv:            l.linear(true, h, h, at+"attention.self.query", at+"attention.self.key", at+"attention.self.value"),
		out:            l.linear(true, h, h, at+"attention.output.dense"),
		afterAttention: l.norm(at+"attention.output.LayerNorm", h),
		up:             l.linear(true, h, c.inner, at+"intermediate.dense"),
		down:           l.linear(true, c.inner, h, at+"output.dense"),
		last:           l.norm(at+"output.LayerNorm", h),
	}
}

func (l *loader) nomic(c config, at string) layer {
	h := c.hidden
	return layer{
		qkv:            l.linear(c.bias.attention, h, 3*h, at+"attn.Wqkv"),
		out:            l.linear(c.bias.attention, h, h, at+"attn.out_proj"),
		afterAttention: l.norm(at+"norm1", h),
		up:             l.linear(c.bias.up, h, c.inner, at+"mlp.fc11", at+"mlp.fc12"),
		down:           l.linear(c.bias.out, c.inner, h, at+"mlp.fc2"),
		last:           l.norm(at+"norm2", h),
	}
}

// linear reads layers with from inputs and to outputs as one, whose outputs are those of
// all, one after the other.
func (l *loader) linear(biased bool, from, to int, names ...string) linear {
	var out linear
	all := l.scratch[:0]
	for _, name := range names {
		all = l.append(all, name+".weight", to, from)
		if biased {
			out.bias = l.append(out.bias, name+".bias", to)
		}
	}
	if l.err != nil {
		return out
	}
	l.scratch = all
	out.w.PackTransposed(l.kernel, all, from, to*len(names), from)
	return out
}

func (l *loader) norm(name string, n int) norm {
	return norm{gamma: l.read(name+".weight", n), beta: l.read(name+".bias", n)}
}

func (l *loader) read(name string, shape ...int) []float32 { return l.append(nil, name, shape...) }

func (l *loader) append(dst []float32, name string, shape ...int) []float32 {
	if l.err != nil {
		return nil
	}
	dst, l.err = l.file.Append(dst, l.prefix+name, shape...)
	return dst
}

// rotation returns the cosines and sines of rotary position embeddings.
// Source: Su et al., RoFormer, arXiv 2104.09864, section 3.2.
func rotation(c config, tokens int) (cos, sin []float32) {
	pairs := c.rotary.dims / 2
	cos, sin = make([]float32, tokens*pairs), make([]float32, tokens*pairs)
	for position := range tokens {
		for i := range pairs {
			angle := float64(position) * math.Pow(c.rotary.base, -2*float64(i)/float64(c.rotary.dims))
			s, co := math.Sincos(angle)
			cos[position*pairs+i], sin[position*pairs+i] = float32(co), float32(s)
		}
	}
	return cos, sin
}
