package token_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/token"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(name) != ".gz" {
		return b
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if b, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	return b
}

// bert returns the tokenizer of MiniLM, from a tokenizer.json made of its
// vocabulary.
func bert(t testing.TB) token.Tokenizer {
	t.Helper()
	vocab := make(map[string]int)
	for line := range strings.Lines(string(read(t, "vocab.txt"))) {
		vocab[strings.TrimSuffix(line, "\n")] = len(vocab)
	}
	special := func(id int, text string) map[string]any {
		return map[string]any{"id": id, "content": text, "special": true}
	}
	b, err := json.Marshal(map[string]any{
		"added_tokens": []any{
			special(0, "[PAD]"), special(100, "[UNK]"), special(101, "[CLS]"), special(102, "[SEP]"), special(103, "[MASK]"),
		},
		"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"post_processor": map[string]any{"type": "TemplateProcessing", "single": []any{
			map[string]any{"SpecialToken": map[string]any{"id": "[CLS]"}},
			map[string]any{"Sequence": map[string]any{"id": "A"}},
			map[string]any{"SpecialToken": map[string]any{"id": "[SEP]"}},
		}},
		"model": map[string]any{
			"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := token.Load(b)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func unigram(t testing.TB, name string) token.Tokenizer {
	t.Helper()
	return load(t, "unigram-"+name)
}

func load(t testing.TB, name string) token.Tokenizer {
	t.Helper()
	u, err := token.Load(read(t, name+".json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// golden is a text and its token IDs by the reference implementation.
type golden struct {
	Text string  `json:"text"`
	IDs  []int32 `json:"ids"`
}

func goldens(t testing.TB, name string) []golden {
	t.Helper()
	var out []golden
	d := json.NewDecoder(bytes.NewReader(read(t, name+".jsonl")))
	for d.More() {
		var g golden
		if err := d.Decode(&g); err != nil {
			t.Fatal(err)
		}
		out = append(out, g)
	}
	if len(out) < 300 {
		t.Fatalf("%s: %d texts, want at least 300", name, len(out))
	}
	return out
}

// The token IDs are those of the reference, for every text.
func TestEncode_Reference(t *testing.T) {
	t.Parallel()
	for name, tok := range map[string]token.Tokenizer{
		"wordpiece": bert(t), "unigram-split": unigram(t, "split"), "unigram-metaspace": unigram(t, "metaspace"), "unigram-bytes": unigram(t, "bytes"),
		"bpe-gpt2": load(t, "bpe-gpt2"), "bpe-qwen2": load(t, "bpe-qwen2"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, g := range goldens(t, name) {
				if got := tok.Encode(nil, g.Text); !slices.Equal(got, g.IDs) {
					t.Errorf("%q:\n got %v\nwant %v", g.Text, got, g.IDs)
				}
			}
		})
	}
}

// Each line of characters.txt is a digest of the tokens of 4096 characters, each between
// two letters, by the reference.
func TestEncode_EveryCharacter(t *testing.T) {
	t.Parallel()
	tok := bert(t)
	for line := range strings.Lines(string(read(t, "characters.txt"))) {
		var block rune
		var want string
		if _, err := fmt.Sscanf(line, "%X %s", &block, &want); err != nil {
			t.Fatal(err)
		}
		if testing.Short() && block > 0x3000 {
			break // the first blocks have most of the rules
		}
		digest := sha256.New()
		for c := block; c < block+4096; c++ {
			if 0xD800 <= c && c < 0xE000 {
				continue
			}
			ids := tok.Encode(nil, "a"+string(c)+"b")
			numbers := binary.LittleEndian.AppendUint16(nil, uint16(len(ids)))
			for _, id := range ids {
				numbers = binary.LittleEndian.AppendUint16(numbers, uint16(id))
			}
			digest.Write(numbers)
		}
		if got := fmt.Sprintf("%x", digest.Sum(nil)[:8]); got != want {
			t.Errorf("characters from %U are not tokenized as by the reference", block)
		}
	}
}

func TestSpecial(t *testing.T) {
	t.Parallel()
	if got, want := bert(t).Special(), (token.Special{First: 101, Last: 102, Pad: 0, Unknown: 100}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// What is not implemented exactly is refused by name, and so is what is malformed.
func TestLoad_Refuses(t *testing.T) {
	t.Parallel()
	var whole map[string]any
	if err := json.Unmarshal(read(t, "unigram-split.json.gz"), &whole); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		part  string
		value any
		want  error
		names string
	}{
		{"model", map[string]any{"type": "WordLevel"}, hippo.ErrUnsupported, `model "WordLevel"`},
		{"model", map[string]any{"type": "Unigram", "vocab": []any{}}, hippo.ErrCorrupt, "unk_id"},
		{"model", map[string]any{"type": "Unigram", "unk_id": 0, "vocab": []any{[]any{"a"}}}, hippo.ErrCorrupt, "token 0"},
		{"model", map[string]any{"type": "WordPiece", "continuing_subword_prefix": "@"}, hippo.ErrUnsupported, "prefix"},
		{"model", 3, hippo.ErrCorrupt, "model"},
		{"normalizer", map[string]any{"type": "StripAccents"}, hippo.ErrUnsupported, "StripAccents"},
		{"normalizer", map[string]any{"type": "Precompiled", "precompiled_charsmap": "AAA"}, hippo.ErrCorrupt, "base64"},
		{"normalizer", map[string]any{"type": "Precompiled", "precompiled_charsmap": "/////w=="}, hippo.ErrCorrupt, "trie"},
		{"pre_tokenizer", map[string]any{"type": "ByteLevel"}, hippo.ErrUnsupported, "ByteLevel"},
		{"pre_tokenizer", map[string]any{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"}, hippo.ErrUnsupported, "first"},
		{"post_processor", map[string]any{"type": "ByteLevel"}, hippo.ErrUnsupported, "ByteLevel"},
		{"post_processor", map[string]any{"type": "BertProcessing", "sep": []any{"no", 1}, "cls": []any{"such", 2}}, hippo.ErrCorrupt, `token "such"`},
		{"added_tokens", []any{map[string]any{"id": 1, "content": "x", "single_word": true}}, hippo.ErrUnsupported, "x"},
		{"added_tokens", []any{map[string]any{"id": 1, "content": ""}}, hippo.ErrCorrupt, "empty"},
	} {
		changed := maps.Clone(whole)
		changed[tc.part] = tc.value
		b, err := json.Marshal(changed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := token.Load(b); !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.names) {
			t.Errorf("%s %v: got %v, want %v that names %s", tc.part, tc.value, err, tc.want, tc.names)
		}
	}
	for _, text := range []string{"", "[]", "{", "null"} {
		if _, err := token.Load([]byte(text)); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

// Concurrent calls do not disturb each other.
func TestEncode_Concurrent(t *testing.T) {
	t.Parallel()
	for name, tok := range map[string]token.Tokenizer{"wordpiece": bert(t), "unigram-split": unigram(t, "split")} {
		all := goldens(t, name)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				var ids []int32
				for _, g := range all {
					if ids = tok.Encode(ids[:0], g.Text); !slices.Equal(ids, g.IDs) {
						t.Errorf("%s: %q: got %v, want %v", name, g.Text, ids, g.IDs)
					}
				}
			})
		}
		wg.Wait()
	}
}

func FuzzEncode(f *testing.F) {
	toks := []token.Tokenizer{bert(f), unigram(f, "split"), unigram(f, "metaspace"), unigram(f, "bytes"), load(f, "bpe-gpt2"), load(f, "bpe-qwen2")}
	for _, g := range goldens(f, "wordpiece") {
		f.Add(g.Text)
	}
	f.Add("\xff\xfe broken \xc3")
	f.Fuzz(func(t *testing.T, text string) {
		for i, tok := range toks {
			for _, id := range tok.Encode([]int32{-1}, text)[1:] {
				if id < 0 || id >= 30522 {
					t.Errorf("tokenizer %d: %q has token %d", i, text, id)
				}
			}
		}
	})
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["a",-1]]},"pre_tokenizer":{"type":"Metaspace","replacement":"▁"},` +
		`"post_processor":{"type":"BertProcessing","sep":["a",1],"cls":["a",1]},"normalizer":{"type":"Precompiled","precompiled_charsmap":"BAAAAAAEAAA="}}`))
	f.Add([]byte(`{"model":{"type":"WordPiece"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		tok, err := token.Load(b)
		if err != nil {
			if !errors.Is(err, hippo.ErrCorrupt) && !errors.Is(err, hippo.ErrUnsupported) {
				t.Errorf("got %v, want ErrCorrupt or ErrUnsupported", err)
			}
			return
		}
		tok.Encode(nil, "a ab \u0301 é 東京 \xff")
	})
}

func BenchmarkEncode(b *testing.B) {
	var text strings.Builder
	for text.Len() < 10_000 {
		text.WriteString("When deploying on Fridays, ask twice: the last rollback took four hours and broke the cache. ")
	}
	for name, tok := range map[string]token.Tokenizer{"wordpiece": bert(b), "unigram": unigram(b, "split")} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			var ids []int32
			for b.Loop() {
				ids = tok.Encode(ids[:0], text.String())
			}
		})
	}
}
