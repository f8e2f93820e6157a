package causal

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/modelfile"
)

// config is the settings of config.json that the decoder needs, for both families.
type config struct {
	qwen2                        bool // else GPT-2
	layers, heads, hidden, inner int
	groups                       int // of heads that share keys and values
	vocab, positions             int
	epsilon                      float32
	base                         float64 // of rotary position embeddings
	exact                        bool    // GELU is not the one with tanh
	tied                         bool    // the head is the embedding of words
}

// The limits of a model's dimensions keep a malformed file from exhausting memory.
const (
	maxLayers   = 256
	maxWidth    = 1 << 16
	maxPosition = 1 << 24
	maxVocab    = 1 << 24
)

// parseConfig reads config.json. The error is [hippo.ErrCorrupt], or [hippo.ErrUnsupported] with the name and value of
// what is not supported.
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
	case "gpt2":
		c, err = parseGPT2(file)
	case "qwen2":
		c, err = parseQwen2(file)
	default:
		err = modelfile.Unsupported("model_type", kind.Type)
	}
	if err != nil {
		return config{}, err
	}
	return c, c.check()
}

func parseGPT2(file []byte) (config, error) {
	raw := struct {
		Hidden     int     `json:"n_embd"`
		Layers     int     `json:"n_layer"`
		Heads      int     `json:"n_head"`
		Inner      int     `json:"n_inner"`
		Vocab      int     `json:"vocab_size"`
		Positions  int     `json:"n_positions"`
		Epsilon    float64 `json:"layer_norm_epsilon"`
		Activation string  `json:"activation_function"`
		Scaled     bool    `json:"scale_attn_weights"`
		ByLayer    bool    `json:"scale_attn_by_inverse_layer_idx"`
		Crossed    bool    `json:"add_cross_attention"`
		Tied       bool    `json:"tie_word_embeddings"`
	}{Positions: 1024, Epsilon: 1e-5, Activation: "gelu_new", Scaled: true, Tied: true}
	if err := json.Unmarshal(file, &raw); err != nil {
		return config{}, modelfile.Corrupt(err)
	}
	switch {
	case raw.Activation != "gelu_new" && raw.Activation != "gelu":
		return config{}, modelfile.Unsupported("activation_function", raw.Activation)
	case !raw.Scaled:
		return config{}, modelfile.Unsupported("scale_attn_weights", false)
	case raw.ByLayer:
		return config{}, modelfile.Unsupported("scale_attn_by_inverse_layer_idx", true)
	case raw.Crossed:
		return config{}, modelfile.Unsupported("add_cross_attention", true)
	}
	return config{
		layers: raw.Layers, heads: raw.Heads, groups: raw.Heads, hidden: raw.Hidden, inner: cmp.Or(raw.Inner, 4*raw.Hidden), vocab: raw.Vocab,
		positions: raw.Positions, epsilon: float32(raw.Epsilon), exact: raw.Activation == "gelu", tied: raw.Tied,
	}, nil
}

// rope are the settings of rotary position embeddings, which older files have beside the others.
type rope struct {
	Type  string  `json:"rope_type"`
	Theta float64 `json:"rope_theta"`
}

func parseQwen2(file []byte) (config, error) {
	raw := struct {
		Hidden     int     `json:"hidden_size"`
		Layers     int     `json:"num_hidden_layers"`
		Heads      int     `json:"num_attention_heads"`
		Groups     int     `json:"num_key_value_heads"`
		HeadSize   int     `json:"head_dim"`
		Inner      int     `json:"intermediate_size"`
		Vocab      int     `json:"vocab_size"`
		Positions  int     `json:"max_position_embeddings"`
		Epsilon    float64 `json:"rms_norm_eps"`
		Activation string  `json:"hidden_act"`
		Theta      float64 `json:"rope_theta"`
		Rope       rope    `json:"rope_parameters"`
		Scaling    any     `json:"rope_scaling"`
		Sliding    bool    `json:"use_sliding_window"`
		Tied       bool    `json:"tie_word_embeddings"`
	}{Positions: 32768, Epsilon: 1e-6, Activation: "silu"}
	if err := json.Unmarshal(file, &raw); err != nil {
		return config{}, modelfile.Corrupt(err)
	}
	switch {
	case raw.Activation != "silu":
		return config{}, modelfile.Unsupported("hidden_act", raw.Activation)
	case raw.Rope.Type != "" && raw.Rope.Type != "default":
		return config{}, modelfile.Unsupported("rope_type", raw.Rope.Type)
	case raw.Scaling != nil:
		return config{}, modelfile.Unsupported("rope_scaling", raw.Scaling)
	case raw.Sliding:
		return config{}, modelfile.Unsupported("use_sliding_window", true)
	case raw.HeadSize != 0 && raw.HeadSize*raw.Heads != raw.Hidden:
		return config{}, modelfile.Unsupported("head_dim", raw.HeadSize)
	}
	return config{
		qwen2: true, layers: raw.Layers, heads: raw.Heads, groups: cmp.Or(raw.Groups, raw.Heads), hidden: raw.Hidden, inner: raw.Inner, vocab: raw.Vocab,
		positions: raw.Positions, epsilon: float32(raw.Epsilon), base: cmp.Or(raw.Rope.Theta, raw.Theta, 10000), tied: raw.Tied,
	}, nil
}

// check bounds what the shapes of the tensors are computed from.
func (c config) check() error {
	err := modelfile.CheckBounds([]modelfile.Bound{
		{Name: "layers", Value: c.layers, From: 1, To: maxLayers},
		{Name: "hidden size", Value: c.hidden, From: 1, To: maxWidth},
		{Name: "inner size", Value: c.inner, From: 1, To: maxWidth},
		{Name: "heads", Value: c.heads, From: 1, To: c.hidden},
		{Name: "heads of keys and values", Value: c.groups, From: 1, To: c.heads},
		{Name: "vocabulary", Value: c.vocab, From: 1, To: maxVocab},
		{Name: "positions", Value: c.positions, From: 2, To: maxPosition},
	})
	switch {
	case err != nil:
		return err
	case c.hidden%c.heads != 0 || c.heads%c.groups != 0:
		return modelfile.Corrupt(fmt.Errorf("hidden size %d, %d heads and %d heads of keys and values must be multiples", c.hidden, c.heads, c.groups))
	case c.qwen2 && (c.size()%2 != 0 || !(c.base > 1) || math.IsInf(c.base, 0)):
		return modelfile.Corrupt(fmt.Errorf("heads of %d numbers rotated with base %g", c.size(), c.base))
	case !(c.epsilon >= 0):
		return modelfile.Corrupt(fmt.Errorf("epsilon %g", c.epsilon))
	}
	return nil
}

// size is the number of numbers of a head, shared that of all keys of a token, stride that of its queries, keys and values.
func (c config) size() int   { return c.hidden / c.heads }
func (c config) shared() int { return c.groups * c.size() }
func (c config) stride() int { return c.hidden + 2*c.shared() }
