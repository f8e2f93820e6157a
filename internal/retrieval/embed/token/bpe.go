package token

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// bpe is byte-level byte-pair encoding: a text is split by an expression, the bytes of each piece are merged
// pair by pair in the order in which the pairs were learned.
// Sources: Sennrich et al., arXiv 1508.07909; Radford et al., Language Models are Unsupervised Multitask
// Learners, 2019, section 2.2.
type bpe struct {
	normalize func(string) string
	next      func(string) int // the length of the first piece
	bytes     [256]int32
	merges    map[[2]int32]merge
}

// merge is what becomes of a pair of tokens; the one of the least rank is merged first.
type merge struct{ rank, id int32 }

// unmerged is the rank of a pair that is not merged.
const unmerged = math.MaxInt32

// bpeFile is the model of a tokenizer.json of this kind.
type bpeFile struct {
	Dropout      *float64          `json:"dropout"`
	Prefix       *string           `json:"continuing_subword_prefix"`
	Suffix       *string           `json:"end_of_word_suffix"`
	ByteFallback bool              `json:"byte_fallback"`
	IgnoreMerges bool              `json:"ignore_merges"`
	Vocab        map[string]int32  `json:"vocab"`
	Merges       []json.RawMessage `json:"merges"`
}

func loadBPE(f *file) (Tokenizer, error) {
	var m bpeFile
	if err := unmarshal(f.Model, "model", &m); err != nil {
		return nil, err
	}
	set := func(s *string) bool { return s != nil && *s != "" }
	switch {
	case m.Dropout != nil && *m.Dropout != 0:
		return nil, unsupported("model", "BPE with dropout")
	case set(m.Prefix), set(m.Suffix):
		return nil, unsupported("model", "BPE with continuing_subword_prefix or end_of_word_suffix")
	case m.ByteFallback, m.IgnoreMerges:
		return nil, unsupported("model", "BPE with byte_fallback or ignore_merges")
	}
	b := &bpe{merges: make(map[[2]int32]merge, len(m.Merges))}
	var err error
	if b.normalize, err = loadNormalizer(f.Normalizer); err != nil {
		return nil, err
	}
	if b.next, err = loadSplit(f.PreTokenizer); err != nil {
		return nil, err
	}
	if kind, err := typeOf(f.PostProcessor, "post_processor"); err != nil || kind != "" && kind != "ByteLevel" {
		return nil, unsupported("post_processor", kind)
	}
	if err := b.loadBytes(m.Vocab); err != nil {
		return nil, err
	}
	if string(f.Normalizer) == "null" || len(f.Normalizer) == 0 {
		for i := range f.Added {
			f.Added[i].Normalized = false // there is nothing to normalize
		}
	}
	return b, b.loadMerges(&m)
}

// loadBytes finds the tokens of single bytes. A byte that is no visible character of Latin-1 is written as
// one from U+0100 on.
func (b *bpe) loadBytes(vocab map[string]int32) error {
	next := rune(0x100)
	for i := range 256 {
		c := rune(i)
		if c <= ' ' || c >= 0x7F && c <= 0xA0 || c == 0xAD {
			c = next
			next++
		}
		id, ok := vocab[string(c)]
		if !ok || id < 0 {
			return corrupt("model: vocab: no token %q for byte %#02x", c, i)
		}
		b.bytes[i] = id
	}
	return nil
}

func (b *bpe) loadMerges(m *bpeFile) error {
	for rank, raw := range m.Merges {
		left, right, err := pair(raw)
		if err != nil {
			return corrupt("model: merges: number %d: %v", rank, err)
		}
		l, ok := m.Vocab[left]
		r, ok2 := m.Vocab[right]
		id, ok3 := m.Vocab[left+right]
		if !ok || !ok2 || !ok3 || id < 0 {
			return corrupt("model: merges: number %d: %q and %q, and both together, must be in vocab", rank, left, right)
		}
		b.merges[[2]int32{l, r}] = merge{rank: int32(rank), id: id}
	}
	return nil
}

// pair reads a merge: two strings, or one with a space between them, as older files have it.
func pair(raw json.RawMessage) (left, right string, err error) {
	var both [2]string
	if len(raw) > 0 && raw[0] == '[' {
		err = json.Unmarshal(raw, &both)
		return both[0], both[1], err
	}
	var line string
	if err := json.Unmarshal(raw, &line); err != nil {
		return "", "", err
	}
	left, right, ok := strings.Cut(line, " ")
	if !ok {
		return "", "", fmt.Errorf("no space in %.60q", line)
	}
	return left, right, nil
}

// Encode implements [Tokenizer].
func (b *bpe) Encode(dst []int32, text string) []int32 {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	var ranks []int32
	for text = b.normalize(text); text != ""; {
		n := b.next(text)
		from := len(dst)
		for i := range n {
			dst = append(dst, b.bytes[text[i]])
		}
		ranks = b.ranksOf(ranks[:0], dst[from:])
		dst = dst[:from+b.merge(dst[from:], ranks)]
		text = text[n:]
	}
	return dst
}

// ranksOf appends the rank of each token with the one after it.
func (b *bpe) ranksOf(ranks, ids []int32) []int32 {
	for i := range ids {
		ranks = append(ranks, b.rank(ids, i))
	}
	return ranks
}

func (b *bpe) rank(ids []int32, i int) int32 {
	if i >= 0 && i+1 < len(ids) {
		if m, ok := b.merges[[2]int32{ids[i], ids[i+1]}]; ok {
			return m.rank
		}
	}
	return unmerged
}

// merge merges the tokens of a piece in place and returns how many are left. ranks are those of
// [bpe.ranksOf]. Cost: the square of the length, 20 ms for a piece of 8,192 bytes.
func (b *bpe) merge(ids, ranks []int32) int {
	for len(ids) > 1 {
		i := 0
		for k, r := range ranks {
			if r < ranks[i] {
				i = k
			}
		}
		if ranks[i] == unmerged {
			break
		}
		ids[i] = b.merges[[2]int32{ids[i], ids[i+1]}].id
		ids, ranks = slices.Delete(ids, i+1, i+2), slices.Delete(ranks, i+1, i+2)
		ranks[i] = b.rank(ids, i)
		if i > 0 {
			ranks[i-1] = b.rank(ids, i-1)
		}
	}
	return len(ids)
}

// Special implements [Tokenizer]: nothing stands around a text, and every text is known.
func (b *bpe) Special() Special { return Special{First: -1, Last: -1, Pad: -1, Unknown: -1} }
