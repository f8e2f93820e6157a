package causal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/causal"
)

// copied returns a copy of a tiny model that the test may change.
func copied(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestOpen_Refuses(t *testing.T) {
	t.Parallel()
	set := func(key string, value any) func(*testing.T, []byte) []byte {
		return func(t *testing.T, b []byte) []byte {
			t.Helper()
			var c map[string]any
			if err := json.Unmarshal(b, &c); err != nil {
				t.Fatal(err)
			}
			c[key] = value
			b, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
	}
	replace := func(from, to string) func(*testing.T, []byte) []byte {
		return func(_ *testing.T, b []byte) []byte { return bytes.Replace(b, []byte(from), []byte(to), 1) }
	}
	cut := func(_ *testing.T, b []byte) []byte { return b[:len(b)-4] }
	for _, c := range []struct {
		name, model, file string
		change            func(*testing.T, []byte) []byte
		kind              error
		want              string
	}{
		{"type", "gpt2", "config.json", set("model_type", "bert"), hippo.ErrUnsupported, "model_type bert"},
		{"no JSON", "gpt2", "config.json", replace("{", "["), hippo.ErrCorrupt, "config.json"},
		{"activation", "gpt2", "config.json", set("activation_function", "relu"), hippo.ErrUnsupported, "activation_function relu"},
		{"not scaled", "gpt2", "config.json", set("scale_attn_weights", false), hippo.ErrUnsupported, "scale_attn_weights false"},
		{"by layer", "gpt2", "config.json", set("scale_attn_by_inverse_layer_idx", true), hippo.ErrUnsupported, "scale_attn_by_inverse_layer_idx true"},
		{"crossed", "gpt2", "config.json", set("add_cross_attention", true), hippo.ErrUnsupported, "add_cross_attention true"},
		{"gate", "qwen2", "config.json", set("hidden_act", "gelu"), hippo.ErrUnsupported, "hidden_act gelu"},
		{"scaling", "qwen2", "config.json", set("rope_scaling", map[string]any{"type": "yarn"}), hippo.ErrUnsupported, "rope_scaling"},
		{"kind of rotation", "qwen2", "config.json", set("rope_parameters", map[string]any{"rope_type": "yarn"}), hippo.ErrUnsupported, "rope_type yarn"},
		{"sliding", "qwen2", "config.json", set("use_sliding_window", true), hippo.ErrUnsupported, "use_sliding_window true"},
		{"size of heads", "qwen2", "config.json", set("head_dim", 64), hippo.ErrUnsupported, "head_dim 64"},
		{"no layers", "qwen2", "config.json", set("num_hidden_layers", 0), hippo.ErrCorrupt, "layers must be between 1 and 256, got 0"},
		{"huge", "gpt2", "config.json", set("n_embd", 1<<30), hippo.ErrCorrupt, "hidden size must be between"},
		{"heads", "gpt2", "config.json", set("n_head", 5), hippo.ErrCorrupt, "must be multiples"},
		{"groups", "qwen2", "config.json", set("num_key_value_heads", 4), hippo.ErrCorrupt, "must be multiples"},
		{"more layers", "qwen2", "config.json", set("num_hidden_layers", 3), hippo.ErrCorrupt, `no tensor "model.layers.2.input_layernorm.weight"`},
		{"more positions", "gpt2", "config.json", set("n_positions", 65), hippo.ErrCorrupt, `tensor "wpe.weight": shape [64 48], want [65 48]`},
		{"wrong inner", "gpt2", "config.json", set("n_inner", 50), hippo.ErrCorrupt, `tensor "h.0.mlp.c_fc.weight": shape`},
		{"vocabulary", "qwen2", "config.json", set("vocab_size", 9), hippo.ErrCorrupt, `tensor "model.embed_tokens.weight": shape`},
		{"no head", "gpt2", "config.json", set("tie_word_embeddings", false), hippo.ErrCorrupt, `no tensor "lm_head.weight"`},
		{"no words", "gpt2", "model.safetensors", replace("wte.weight", "wtf.weight"), hippo.ErrCorrupt, "wte.weight"},
		{"cut", "gpt2", "model.safetensors", cut, hippo.ErrCorrupt, "ends at byte"},
		{"tokenizer", "qwen2", "tokenizer.json", cut, hippo.ErrCorrupt, "tokenizer"},
		{"kind of tokenizer", "qwen2", "tokenizer.json", replace(`"BPE"`, `"WordLevel"`), hippo.ErrUnsupported, `tokenizer.json: not supported: tokenizer: model "WordLevel"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := copied(t, c.model)
			path := filepath.Join(dir, c.file)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, c.change(t, b), 0o600); err != nil {
				t.Fatal(err)
			}
			m, err := causal.Open(t.Context(), dir)
			if m != nil || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("got %v, want %v with %q and the folder", err, c.kind, c.want)
			}
		})
	}
}

func TestOpen_MissingFiles(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"config.json", "model.safetensors", "tokenizer.json"} {
		dir := copied(t, "gpt2")
		if err := os.Remove(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
		if _, err := causal.Open(t.Context(), dir); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), file) {
			t.Errorf("without %s: got %v, want %v", file, err, os.ErrNotExist)
		}
	}
}

// A tokenizer with more tokens than the model is noticed when a text has one.
func TestNLL_UnknownToken(t *testing.T) {
	t.Parallel()
	dir := copied(t, "gpt2")
	path := filepath.Join(dir, "tokenizer.json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(b, []byte(`"!":`), []byte(`"!":9999,"!!!!":`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := open(t, dir).NLL(t.Context(), "a!b"); !errors.Is(err, hippo.ErrCorrupt) || !strings.Contains(err.Error(), "tokenizer.json: token") {
		t.Errorf("got %v, want %v", err, hippo.ErrCorrupt)
	}
}
