package token

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/hippo-memory/hippo"
)

// file is the part of a tokenizer.json of Hugging Face that matters here.
type file struct {
	Added         []addedToken    `json:"added_tokens"`
	Normalizer    json.RawMessage `json:"normalizer"`
	PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
	PostProcessor json.RawMessage `json:"post_processor"`
	Model         json.RawMessage `json:"model"`
}

// addedToken is a token that is recognised before a text is split.
type addedToken struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	Special    bool   `json:"special"`
}

// Load reads a tokenizer.json. The error is [hippo.ErrCorrupt] for a malformed file and
// [hippo.ErrUnsupported] for one that asks for something that is not implemented exactly;
// both name the part.
func Load(text []byte) (Tokenizer, error) {
	var f file
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("%w: tokenizer: %w", hippo.ErrCorrupt, err)
	}
	kind, err := typeOf(f.Model, "model")
	if err != nil {
		return nil, err
	}
	var t Tokenizer
	switch kind {
	case "WordPiece":
		t, err = loadWordPiece(&f)
	case "Unigram":
		t, err = loadUnigram(&f)
	case "BPE":
		t, err = loadBPE(&f)
	default:
		return nil, unsupported("model", kind)
	}
	if err != nil {
		return nil, err
	}
	return withAddedTokens(t, f.Added)
}

// typeOf returns the type of a part; "" for a missing one.
func typeOf(part json.RawMessage, name string) (string, error) {
	var t struct {
		Type string `json:"type"`
	}
	if len(part) == 0 || bytes.Equal(part, []byte("null")) {
		return "", nil
	}
	if err := json.Unmarshal(part, &t); err != nil {
		return "", fmt.Errorf("%w: tokenizer: %s: %w", hippo.ErrCorrupt, name, err)
	}
	return t.Type, nil
}

func unsupported(part, what string) error {
	return fmt.Errorf("%w: tokenizer: %s %q", hippo.ErrUnsupported, part, what)
}

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: tokenizer: %s", hippo.ErrCorrupt, fmt.Sprintf(format, args...))
}

// unmarshal parses a part.
func unmarshal(part json.RawMessage, name string, to any) error {
	if err := json.Unmarshal(part, to); err != nil {
		return corrupt("%s: %v", name, err)
	}
	return nil
}

func loadWordPiece(f *file) (Tokenizer, error) {
	var m struct {
		Unknown string           `json:"unk_token"`
		Prefix  string           `json:"continuing_subword_prefix"`
		MaxWord int              `json:"max_input_chars_per_word"`
		Vocab   map[string]int32 `json:"vocab"`
	}
	if err := unmarshal(f.Model, "model", &m); err != nil {
		return nil, err
	}
	if m.Prefix != "##" || m.MaxWord != maxWord {
		return nil, unsupported("model", fmt.Sprintf("WordPiece with prefix %q and words of %d", m.Prefix, m.MaxWord))
	}
	n := struct {
		Type         string `json:"type"`
		Clean        bool   `json:"clean_text"`
		Chinese      bool   `json:"handle_chinese_chars"`
		StripAccents *bool  `json:"strip_accents"`
		Lower        bool   `json:"lowercase"`
	}{}
	if err := unmarshal(f.Normalizer, "normalizer", &n); err != nil {
		return nil, err
	}
	if n.Type != "BertNormalizer" || !n.Clean || !n.Chinese {
		return nil, unsupported("normalizer", n.Type)
	}
	if kind, err := typeOf(f.PreTokenizer, "pre_tokenizer"); err != nil || kind != "BertPreTokenizer" {
		return nil, unsupported("pre_tokenizer", kind)
	}
	strip := n.Lower
	if n.StripAccents != nil {
		strip = *n.StripAccents
	}
	special, err := specialOf(f, m.Vocab, m.Unknown)
	if err != nil {
		return nil, err
	}
	return NewWordPiece(mapVocab(m.Vocab), special, &WordPieceOptions{Lower: n.Lower, StripAccents: strip}), nil
}

// specialOf finds the special tokens: those that the post-processor puts around a text,
// and the unknown token.
func specialOf(f *file, vocab map[string]int32, unknown string) (s Special, err error) {
	first, last, err := frame(f.PostProcessor)
	if err != nil {
		return s, err
	}
	for _, p := range []struct {
		name string
		to   *int32
	}{{first, &s.First}, {last, &s.Last}, {unknown, &s.Unknown}} {
		id, ok := vocab[p.name]
		if !ok {
			return s, corrupt("token %q is not in the vocabulary", p.name)
		}
		*p.to = id
	}
	for _, name := range []string{"[PAD]", "<pad>"} {
		if id, ok := vocab[name]; ok {
			s.Pad = id
		}
	}
	return s, nil
}

// frame returns the tokens before and after a single text.
func frame(part json.RawMessage) (first, last string, err error) {
	var p struct {
		Type   string `json:"type"`
		Sep    []any  `json:"sep"`
		CLS    []any  `json:"cls"`
		Single []struct {
			Special *struct {
				ID string `json:"id"`
			} `json:"SpecialToken"`
		} `json:"single"`
	}
	if err := unmarshal(part, "post_processor", &p); err != nil {
		return "", "", err
	}
	switch p.Type {
	case "TemplateProcessing":
		if len(p.Single) == 3 && p.Single[0].Special != nil && p.Single[1].Special == nil && p.Single[2].Special != nil {
			return p.Single[0].Special.ID, p.Single[2].Special.ID, nil
		}
	case "BertProcessing", "RobertaProcessing":
		if len(p.Sep) == 2 && len(p.CLS) == 2 {
			return fmt.Sprint(p.CLS[0]), fmt.Sprint(p.Sep[0]), nil
		}
	}
	return "", "", unsupported("post_processor", p.Type)
}
