package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/hippo-memory/hippo"
)

// defaultTokens is the length of a pass for a model whose folder does not say.
const defaultTokens = 512

// SpecOf describes the model in a folder: config.json, tokenizer.json and
// model.safetensors, and beside them the settings of sentence-transformers, if
// any: modules.json, the pooling's config.json, sentence_bert_config.json and
// config_sentence_transformers.json, which has the prefixes. Without those,
// pooling is [Mean] and there are no prefixes. The ID is the folder's name.
//
// The error is [hippo.ErrInvalid] if a file is missing, [hippo.ErrCorrupt] if
// one cannot be read, [hippo.ErrUnsupported] for a pooling or a layer that is not
// known. Cost: a few small files.
func SpecOf(dir string) (Spec, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return Spec{}, err
	}
	s := Spec{ID: folderID(full), Pooling: Mean, Note: "A folder of yours."}
	for _, name := range []string{ConfigFile, TokenizerFile, WeightsFile} {
		info, err := os.Stat(filepath.Join(full, name))
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
			return Spec{}, hippo.Fieldf("model", "the folder %s has no %s", full, name)
		case err != nil:
			return Spec{}, diskError(err)
		case !info.Mode().IsRegular():
			return Spec{}, hippo.Fieldf("model", "%s is not a file", filepath.Join(full, name))
		}
		s.Files = append(s.Files, File{Name: name, Size: info.Size()})
		s.Size += info.Size()
	}
	for _, read := range []func(settings, *Spec) error{shape, modules, length, prompts} {
		if err := read(settings(full), &s); err != nil {
			return Spec{}, fmt.Errorf("model %s: %w", full, err)
		}
	}
	return s, nil
}

// folderID makes a name fit for an identity of that of a folder.
func folderID(dir string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '-'
	}, filepath.Base(dir))
	return "folder-" + name
}

// settings is a folder with settings.
type settings string

// read parses a file of the folder, which may be missing.
func (d settings) read(name string, to any) error {
	f, err := os.Open(filepath.Join(string(d), filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return diskError(err)
	}
	data, err := readBounded(f, name)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%w: %s: %w", hippo.ErrCorrupt, name, err)
	}
	return nil
}

// shape reads the dimension from the encoder's own settings.
func shape(d settings, s *Spec) error {
	var c struct {
		Type      string `json:"model_type"`
		Hidden    int    `json:"hidden_size"`
		Embed     int    `json:"n_embd"`
		Positions int    `json:"max_position_embeddings"`
		Context   int    `json:"n_positions"`
	}
	if err := d.read(ConfigFile, &c); err != nil {
		return err
	}
	s.Dimension = cmp.Or(c.Hidden, c.Embed)
	if s.Dimension < 1 {
		return fmt.Errorf("%w: %s has no hidden_size", hippo.ErrCorrupt, ConfigFile)
	}
	positions := cmp.Or(c.Positions, c.Context, defaultTokens)
	if c.Type == "xlm-roberta" { // its positions begin after that of the padding
		positions -= 2
	}
	s.MaxTokens = max(1, min(defaultTokens, positions))
	return nil
}

// modules reads the pooling, and refuses layers after it that change the vector.
func modules(d settings, s *Spec) error {
	var list []struct {
		Path string `json:"path"`
		Type string `json:"type"`
	}
	if err := d.read("modules.json", &list); err != nil {
		return err
	}
	at := "1_Pooling"
	for _, m := range list {
		switch kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]; kind {
		case "Transformer", "Normalize":
		case "Pooling":
			at = m.Path
		default:
			return fmt.Errorf("%w: modules.json has a layer %q", hippo.ErrUnsupported, kind)
		}
	}
	if at != "" && !filepath.IsLocal(filepath.FromSlash(at)) {
		return fmt.Errorf("%w: modules.json names %q, which is outside", hippo.ErrCorrupt, at)
	}
	return pooling(d, path.Join(at, "config.json"), s)
}

func pooling(d settings, name string, s *Spec) error {
	if name == ConfigFile { // a pooling without a folder of its own has no settings
		return nil
	}
	var modes map[string]any
	if err := d.read(name, &modes); err != nil {
		return err
	}
	var on []string
	for key, v := range modes {
		mode, ok := strings.CutPrefix(key, "pooling_mode")
		if !ok {
			continue
		}
		switch v := v.(type) {
		case string:
			on = append(on, v)
		case bool:
			if v {
				on = append(on, strings.TrimSuffix(strings.TrimPrefix(mode, "_"), "_tokens"))
			}
		}
	}
	if dim, ok := modes["word_embedding_dimension"].(float64); ok && int(dim) != s.Dimension {
		return fmt.Errorf("%w: %s has dimension %v, %s %d", hippo.ErrCorrupt, name, dim, ConfigFile, s.Dimension)
	}
	switch {
	case len(on) == 0:
	case len(on) == 1 && on[0] == "mean":
		s.Pooling = Mean
	case len(on) == 1 && (on[0] == "cls" || on[0] == "cls_token"):
		s.Pooling = CLS
	default:
		return fmt.Errorf("%w: %s has pooling %q", hippo.ErrUnsupported, name, on)
	}
	return nil
}

func length(d settings, s *Spec) error {
	var c struct {
		Tokens int `json:"max_seq_length"`
	}
	if err := d.read("sentence_bert_config.json", &c); err != nil {
		return err
	}
	if c.Tokens > 0 {
		s.MaxTokens = min(c.Tokens, maxPass)
	}
	return nil
}

// maxPass bounds the tokens of a pass, for its memory grows with their number.
const maxPass = 2048

func prompts(d settings, s *Spec) error {
	var c struct {
		Prompts map[string]string `json:"prompts"`
	}
	if err := d.read("config_sentence_transformers.json", &c); err != nil {
		return err
	}
	s.QueryPrefix = c.Prompts["query"]
	s.PassagePrefix = cmp.Or(c.Prompts["passage"], c.Prompts["document"])
	return nil
}

// custom is the model in a folder of the user's.
func custom(ctx context.Context, dir string) (Local, error) {
	s, err := SpecOf(dir)
	if err != nil {
		return Local{}, err
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return Local{}, err
	}
	for i, f := range s.Files {
		got, err := sumFile(ctx, os.Open, filepath.Join(full, f.Name))
		if err != nil {
			return Local{}, err
		}
		s.Files[i] = File{Name: f.Name, Size: got.Size, SHA256: got.SHA256}
	}
	return Local{Spec: s, Dir: full}, nil
}
