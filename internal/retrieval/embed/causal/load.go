package causal

import (
	"context"
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

// norm is a layer normalisation; without beta, one by the root mean square.
type norm struct{ gamma, beta []float32 }

// layer is one layer of the decoder. up computes the hidden units of the feed-forward network and, in a gated one, the
// gates after them.
type layer struct {
	attention, feed    norm // before what they are named after
	qkv, out, up, down linear
}

// decoder is the model in memory. The embeddings of words and the head, which are a third of a small model, stay in the file.
type decoder struct {
	config
	kernel      gemm.Kernel
	file        *safetensors.File
	words, head safetensors.Tensor
	positions   []float32 // embeddings of positions, of GPT-2
	layers      []layer
	last        norm
	// cos and sin have size/2 numbers for each position, of Qwen2.
	cos, sin []float32
}

// loader reads tensors; after the first error it reads no more.
type loader struct {
	ctx     context.Context //nolint:containedctx // it lives as long as a call
	file    *safetensors.File
	kernel  gemm.Kernel
	prefix  string
	scratch []float32
	err     error
}

// load reads the weights of a model for up to tokens tokens.
func load(ctx context.Context, f *safetensors.File, c config, tokens int) (*decoder, error) {
	words := "wte.weight"
	if c.qwen2 {
		words = "embed_tokens.weight"
	}
	prefix, err := f.Prefix(words)
	if err != nil {
		return nil, err
	}
	d := &decoder{config: c, kernel: gemm.Best(), file: f, layers: make([]layer, c.layers)}
	if d.words, err = f.Find(prefix+words, c.vocab, c.hidden); err != nil {
		return nil, err
	}
	d.head = d.words
	if !c.tied {
		if d.head, err = f.Find("lm_head.weight", c.vocab, c.hidden); err != nil {
			return nil, err
		}
	}
	l := &loader{ctx: ctx, file: f, kernel: d.kernel, prefix: prefix}
	for i := range d.layers {
		if c.qwen2 {
			d.layers[i] = l.qwen2(&c, fmt.Sprintf("layers.%d.", i))
		} else {
			d.layers[i] = l.gpt2(&c, fmt.Sprintf("h.%d.", i))
		}
	}
	if c.qwen2 {
		d.last = l.norm("norm", c.hidden, false)
		d.cos, d.sin = rotation(&c, tokens)
	} else {
		d.last = l.norm("ln_f", c.hidden, true)
		if d.positions = l.append(nil, "wpe.weight", c.positions, c.hidden); l.err == nil {
			d.positions = append([]float32(nil), d.positions[:tokens*c.hidden]...)
		}
	}
	return d, l.err
}

func (l *loader) gpt2(c *config, at string) layer {
	h := c.hidden
	return layer{
		attention: l.norm(at+"ln_1", h, true), feed: l.norm(at+"ln_2", h, true),
		qkv: l.transposed(at+"attn.c_attn", h, 3*h), out: l.transposed(at+"attn.c_proj", h, h),
		up: l.transposed(at+"mlp.c_fc", h, c.inner), down: l.transposed(at+"mlp.c_proj", c.inner, h),
	}
}

func (l *loader) qwen2(c *config, at string) layer {
	h, self := c.hidden, at+"self_attn."
	q, k, v := part{self + "q_proj", h}, part{self + "k_proj", c.shared()}, part{self + "v_proj", c.shared()}
	return layer{
		attention: l.norm(at+"input_layernorm", h, false), feed: l.norm(at+"post_attention_layernorm", h, false),
		qkv: l.linear(true, h, q, k, v), out: l.linear(false, h, part{self + "o_proj", h}),
		up:   l.linear(false, h, part{at + "mlp.up_proj", c.inner}, part{at + "mlp.gate_proj", c.inner}),
		down: l.linear(false, c.inner, part{at + "mlp.down_proj", h}),
	}
}

// part is a layer of a file, and its number of outputs.
type part struct {
	name string
	to   int
}

// linear reads layers with from inputs as one, whose outputs are those of all, one after the other.
func (l *loader) linear(biased bool, from int, parts ...part) linear {
	var out linear
	all, to := l.scratch[:0], 0
	for _, p := range parts {
		all = l.append(all, p.name+".weight", p.to, from)
		if biased {
			out.bias = l.append(out.bias, p.name+".bias", p.to)
		}
		to += p.to
	}
	if l.err == nil {
		l.scratch = all
		out.w.PackTransposed(l.kernel, all, from, to, from)
	}
	return out
}

// transposed reads a layer of GPT-2, whose weights lie input by input.
func (l *loader) transposed(name string, from, to int) linear {
	var out linear
	all := l.append(l.scratch[:0], name+".weight", from, to)
	out.bias = l.append(nil, name+".bias", to)
	if l.err == nil {
		l.scratch = all
		out.w.Pack(l.kernel, all, from, to, to)
	}
	return out
}

func (l *loader) norm(name string, n int, biased bool) (out norm) {
	out.gamma = l.append(nil, name+".weight", n)
	if biased {
		out.beta = l.append(nil, name+".bias", n)
	}
	return out
}

func (l *loader) append(dst []float32, name string, shape ...int) []float32 {
	if l.err == nil {
		l.err = l.ctx.Err()
	}
	if l.err != nil {
		return nil
	}
	dst, l.err = l.file.Append(dst, l.prefix+name, shape...)
	return dst
}

// rotation returns the cosines and sines of rotary position embeddings.
// Source: Su et al., RoFormer, arXiv 2104.09864, section 3.2.
func rotation(c *config, tokens int) (cos, sin []float32) {
	pairs := c.size() / 2
	cos, sin = make([]float32, tokens*pairs), make([]float32, tokens*pairs)
	for position := range tokens {
		for i := range pairs {
			s, co := math.Sincos(float64(position) * math.Pow(c.base, -float64(i)/float64(pairs)))
			cos[position*pairs+i], sin[position*pairs+i] = float32(co), float32(s)
		}
	}
	return cos, sin
}

// row sets dst to the embedding of a token; buf is a buffer of 4 bytes a number.
func (d *decoder) row(dst []float32, id int32, buf []byte) error {
	if id < 0 || int(id) >= d.vocab {
		return fmt.Errorf("%w: tokenizer.json: token %d, the model has %d", hippo.ErrCorrupt, id, d.vocab)
	}
	return d.file.Rows(dst, d.words, int(id), buf)
}
