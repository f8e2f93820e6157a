package bert

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/modelfile"
)

// family is the architecture of a model_type of config.json.
type family uint8

const (
	// classic is BERT, and XLM-RoBERTa, which differs in its first position.
	classic family = iota
	// nomic has rotary position embeddings and a gated feed-forward network.
	nomic
)

// rotary is the rotary position embedding of a model; without one, dims is 0.
type rotary struct {
	base float64
	dims int // of each head that are rotated
}

// biases says which linear layers have a bias.
type biases struct{ attention, up, out bool }

// config is the settings of config.json that the encoder needs, for every family.
type config struct {
	family                       family
	layers, heads, hidden, inner int
	vocab, types, positions      int
	firstPosition                int
	epsilon                      float32
	rotary                       rotary
	bias                         biases
}

// The limits of a model's dimensions keep a malformed file from exhausting memory; the
// largest known encoders stay at a tenth of them.
const (
	maxLayers   = 256
	maxWidth    = 1 << 16
	maxPosition = 1 << 20
	maxVocab    = 1 << 24
)

// parseConfig reads config.json. The error is [hippo.ErrCorrupt], or
// [hippo.ErrUnsupported] with the name and value of what is not supported.
func parseConfig(file []byte) (config, error) {
	var kind struct {
		Type string `json:"model_type"`
	}
	if err := json.Unmarshal(file, &kind); err != nil {
		return config{}, modelfile.Corrupt(err)
	}
	var c config
	var err error
	switch kind.Type {
	case "bert", "xlm-roberta":
		c, err = parseClassic(file, kind.Type)
	case "nomic_bert":
		c, err = parseNomic(file)
	default:
		err = modelfile.Unsupported("model_type", kind.Type)
	}
	if err != nil {
		return config{}, err
	}
	if err := c.check(); err != nil {
		return config{}, err
	}
	return c, nil
}

func parseClassic(file []byte, kind string) (config, error) {
	raw := struct {
		Hidden       int     `json:"hidden_size"`
		Layers       int     `json:"num_hidden_layers"`
		Heads        int     `json:"num_attention_heads"`
		Inner        int     `json:"intermediate_size"`
		Vocab        int     `json:"vocab_size"`
		Positions    int     `json:"max_position_embeddings"`
		Types        int     `json:"type_vocab_size"`
		Epsilon      float64 `json:"layer_norm_eps"`
		Pad          int     `json:"pad_token_id"`
		Activation   string  `json:"hidden_act"`
		PositionType string  `json:"position_embedding_type"`
		Decoder      bool    `json:"is_decoder"`
	}{Activation: "gelu", PositionType: "absolute", Epsilon: 1e-12, Types: 2, Positions: 512}
	if kind == "xlm-roberta" {
		raw.Pad = 1
	}
	if err := json.Unmarshal(file, &raw); err != nil {
		return config{}, modelfile.Corrupt(err)
	}
	switch {
	case raw.Activation != "gelu":
		return config{}, modelfile.Unsupported("hidden_act", raw.Activation)
	case raw.PositionType != "absolute":
		return config{}, modelfile.Unsupported("position_embedding_type", raw.PositionType)
	case raw.Decoder:
		return config{}, modelfile.Unsupported("is_decoder", true)
	}
	c := config{
		family: classic, layers: raw.Layers, heads: raw.Heads, hidden: raw.Hidden, inner: raw.Inner,
		vocab: raw.Vocab, types: raw.Types, positions: raw.Positions, epsilon: float32(raw.Epsilon),
		bias: biases{true, true, true},
	}
	if kind == "xlm-roberta" {
		c.firstPosition = raw.Pad + 1
	}
	return c, nil
}

func parseNomic(file []byte) (config, error) {
	raw := struct {
		Hidden      int      `json:"n_embd"`
		Layers      int      `json:"n_layer"`
		Heads       int      `json:"n_head"`
		Inner       int      `json:"n_inner"`
		Vocab       int      `json:"vocab_size"`
		Positions   int      `json:"n_positions"`
		Trained     int      `json:"max_trained_positions"`
		Types       int      `json:"type_vocab_size"`
		Epsilon     float64  `json:"layer_norm_epsilon"`
		Activation  string   `json:"activation_function"`
		Base        float64  `json:"rotary_emb_base"`
		Fraction    float64  `json:"rotary_emb_fraction"`
		Interleaved bool     `json:"rotary_emb_interleaved"`
		ScaleBase   *float64 `json:"rotary_emb_scale_base"`
		BeforeNorm  bool     `json:"prenorm"`
		Parallel    bool     `json:"parallel_block"`
		Causal      bool     `json:"causal"`
		RMS         bool     `json:"use_rms_norm"`
		Experts     int      `json:"num_experts"`
		QKVBias     bool     `json:"qkv_proj_bias"`
		UpBias      bool     `json:"mlp_fc1_bias"`
		OutBias     bool     `json:"mlp_fc2_bias"`
	}{Trained: 2048, Base: 10000, Epsilon: 1e-12, QKVBias: true, UpBias: true, OutBias: true}
	if err := json.Unmarshal(file, &raw); err != nil {
		return config{}, modelfile.Corrupt(err)
	}
	switch {
	case raw.Activation != "swiglu":
		return config{}, modelfile.Unsupported("activation_function", raw.Activation)
	case raw.Interleaved:
		return config{}, modelfile.Unsupported("rotary_emb_interleaved", true)
	case raw.ScaleBase != nil:
		return config{}, modelfile.Unsupported("rotary_emb_scale_base", *raw.ScaleBase)
	case raw.BeforeNorm:
		return config{}, modelfile.Unsupported("prenorm", true)
	case raw.Parallel:
		return config{}, modelfile.Unsupported("parallel_block", true)
	case raw.Causal:
		return config{}, modelfile.Unsupported("causal", true)
	case raw.RMS:
		return config{}, modelfile.Unsupported("use_rms_norm", true)
	case raw.Experts > 0:
		return config{}, modelfile.Unsupported("num_experts", raw.Experts)
	case !(raw.Fraction > 0 && raw.Fraction <= 1):
		return config{}, modelfile.Unsupported("rotary_emb_fraction", raw.Fraction)
	}
	c := config{
		family: nomic, layers: raw.Layers, heads: raw.Heads, hidden: raw.Hidden, inner: raw.Inner,
		vocab: raw.Vocab, types: raw.Types, positions: min(raw.Positions, raw.Trained), epsilon: float32(raw.Epsilon),
		rotary: rotary{base: raw.Base}, bias: biases{attention: raw.QKVBias, up: raw.UpBias, out: raw.OutBias},
	}
	if c.heads > 0 {
		c.rotary.dims = int(float64(c.hidden/c.heads) * raw.Fraction)
	}
	return c, nil
}

// check bounds what the shapes of the tensors are computed from.
func (c config) check() error {
	err := modelfile.CheckBounds([]modelfile.Bound{
		{Name: "layers", Value: c.layers, From: 1, To: maxLayers},
		{Name: "hidden size", Value: c.hidden, From: 1, To: maxWidth},
		{Name: "inner size", Value: c.inner, From: 1, To: maxWidth},
		{Name: "heads", Value: c.heads, From: 1, To: c.hidden},
		{Name: "vocabulary", Value: c.vocab, From: 1, To: maxVocab},
		{Name: "token types", Value: c.types, From: 0, To: maxVocab},
		{Name: "first position", Value: c.firstPosition, From: 0, To: maxPosition},
		{Name: "positions", Value: c.positions, From: c.firstPosition + 1, To: maxPosition},
	})
	if err != nil {
		return err
	}
	if c.hidden%c.heads != 0 {
		return modelfile.Corrupt(fmt.Errorf("hidden size %d is not a multiple of %d heads", c.hidden, c.heads))
	}
	if !(c.epsilon >= 0) || c.rotary.dims%2 != 0 || c.rotary.dims > 0 && !(c.rotary.base > 1) || math.IsInf(c.rotary.base, 0) {
		return modelfile.Corrupt(fmt.Errorf("epsilon %g, %d rotated numbers with base %g", c.epsilon, c.rotary.dims, c.rotary.base))
	}
	return nil
}

// maxTokens is the length of the longest sequence.
func (c config) maxTokens() int { return c.positions - c.firstPosition }
