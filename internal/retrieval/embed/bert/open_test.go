package bert_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/bert"
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

// change replaces the file in dir by what f makes of it.
func change(t *testing.T, dir, file string, f func([]byte) []byte) {
	t.Helper()
	path := filepath.Join(dir, file)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, f(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

// setting returns a change of config.json.
func setting(t *testing.T, key string, value any) func([]byte) []byte {
	return func(b []byte) []byte {
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

func TestOpen_refuses(t *testing.T) {
	t.Parallel()
	replace := func(from, to string) func(*testing.T) func([]byte) []byte {
		return func(*testing.T) func([]byte) []byte {
			return func(b []byte) []byte { return bytes.Replace(b, []byte(from), []byte(to), 1) }
		}
	}
	set := func(key string, value any) func(*testing.T) func([]byte) []byte {
		return func(t *testing.T) func([]byte) []byte { return setting(t, key, value) }
	}
	cut := func(*testing.T) func([]byte) []byte { return func(b []byte) []byte { return b[:len(b)-4] } }
	for _, c := range []struct {
		name, model, file string
		change            func(*testing.T) func([]byte) []byte
		kind              error
		want              string
	}{
		{"type", "bert", "config.json", set("model_type", "gpt2"), hippo.ErrUnsupported, "model_type gpt2"},
		{"activation", "bert", "config.json", set("hidden_act", "relu"), hippo.ErrUnsupported, "hidden_act relu"},
		{"positions_kind", "bert", "config.json", set("position_embedding_type", "relative_key"), hippo.ErrUnsupported, "position_embedding_type relative_key"},
		{"decoder", "bert", "config.json", set("is_decoder", true), hippo.ErrUnsupported, "is_decoder true"},
		{"nomic_activation", "nomic", "config.json", set("activation_function", "gelu"), hippo.ErrUnsupported, "activation_function gelu"},
		{"nomic_norm_first", "nomic", "config.json", set("prenorm", true), hippo.ErrUnsupported, "prenorm true"},
		{"nomic_interleaved", "nomic", "config.json", set("rotary_emb_interleaved", true), hippo.ErrUnsupported, "rotary_emb_interleaved true"},
		{"nomic_no_rotation", "nomic", "config.json", set("rotary_emb_fraction", 0), hippo.ErrUnsupported, "rotary_emb_fraction 0"},
		{"nomic_experts", "nomic", "config.json", set("num_experts", 8), hippo.ErrUnsupported, "num_experts 8"},
		{"no_JSON", "bert", "config.json", replace("{", "["), hippo.ErrCorrupt, "config.json"},
		{"no_layers", "bert", "config.json", set("num_hidden_layers", 0), hippo.ErrCorrupt, "layers must be between 1 and 256, got 0"},
		{"huge", "bert", "config.json", set("hidden_size", 1<<30), hippo.ErrCorrupt, "hidden size must be between"},
		{"heads", "bert", "config.json", set("num_attention_heads", 5), hippo.ErrCorrupt, "not a multiple of 5 heads"},
		{"more_layers", "bert", "config.json", set("num_hidden_layers", 3), hippo.ErrCorrupt, `no tensor "encoder.layer.2.attention.self.query.weight"`},
		{"wrong_inner", "bert", "config.json", set("intermediate_size", 65), hippo.ErrCorrupt, `tensor "encoder.layer.0.intermediate.dense.weight": shape [64 32], want [65 32]`},
		{"wrong_vocabulary", "xlm-roberta", "config.json", set("vocab_size", 9), hippo.ErrCorrupt, `tensor "roberta.embeddings.word_embeddings.weight": shape`},
		{"missing_bias", "nomic", "config.json", set("qkv_proj_bias", true), hippo.ErrCorrupt, `no tensor "encoder.layers.0.attn.Wqkv.bias"`},
		{"renamed", "bert", "model.safetensors", replace("layer.1.output.dense.bias", "layer.1.output.dense.bios"), hippo.ErrCorrupt, `no tensor "encoder.layer.1.output.dense.bias"`},
		{"no_words", "bert", "model.safetensors", replace("word_embeddings", "werd_embeddings"), hippo.ErrCorrupt, "word_embeddings"},
		{"cut", "bert", "model.safetensors", cut, hippo.ErrCorrupt, "ends at byte"},
		{"tokenizer", "bert", "tokenizer.json", cut, hippo.ErrCorrupt, "token"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := copied(t, c.model)
			change(t, dir, c.file, c.change(t))
			m, err := bert.Open(dir, bert.Options{})
			if m != nil || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("got %v, want %v with %q and the folder", err, c.kind, c.want)
			}
		})
	}
}

func TestOpen_missing_files(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"config.json", "model.safetensors", "tokenizer.json"} {
		dir := copied(t, "bert")
		if err := os.Remove(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
		if _, err := bert.Open(dir, bert.Options{}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("without %s: got %v, want %v", file, err, os.ErrNotExist)
		}
	}
}

func TestOpen_options(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]bert.Options{
		"Model.Dimension":       {Model: embed.Model{Dimension: 384}},
		"between 1 and 64":      {MaxTokens: 65},
		"must leave room for 8": {MaxTokens: 9},
	} {
		if _, err := bert.Open("testdata/bert", o); !errors.Is(err, hippo.ErrInvalid) || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %v with %q", err, hippo.ErrInvalid, name)
		}
	}
}

func TestEmbed_file_cut_short_while_open(t *testing.T) {
	t.Parallel()
	dir := copied(t, "bert")
	m := open(t, dir, bert.Options{Threads: 3})
	if err := os.Truncate(filepath.Join(dir, "model.safetensors"), 100); err != nil {
		t.Fatal(err)
	}
	v, err := m.Embed(t.Context(), embed.Passage, texts(t))
	if v != nil || !errors.Is(err, hippo.ErrCorrupt) || !strings.Contains(err.Error(), `"embeddings.word_embeddings.weight"`) {
		t.Errorf("got %d vectors, %v, want %v", len(v), err, hippo.ErrCorrupt)
	}
}

func TestEmbed_numbers_changed_while_open(t *testing.T) {
	t.Parallel()
	dir := copied(t, "bert")
	m := open(t, dir, bert.Options{})
	change(t, dir, "model.safetensors", func(b []byte) []byte {
		for i := range b {
			b[i] = 0xff
		}
		return b
	})
	if _, err := m.Embed(t.Context(), embed.Passage, []string{"a"}); !errors.Is(err, hippo.ErrCorrupt) {
		t.Errorf("got %v, want %v", err, hippo.ErrCorrupt)
	}
}
