package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo"
)

const (
	// defaultTokens is the length of a window of a model whose folder states none.
	defaultTokens = 512
	// maxTokens bounds it, because memory grows with its square.
	maxTokens = 2048
)

// notInID matches what the name of a folder may contain and an identity may not.
var notInID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-zA-Z0-9._-]`) }) //nolint:gochecknoglobals // compiled when it is first used

// resolveFolder returns the model in a folder of the user's: config.json, tokenizer.json
// and model.safetensors, and beside them the settings of sentence-transformers, if any:
// modules.json, the pooling's config.json, sentence_bert_config.json and
// config_sentence_transformers.json, which has the prefixes. Without those, pooling is
// [Mean] and there are no prefixes. The ID is the folder's name.
//
// The error is [hippo.ErrInvalid] if a file is missing, [hippo.ErrCorrupt] if one cannot
// be read, [hippo.ErrUnsupported] for a pooling or a layer that is not implemented.
func resolveFolder(ctx context.Context, dir string) (Local, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Local{}, err
	}
	s := Spec{ID: "folder-" + notInID().ReplaceAllLiteralString(filepath.Base(dir), "-"), Note: "A folder of yours."}
	for _, name := range []string{ConfigFile, TokenizerFile, WeightsFile} {
		size, err := sizeIn(dir, name, "model")
		if err != nil {
			return Local{}, err
		}
		s.Files = append(s.Files, File{Name: name})
		s.Size += size
	}
	if err := readSettings(dir, &s); err != nil {
		return Local{}, fmt.Errorf("model %s: %w", dir, err)
	}
	for i, f := range s.Files {
		if s.Files[i], err = checksum(ctx, filepath.Join(dir, f.Name), f.Name); err != nil {
			return Local{}, err
		}
	}
	return Local{Spec: s, Dir: dir}, nil
}

// sizeIn returns the size of a file in a folder that the user has named in a field. It
// may be a link.
func sizeIn(dir, name, field string) (int64, error) {
	info, err := os.Stat(filepath.Join(dir, name))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
		return 0, hippo.Fieldf(field, "the folder %s has no %s", dir, name)
	case err != nil:
		return 0, diskError(err)
	case !info.Mode().IsRegular():
		return 0, hippo.Fieldf(field, "%s is not a file", filepath.Join(dir, name))
	}
	return info.Size(), nil
}

// readSettings sets the dimension, length, pooling and prefixes of a model from the files
// in its folder, of which any but config.json may be missing.
func readSettings(dir string, s *Spec) error {
	var encoder struct {
		Type      string `json:"model_type"`
		Hidden    int    `json:"hidden_size"`
		Embed     int    `json:"n_embd"`
		Positions int    `json:"max_position_embeddings"`
		Context   int    `json:"n_positions"`
	}
	var layers []struct{ Path, Type string }
	var prefixes struct{ Prompts map[string]string }
	var length struct {
		Tokens int `json:"max_seq_length"`
	}
	err := errors.Join(
		readSetting(dir, ConfigFile, &encoder), readSetting(dir, "modules.json", &layers),
		readSetting(dir, "config_sentence_transformers.json", &prefixes), readSetting(dir, "sentence_bert_config.json", &length),
	)
	if s.Dimension = cmp.Or(encoder.Hidden, encoder.Embed); err == nil && s.Dimension < 1 {
		err = fmt.Errorf("%w: %s has no hidden_size", hippo.ErrCorrupt, ConfigFile)
	}
	if err != nil {
		return err
	}
	tokens := cmp.Or(encoder.Positions, encoder.Context, defaultTokens)
	if encoder.Type == "xlm-roberta" { // its first two positions are of padding
		tokens -= 2
	}
	s.MaxTokens = max(1, min(defaultTokens, tokens))
	if length.Tokens > 0 {
		s.MaxTokens = min(length.Tokens, maxTokens)
	}
	s.QueryPrefix = prefixes.Prompts["query"]
	s.PassagePrefix = cmp.Or(prefixes.Prompts["passage"], prefixes.Prompts["document"])
	pooling := "1_Pooling"
	for _, l := range layers {
		switch kind := l.Type[strings.LastIndexByte(l.Type, '.')+1:]; kind {
		case "Transformer", "Normalize":
		case "Pooling":
			pooling = l.Path
		default: // it would change the vectors
			return fmt.Errorf("%w: modules.json has a layer %q", hippo.ErrUnsupported, kind)
		}
	}
	s.Pooling = Mean
	if pooling == "" { // the encoder's own folder, which has no settings of a pooling
		return nil
	}
	return readPooling(dir, filepath.Join(filepath.FromSlash(pooling), "config.json"), s)
}

// readSetting parses a file of settings, which may be missing.
func readSetting(dir, name string, to any) error {
	err := readJSON(filepath.Join(dir, name), name, to)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// readPooling reads the settings of the pooling: older files have a flag for each kind,
// "pooling_mode_cls_token", newer ones a name, "pooling_mode".
func readPooling(dir, name string, s *Spec) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("%w: modules.json names %q, which is outside", hippo.ErrCorrupt, name)
	}
	var modes map[string]any
	if err := readSetting(dir, name, &modes); err != nil {
		return err
	}
	if n, ok := modes["word_embedding_dimension"].(float64); ok && int(n) != s.Dimension {
		return fmt.Errorf("%w: %s has dimension %v, %s %d", hippo.ErrCorrupt, name, n, ConfigFile, s.Dimension)
	}
	var on []string
	for key, value := range modes {
		mode, ok := strings.CutPrefix(key, "pooling_mode")
		if named, is := value.(string); ok && is {
			on = append(on, named)
		} else if value == true && ok {
			on = append(on, strings.TrimPrefix(mode, "_"))
		}
	}
	slices.Sort(on)
	switch strings.Join(on, "+") {
	case "", "mean", "mean_tokens":
	case "cls", "cls_token":
		s.Pooling = CLS
	default:
		return fmt.Errorf("%w: %s has pooling %q", hippo.ErrUnsupported, name, on)
	}
	return nil
}
