package token_test

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/token"
)

// Older files have merges as lines, and an added token that asks to be normalized though nothing normalizes.
func TestLoad_OldBPE(t *testing.T) {
	t.Parallel()
	lists := regexp.MustCompile(`\["((?:[^"\\]|\\.)+)","((?:[^"\\]|\\.)+)"\]`)
	raw := lists.ReplaceAll(read(t, "bpe-gpt2.json.gz"), []byte(`"$1 $2"`))
	if !bytes.Contains(raw, []byte(`"merges":["e r",`)) {
		t.Fatal("the merges are no lines")
	}
	old, err := token.Load(bytes.Replace(raw, []byte(`"normalized":false`), []byte(`"normalized":true`), 1))
	if err != nil {
		t.Fatal(err)
	}
	const text = "When deploying<|endoftext|> ask twice."
	if got, want := old.Encode(nil, text), load(t, "bpe-gpt2").Encode(nil, text); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := old.Special(), (token.Special{First: -1, Last: -1, Pad: -1, Unknown: -1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestLoad_RefusesBPE(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, from, to string
		kind           error
		want           string
	}{
		{"dropout", `"dropout":null`, `"dropout":0.1`, hippo.ErrUnsupported, "dropout"},
		{"suffix", `"end_of_word_suffix":null`, `"end_of_word_suffix":"</w>"`, hippo.ErrUnsupported, "end_of_word_suffix"},
		{"fallback", `"byte_fallback":false`, `"byte_fallback":true`, hippo.ErrUnsupported, "byte_fallback"},
		{"template", `"post_processor":{"type":"ByteLevel"`, `"post_processor":{"type":"TemplateProcessing"`, hippo.ErrUnsupported, "TemplateProcessing"},
		{"expression", `\\s+(?!\\S)|\\s+"`, `\\s+"`, hippo.ErrUnsupported, "pre_tokenizer"},
		{"prefix", `"add_prefix_space":false,"trim_offsets":true,"use_regex":false`, `"add_prefix_space":true,"use_regex":false`, hippo.ErrUnsupported, "ByteLevel"},
		{"invert", `"invert":false`, `"invert":true`, hippo.ErrUnsupported, "Split"},
		{"no byte", `"!":`, `"!!!":`, hippo.ErrCorrupt, `no token '!' for byte 0x21`},
		{"no merged token", `["e","r"]`, `["Q","X"]`, hippo.ErrCorrupt, `number 0: "Q" and "X"`},
		{"half a merge", `["e","r"]`, `"er"`, hippo.ErrCorrupt, `no space in "er"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			raw := read(t, "bpe-qwen2.json.gz")
			changed := bytes.Replace(raw, []byte(c.from), []byte(c.to), 1)
			if bytes.Equal(raw, changed) {
				t.Fatalf("the file has no %s", c.from)
			}
			if _, err := token.Load(changed); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %v with %q", err, c.kind, c.want)
			}
		})
	}
}
