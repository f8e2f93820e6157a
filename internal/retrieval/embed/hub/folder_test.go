package hub_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/hub"
)

const stModules = `[
	{"idx":0,"path":"","type":"sentence_transformers.models.Transformer"},
	{"idx":1,"path":"1_Pooling","type":"sentence_transformers.models.Pooling"},
	{"idx":2,"path":"2_Normalize","type":"sentence_transformers.models.Normalize"}]`

func TestResolve_settings(t *testing.T) {
	t.Parallel()
	type settings map[string]string
	for _, c := range []struct {
		name     string
		settings settings
		want     hub.Spec // of which the settings are compared
		kind     error
	}{
		{"bare", nil, hub.Spec{Dimension: 8, Encoding: hub.Encoding{Pooling: hub.Mean, MaxTokens: 512}}, nil},
		{"whole", settings{
			"modules.json":                      stModules,
			"1_Pooling/config.json":             `{"word_embedding_dimension":8,"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false}`,
			"sentence_bert_config.json":         `{"max_seq_length":256}`,
			"config_sentence_transformers.json": `{"prompts":{"query":"q: ","document":"d: "}}`,
		}, hub.Spec{Dimension: 8, Encoding: hub.Encoding{Pooling: hub.CLS, MaxTokens: 256, QueryPrefix: "q: ", PassagePrefix: "d: "}}, nil},
		{"mean", settings{"1_Pooling/config.json": `{"pooling_mode_mean_tokens":true}`}, hub.Spec{Dimension: 8, Encoding: hub.Encoding{Pooling: hub.Mean, MaxTokens: 512}}, nil},
		{"newer pooling", settings{"1_Pooling/config.json": `{"pooling_mode":"cls"}`}, hub.Spec{Dimension: 8, Encoding: hub.Encoding{Pooling: hub.CLS, MaxTokens: 512}}, nil},
		{"long", settings{"sentence_bert_config.json": `{"max_seq_length":8192}`}, hub.Spec{Dimension: 8, Encoding: hub.Encoding{Pooling: hub.Mean, MaxTokens: 2048}}, nil},
		{"nomic", settings{"config.json": `{"model_type":"nomic_bert","n_embd":16,"n_positions":8192}`}, hub.Spec{Dimension: 16, Encoding: hub.Encoding{Pooling: hub.Mean, MaxTokens: 512}}, nil},
		{"roberta", settings{"config.json": `{"model_type":"xlm-roberta","hidden_size":16,"max_position_embeddings":130}`}, hub.Spec{Dimension: 16, Encoding: hub.Encoding{Pooling: hub.Mean, MaxTokens: 128}}, nil},
		{"max pooling", settings{"1_Pooling/config.json": `{"pooling_mode_max_tokens":true}`}, hub.Spec{}, hippo.ErrUnsupported},
		{"two poolings", settings{"1_Pooling/config.json": `{"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":true}`}, hub.Spec{}, hippo.ErrUnsupported},
		{"other layer", settings{"modules.json": `[{"path":"2_Dense","type":"sentence_transformers.models.Dense"}]`}, hub.Spec{}, hippo.ErrUnsupported},
		{"outside", settings{"modules.json": `[{"path":"../x","type":"sentence_transformers.models.Pooling"}]`}, hub.Spec{}, hippo.ErrCorrupt},
		{"other dimension", settings{"1_Pooling/config.json": `{"word_embedding_dimension":9}`}, hub.Spec{}, hippo.ErrCorrupt},
		{"no JSON", settings{"modules.json": `[`}, hub.Spec{}, hippo.ErrCorrupt},
		{"no shape", settings{"config.json": `{}`}, hub.Spec{}, hippo.ErrCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, content())
			for name, text := range c.settings {
				write(t, filepath.Join(dir, name), []byte(text))
			}
			local, err := newCache(t, tiny()).Resolve(t.Context(), dir)
			if c.kind != nil || err != nil {
				if !errors.Is(err, c.kind) {
					t.Errorf("Resolve: %v, want %v", err, c.kind)
				}
				return
			}
			got := local.Spec
			if got.ID != "folder-converted" || len(got.Files) != 3 || got.Size < 900_000 {
				t.Errorf("Resolve = %+v", got)
			}
			got.ID, got.Files, got.Size, got.Note = "", nil, 0, ""
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("Resolve (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	cache, dir := newCache(t, tiny()), folder(t, content())
	l, err := cache.Resolve(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pinned().Files, l.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if id := l.Identity(); !strings.HasPrefix(id, "folder@"+sum(content()[hub.WeightsFile])[:12]) || l.Dir != dir {
		t.Errorf("Identity is %s in %s", id, l.Dir)
	}
	if err := cache.Verify(t.Context(), dir); err != nil {
		t.Error(err)
	}
	write(t, filepath.Join(dir, hub.WeightsFile), []byte("garbage, and more of it"))
	if err := cache.Verify(t.Context(), dir); !errors.Is(err, hippo.ErrCorrupt) {
		t.Errorf("Verify: %v, want corrupt", err)
	}
	for _, path := range []string{filepath.Join(dir, "nothing"), t.TempDir()} {
		if _, err := cache.Resolve(t.Context(), path); !errors.Is(err, hippo.ErrInvalid) || !strings.Contains(err.Error(), "has no config.json") {
			t.Errorf("Resolve: %v, want invalid", err)
		}
	}
}
